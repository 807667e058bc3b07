// The engine as the page uses it.
import { describe, expect, test } from '@jest/globals';
import { engine } from './engine.ts';
import type { Script } from './converse.ts';
import { latestOf } from './latest.ts';

const nodes = [
  { id: 'greet', type: 'message', text: 'Hello.' },
  { id: 'ask', type: 'collect', prompt: 'What is it about?', variable: 'topic' },
  { id: 'sort', type: 'branch' },
  { id: 'billing', type: 'end', message: 'To billing.' },
  { id: 'other', type: 'handoff', target: 'desk' },
  { id: 'alone', type: 'end' },
];
const edges = [
  { source: 'greet', target: 'ask' },
  { source: 'ask', target: 'sort' },
  { source: 'sort', target: 'billing', variable: 'topic', op: 'eq', value: 'bill' },
  { source: 'sort', target: 'billing', variable: 'topic', op: 'eq', value: 'bill' },
  { source: 'sort', target: 'billing', nl: 'is about a bill' },
  { source: 'sort', target: 'other' },
];
const flow = { start: 'greet', nodes, edges };
const script = (turns: Script['turns']): Script => ({
  startNode: null,
  variables: {},
  nowMs: 0,
  extractor: false,
  agent: false,
  turns,
});

describe('check', () => {
  test('returns findings with nodes and edges, types, and conditions as text', () => {
    const { findings, types, edges: sketches, stats, startId } = engine.check(flow);
    expect(findings).toContainEqual(
      expect.objectContaining({
        code: 'unreachable_node',
        nodeId: 'alone',
        edgeIndex: null,
        severity: 'warning',
      }),
    );
    expect(findings).toContainEqual(expect.objectContaining({ code: 'duplicate_edge', edgeIndex: 3 }));
    expect(types).toEqual(['message', 'collect', 'branch', 'end', 'handoff', 'end']);
    expect(sketches.map(({ kind }) => kind)).toEqual([
      ...['default', 'default', 'deterministic', 'deterministic', 'nl', 'default'],
    ]);
    expect(sketches[2]?.says).toBe('topic is `bill`');
    expect([stats?.max_steps_per_turn, startId]).toEqual([3, 'greet']);
  });
  test('describes several comparisons of one edge', () => {
    const members = [
      { variable: 'age', op: 'gte', value: 18 },
      { variable: 'vip', op: 'is_true' },
    ];
    const joint = { nodes: [{ id: 'a' }], edges: [{ source: 'a', target: 'a', all: members }] };
    expect(engine.check(joint).edges[0]?.says).toBe('age is at least `18` and vip is yes');
  });
  test('reports an invalid definition as a finding at its node', () => {
    const { findings, stats } = engine.check({ nodes: [{ id: 'a' }, { id: 'b', text: 5 }] });
    expect(stats).toBeNull();
    expect(findings).toMatchObject([{ code: 'not_a_definition', nodeId: 'b', path: '/nodes/1/text' }]);
  });
  test('finds the path of the longest turn', () => {
    engine.check(flow);
    expect(engine.longest()).toEqual(['ask', 'sort', 'billing']);
  });
});

describe('a conversation', () => {
  test('stops at the first question without a result, and continues with one', () => {
    engine.check(flow);
    const opening = { input: null, answers: [] };
    const asking = engine.converse(script([opening, { input: 'my bill', answers: [] }]))!;
    expect(asking[1]?.outcome).toMatchObject({ kind: 'asks', question: { kind: 'classify' } });
    const chosen = { kind: 'classify', answer: { kind: 'chosen', index: 0, confidence: 1 } } as const;
    const played = engine.converse(script([opening, { input: 'my bill', answers: [chosen] }]))!;
    expect(played[0]?.outcome).toMatchObject({
      kind: 'turn',
      nextNode: 'ask',
      outputs: [{ text: 'Hello.' }, {}],
    });
    expect(played[1]).toMatchObject({
      from: 'ask',
      asked: [{ answer: chosen }],
      outcome: {
        status: 'completed',
        nextNode: null,
        trace: [{}, { classifier: { outcome: 'chosen' } }, {}],
      },
    });
  });
  test('marks turns after the end as too late', () => {
    engine.check(flow);
    const turns = [null, 'bill', 'more'].map((input) => ({ input, answers: [] }));
    expect(engine.converse(script(turns))!.map(({ outcome }) => outcome.kind)).toEqual([
      'turn',
      'turn',
      'too_late',
    ]);
  });
  test('starts at any node with any variables', () => {
    engine.check(flow);
    const played = engine.converse({
      ...script([{ input: null, answers: [] }]),
      startNode: 'sort',
      variables: { topic: 'bill' },
    });
    expect(played?.[0]?.outcome).toMatchObject({ kind: 'turn', lastNode: 'billing' });
  });
  test('returns null for an invalid definition', () => {
    engine.check({});
    expect(engine.converse(script([]))).toBeNull();
  });
});

test('compares definitions with generated conversations and stored tests', () => {
  const looked = (last: string) => ({
    called: null,
    definition: {
      nodes: [nodes[1], { id: 'end', type: 'end', message: last }],
      edges: [{ source: 'ask', target: 'end' }],
    },
  });
  const tests = [{ name: 'tea', test: { turns: [{ expect: {} }, { user_input: 'tea', expect: {} }] } }];
  expect(engine.compare(looked('Bye'), looked('Bye'), tests, 0)).toMatchObject({
    same: true,
    compared: { stored: 1 },
  });
  expect(engine.compare(looked('Bye'), looked('Farewell'), tests, 0)).toMatchObject({
    same: false,
    different: { stored: 1 },
    groups: [{ example: { differences: [{ what: 'messages', before: ['Bye'], after: ['Farewell'] }] } }],
  });
  expect(engine.compare(looked('Bye'), { definition: {}, called: null }, tests, 0)).toBeNull();
});

test('runs only the first and the last of concurrent calls', async () => {
  const made: number[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const ask = latestOf(async (number: number) => {
    made.push(number);
    await held;
    return number;
  });
  const answers = [1, 2, 3, 4].map((number) => ask(number));
  release();
  expect(await Promise.all(answers)).toEqual([1, null, null, 4]);
  expect(made).toEqual([1, 4]);
});

test('continues after a failed call', async () => {
  const ask = latestOf(async (number: number) => {
    if (number === 1) throw new Error('first');
    return number;
  });
  await expect(ask(1)).rejects.toThrow('first');
  expect(await ask(2)).toBe(2);
});
