// REFERENCE.md matches the engine's tables. `npm run docs` writes it.
import { expect, test } from '@jest/globals';
import {
  bagVariables,
  definitionMembers,
  validationCodes,
  type Member,
  type ValidationCodeSpec,
} from '@parley/flow-analysis';
import {
  casts,
  engineVariables,
  filters,
  limits,
  nodeTypes,
  operators,
  type CastSpec,
  type FilterSpec,
  type GraphConstraints,
  type NodeTypeSpec,
  type OperatorSpec,
} from '@parley/flow-engine';
import { baseLanguages, languageLevel, spokenLanguages } from '@parley/answers';
import { generatedBlock, markdownTable } from '@parley/testing';

const code = (text: string) => `\`${text}\``;
const names = (aliases: readonly string[]) => aliases.map(code).join(' ');
const rows = <Spec>(table: Readonly<Record<string, Spec>>) => Object.entries(table);

function bounds(constraints: GraphConstraints): string {
  const range = (what: string, min: number | null, max: number | null) => {
    if (min === null && max === null) return [];
    if (min === max) return [`${what} ${min}`];
    return [max === null ? `${what} ≥ ${min}` : `${what} ≤ ${max}`];
  };
  return [
    ...range('in', constraints.minIncoming, constraints.maxIncoming),
    ...range('out', constraints.minOutgoing, constraints.maxOutgoing),
    ...range('of them', constraints.minInstances, constraints.maxInstances),
  ].join(', ');
}

const memberTable = (members: Readonly<Record<string, Member>>, on: boolean) =>
  markdownTable(
    ['member', 'name', ...(on ? ['on'] : []), 'meaning', 'when absent'],
    rows<Member>(members).map(([name, spec]) => [
      code(name),
      [spec.label, ...Object.values(spec.labelOn ?? {})].join(' · '),
      ...(on ? [spec.on === undefined ? 'all' : names(spec.on)] : []),
      spec.meaning,
      spec.default === undefined
        ? (spec.otherwise ?? (spec.required ? 'refused' : ''))
        : code(JSON.stringify(spec.default)),
    ]),
  );
const { flow, node, edge } = definitionMembers();

const tables: [string, string][] = [
  ['members of a definition', memberTable(flow, false)],
  ['members of a node', memberTable(node, true)],
  ['members of an edge', memberTable(edge, false)],
  [
    'engine variables',
    markdownTable(
      ['variable', 'is'],
      rows<string>({ ...engineVariables, ...bagVariables }).map(([name, meaning]) => [code(name), meaning]),
    ),
  ],
  [
    'node types',
    markdownTable(
      ['type', 'name', 'also', 'what it does', 'edges'],
      rows<NodeTypeSpec>(nodeTypes).map(([type, spec]) => [
        code(type),
        spec.label,
        names(spec.aliases),
        spec.meaning,
        bounds(spec.constraints),
      ]),
    ),
  ],
  [
    'operators',
    markdownTable(
      ['op', 'name', 'also', '`value`', 'meaning', 'variable missing'],
      rows<OperatorSpec>(operators).map(([op, spec]) => [
        code(op),
        spec.label,
        names(spec.aliases),
        spec.takes,
        spec.meaning,
        String(spec.trueOnMissing),
      ]),
    ),
  ],
  [
    'casts',
    markdownTable(
      ['cast', 'name', 'also', 'meaning', 'reads'],
      rows<CastSpec>(casts).map(([cast, spec]) => [
        code(cast),
        spec.label,
        names(spec.aliases),
        spec.meaning,
        names(spec.reads ?? []),
      ]),
    ),
  ],
  [
    'languages',
    markdownTable(
      ['language', 'tag', 'reading'],
      [...spokenLanguages, ...baseLanguages].map((tag) => [
        new Intl.DisplayNames('en', { type: 'language' }).of(tag)!,
        code(tag),
        languageLevel(tag) === 'tuned' ? 'tuned' : 'basic',
      ]),
    ),
  ],
  [
    'filters',
    markdownTable(
      ['filter', 'argument', 'meaning'],
      rows<FilterSpec>(filters).map(([filter, { argument, meaning }]) => [
        code(filter),
        argument === null ? '' : `${argument.required ? '' : 'may be '}${argument.expected}`,
        meaning,
      ]),
    ),
  ],
  [
    'validation codes',
    markdownTable(
      ['code', 'severity', 'group', 'meaning', 'what to do'],
      rows<ValidationCodeSpec>(validationCodes).map(([name, spec]) => [
        code(name),
        spec.orElse === undefined ? spec.severity : `${spec.severity}, else ${spec.orElse}`,
        spec.group,
        spec.meaning,
        spec.hint,
      ]),
    ),
  ],
  [
    'limits',
    markdownTable(
      ['limit', 'value'],
      rows<number>(limits).map(([name, value]) => [code(name), String(value)]),
    ),
  ],
];

test.each(tables)('the table of %s is up to date', (name, table) => {
  const { actual, expected } = generatedBlock(new URL('../REFERENCE.md', import.meta.url), name, table);
  expect(actual).toBe(expected);
});
