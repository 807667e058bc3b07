// Utterances that answer several questions (several/*.jsonl), with their right values. No value is
// wrong, and most sentences are understood completely.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { compileCast } from '../src/cast.ts';
import { resolveCast } from '../src/casts.ts';
import { compileSeveral, type SeveralSpec } from '../src/read-several.ts';
import { utterancesNowMs, type Utterance } from '../src/utterances.ts';

type Node = Utterance['node'] & { readonly min?: number; readonly max?: number; readonly pattern?: string };

interface Row {
  readonly flow: string;
  /** The variable of the question. */
  readonly ask: string;
  readonly text: string;
  /**
   * The captured variables; a list holds several right values. Omits texts, which are the answer
   * itself.
   */
  readonly expect: Readonly<Record<string, unknown>>;
}

const folder = new URL('several/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');
const nodes = JSON.parse(read('nodes.json')) as Record<string, Record<string, Record<string, Node>>>;
const languages = readdirSync(folder)
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => name.slice(0, 2));
const rowsOf = (language: string): Row[] =>
  read(`${language}.jsonl`)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);

const specOf = (node: Node, language: string): SeveralSpec => ({
  cast: resolveCast(node.cast),
  choices: node.choices ?? [],
  defaultRegion: node.default_region ?? null,
  language,
  prefer: node.prefer ?? null,
  units: [node.unit ?? []].flat(),
  isWord: node.pattern !== undefined,
});

function accepts({ min, max, pattern }: Node, value: unknown): boolean {
  if (pattern !== undefined) return new RegExp(pattern, 'i').test(String(value));
  return !(Number(value) < (min ?? -Infinity) || Number(value) > (max ?? Infinity));
}

/** The captured values by variable, without that of an open question. */
function captures(language: string, { flow, ask, text }: Row): Record<string, unknown> {
  const flowNodes = nodes[language]![flow]!;
  const names = Object.keys(flowNodes).filter((name) => name !== ask && flowNodes[name]!.cast !== 'boolean');
  const specs = names.map((name) => specOf(flowNodes[name]!, language));
  const own = specOf(flowNodes[ask]!, language);
  const context = { nowMs: utterancesNowMs };
  const outcome = compileCast(own.cast, own)(text, context);
  const nodeAt = (index: number) => flowNodes[index === -1 ? ask : names[index]!]!;
  const found = compileSeveral(own, specs)(text, outcome, context, (index, value) =>
    accepts(nodeAt(index), value),
  );
  const mine = outcome.ok ? outcome : found.own;
  const values = found.others.map(({ index, value }) => [names[index]!, value] as const);
  return Object.fromEntries(
    mine === null || own.cast === 'string' ? values : [[ask, mine.value] as const, ...values],
  );
}

const isRight = (value: unknown, right: unknown): boolean => [right].flat().includes(value);

describe.each(languages)('%s', (language) => {
  const judged = rowsOf(language).map((row) => ({ row, values: captures(language, row) }));

  test('no value is wrong', () => {
    const wrong = judged.filter(({ row, values }) =>
      Object.entries(values).some(([name, value]) => !isRight(value, row.expect[name])),
    );
    expect(wrong).toEqual([]);
  });

  test('of 20 sentences that hold several values, 17 are understood whole', () => {
    const several = judged.filter(({ row }) => Object.keys(row.expect).length > 1);
    const missed = several.filter(({ row, values }) =>
      Object.keys(row.expect).some((name) => !(name in values)),
    );
    const share = 1 - missed.length / several.length;
    if (share < 0.85) throw new Error(`${share}: ${JSON.stringify(missed, null, 1)}`);
  });
});

test('there are a hundred, and thirty of them hold no value to capture beside a yes or a no', () => {
  const rows = languages.flatMap(rowsOf);
  expect(rows.length).toBeGreaterThanOrEqual(100);
  const empty = rows.filter(({ expect: values }) => Object.keys(values).every((name) => name === 'right'));
  expect(empty.length).toBeGreaterThanOrEqual(30);
});
