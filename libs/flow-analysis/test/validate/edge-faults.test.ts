// One fault of an edge is one finding, at the edge, and on a node that exists
// (docs/flow-language.md#validation).
import { expect, test } from '@jest/globals';
import { check } from '../validation-flows.ts';

type Edge = Record<string, unknown>;

const nodes = [
  { id: 'ask', type: 'collect', prompt: '?', variable: 'x', cast: 'enum', choices: ['a', 'b'] },
  { id: 'num', type: 'collect', prompt: '?', variable: 'n', cast: 'integer' },
  { id: 'say', type: 'message', text: '{{ x }} {{ n }}' },
  { id: 'br', type: 'branch' },
  { id: 'end', type: 'end', message: 'bye' },
  { id: 'other', type: 'end', message: 'bye' },
  { id: 'persona', type: 'global', prompt: 'Kind.' },
  { id: 'hook', type: 'webhook', url: 'https://example.com/x' },
];
const edges: Edge[] = [
  { source: 'ask', target: 'num' },
  { source: 'num', target: 'say' },
  { source: 'say', target: 'br' },
  { source: 'br', target: 'end', variable: 'x', op: 'eq', value: 'a' },
  { source: 'br', target: 'other' },
];

/** The flow with one edge changed, or with one more. */
const changed = (at: number, members: Edge) =>
  edges.map((edge, place) => (place === at ? { ...edge, ...members } : edge));
const more = (at: number, ...added: Edge[]) => edges.toSpliced(at, 0, ...added);

const findings = (flow: Edge[]) => {
  const { errors, warnings, infos } = check(nodes, flow).validation;
  return [...errors, ...warnings, ...infos].map(
    ({ code, path, node_id: node }) => `${code} ${path} ${node ?? '-'}`,
  );
};

test('the flow has none', () => expect(findings(edges)).toEqual([]));

test.each<[string, Edge[], string]>([
  ['it leaves an end', more(5, { source: 'end', target: 'say' }), 'terminal_has_outgoing /edges/5 end'],
  [
    'it leaves a persona',
    more(5, { source: 'persona', target: 'say' }),
    'edge_on_declarative_node /edges/5/source persona',
  ],
  [
    'it enters a persona',
    more(5, { source: 'say', target: 'persona' }),
    'edge_on_declarative_node /edges/5/target persona',
  ],
  [
    'it enters a webhook',
    more(3, { source: 'br', target: 'hook', variable: 'n', op: 'gt', value: 3 }),
    'edge_on_declarative_node /edges/3/target hook',
  ],
  [
    'it leads nowhere, and all hangs on it',
    changed(2, { target: 'nowhere' }),
    'edge_target_unknown /edges/2/target say',
  ],
  [
    'it leaves nowhere, and all hangs on it',
    changed(2, { source: 'nowhere' }),
    'edge_source_unknown /edges/2/source -',
  ],
  [
    'it leaves nowhere',
    more(5, { source: 'nowhere', target: 'end' }),
    'edge_source_unknown /edges/5/source -',
  ],
  [
    'a default with a comparison',
    changed(3, { default: true }),
    'default_with_condition /edges/3/default br',
  ],
  [
    'a default with both conditions',
    changed(3, { default: true, nl: 'a' }),
    'default_with_condition /edges/3/default br',
  ],
  ['both conditions', changed(3, { nl: 'wants a' }), 'mixed_condition /edges/3 br'],
  ['a second default', more(5, { source: 'br', target: 'end' }), 'multiple_defaults /edges/5 br'],
  ['the same default again', more(5, { source: 'br', target: 'other' }), 'multiple_defaults /edges/5 br'],
  ['the same comparison again', more(4, edges[3]!), 'duplicate_edge /edges/4 br'],
  [
    'the same words again',
    more(4, { source: 'br', target: 'end', nl: 'w' }, { source: 'br', target: 'end', nl: 'w' }),
    'duplicate_edge /edges/5 br',
  ],
  [
    'the same words elsewhere',
    more(4, { source: 'br', target: 'end', nl: 'w' }, { source: 'br', target: 'other', nl: 'w' }),
    'ambiguous_nl /edges/5/nl br',
  ],
  [
    'a pattern that is none, with flags',
    changed(3, { op: 'matches', value: '/(/g' }),
    'regex_invalid /edges/3/value br',
  ],
  [
    'values that are no choices',
    more(0, { source: 'ask', target: 'end', variable: 'x', op: 'in', value: ['y', 'z'] }),
    'value_outside_choices /edges/0/value ask',
  ],
])('%s', (_what, flow, finding) => expect(findings(flow)).toEqual([finding]));

test('an edge between two missing nodes has a fault at each end, on no node', () =>
  expect(findings(more(5, { source: 'nowhere', target: 'neither' }))).toEqual([
    'edge_source_unknown /edges/5/source -',
    'edge_target_unknown /edges/5/target -',
  ]));

test('unreachable nodes are no part of the longest turn', () => {
  const lost = [1, 2, 3, 4, 5, 6].map((n) => ({ id: `m${n}`, type: 'message', text: 'x' }));
  const chain = lost.slice(1).map(({ id }, at) => ({ source: `m${at + 1}`, target: id }));
  const stats = (extra: Edge[]) =>
    check([...nodes, ...lost], [...edges, ...chain, ...extra]).validation.stats;
  expect(stats([]).max_steps_per_turn).toBe(4);
  expect(stats([{ source: 'm6', target: 'm1' }]).max_steps_per_turn).toBe(4); // a cycle among them
  expect(
    stats([
      { source: 'm6', target: 'end' },
      { source: 'num', target: 'm1', variable: 'n', op: 'eq', value: 1 },
    ]).max_steps_per_turn,
  ).toBe(8);
});
