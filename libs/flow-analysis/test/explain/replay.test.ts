// Replay (docs/why.md#replay): the same bytes on the recorded version, and exactly the planted
// difference on another.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CompiledFlow } from '@parley/flow-engine';
import { startReplay, type ReplayOptions } from '../../src/explain/replay.ts';
import { recordedTurn, type RecordedTurn } from '../../src/explain/recorded-turn.ts';
import { flowOf } from '@parley/flow-engine/testing';
import {
  exampleFlows,
  flowFrom,
  jsonFiles,
  recordPlayed,
  recordTest,
  versionOf,
  type ScriptedTest,
} from '../recording.ts';
import { graph, turn } from '../validation-flows.ts';

function replay(
  flow: CompiledFlow,
  turns: readonly RecordedTurn[],
  mode: ReplayOptions['mode'],
  from: CompiledFlow = flow,
) {
  return turns.map(startReplay(flow, { mode, of: versionOf, recordedOn: () => from.model }));
}

function expectSameBytes(flow: CompiledFlow, turns: readonly RecordedTurn[], mode: ReplayOptions['mode']) {
  const replayed = replay(flow, turns, mode);
  expect(replayed.map(({ same }) => same)).toEqual(turns.map(() => true));
  if (mode === 'pinned')
    expect(replayed.map(({ after }) => JSON.stringify(after))).toEqual(
      turns.map((one) => JSON.stringify(one)),
    );
}

describe('every byte is the same on the recorded version', () => {
  test.each(exampleFlows())('%s, with its stored tests', (_, { definition, tests }) => {
    const flow = flowFrom(definition);
    for (const stored of Object.values(tests)) {
      const turns = recordTest(flow, stored);
      expect(turns.length).toBeGreaterThan(0);
      for (const one of turns) expect(recordedTurn.parse(one)).toEqual(one);
      expectSameBytes(flow, turns, 'pinned');
      expectSameBytes(flow, turns, 'free');
    }
  });

  test.each(
    jsonFiles<{ flow: unknown; turns: { request?: ScriptedTest['turns'][number] }[] }>(
      new URL('../../../flow-engine/test/corpus/', import.meta.url),
    ),
  )('%s of the golden conversations', (_, { flow: definition, turns }) => {
    const flow = flowFrom(definition);
    const requests = turns.map(({ request }) => request ?? {});
    for (const mode of ['pinned', 'free'] as const)
      expectSameBytes(flow, recordTest(flow, { turns: requests, now: 1_795_176_000 }), mode);
  });

  test('random flows, bags and answers of models', () => {
    let asked = 0;
    fc.assert(
      fc.property(graph, fc.array(turn, { minLength: 1, maxLength: 6 }), ({ nodes, edges }, turns) => {
        const flow = flowOf(nodes, edges);
        const recorded = turns.flatMap(({ choices, variables: any, ...input }) => {
          // A number out of range (1e999) is null in JSON: no returned variables have one.
          const variables = JSON.parse(JSON.stringify(any)) as typeof any;
          const played = recordPlayed(flow, { ...input, variables, stepsMax: 1_000 }, ({ kind }, number) => {
            asked += 1;
            if (kind === 'run_agent')
              return {
                status: 'goal_reached',
                answer: 'done',
                iterations: 1,
                toolCalls: [{ tool: 't', args: { a: 1 }, ok: true, result: [1], ms: 3 }],
              };
            if (kind === 'extract') return { kind: 'extracted', values: { x: 5 } };
            const index = choices[number] ?? -1;
            return index < 0 ? { kind: 'none' } : { kind: 'chosen', index, confidence: 0.7 };
          });
          return played === null ? [] : [played.recorded];
        });
        const replayed = recorded.map(
          startReplay(flow, { mode: 'pinned', of: versionOf, recordedOn: () => flow.model, stepsMax: 1_000 }),
        );
        expect(replayed.map(({ after }) => JSON.stringify(after))).toEqual(
          recorded.map((one) => JSON.stringify(one)),
        );
      }),
      { numRuns: 1_000, seed: 16 },
    );
    expect(asked).toBeGreaterThan(500);
  });
});

/** As from a store that does not preserve the order of members. */
const reordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, reordered(member)] as const);
  return Object.fromEntries(members.toReversed());
};

test.each(exampleFlows())('%s: members in another order are no difference', (_, { definition, tests }) => {
  const flow = flowFrom(definition);
  for (const stored of Object.values(tests)) {
    const turns = recordTest(flow, stored).map((turn) => reordered(turn) as RecordedTurn);
    for (const mode of ['pinned', 'free'] as const)
      expect(replay(flow, turns, mode).flatMap(({ differences }) => differences)).toEqual([]);
  }
});

describe('a planted change', () => {
  const nodes = [
    { id: 'ask_age', type: 'collect', prompt: 'How old?', variable: 'age', cast: 'integer' },
    { id: 'child', type: 'message', text: 'Hello child' },
    { id: 'adult', type: 'message', text: 'Hello adult' },
    { id: 'ask_need', type: 'collect', prompt: 'What for?', variable: 'need' },
    { id: 'tea', type: 'end', message: 'Tea it is' },
    { id: 'other', type: 'end', message: 'Good bye' },
  ];
  const edges = [
    { source: 'ask_age', target: 'child', variable: 'age', op: 'lte', value: 18 },
    { source: 'ask_age', target: 'adult', default: true },
    { source: 'child', target: 'ask_need' },
    { source: 'adult', target: 'ask_need' },
    { source: 'ask_need', target: 'tea', nl: 'wants tea' },
    { source: 'ask_need', target: 'other', default: true },
  ];
  const flow = flowOf(nodes, edges);
  const turns = recordTest(flow, {
    turns: [{}, { user_input: '18' }, { user_input: 'tea please', classifier: 0 }],
  });
  const changed = (index: number, members: object) =>
    flowOf(
      nodes,
      edges.map((edge, at) => (at === index ? { ...edge, ...members } : edge)),
    );

  test('a moved threshold shows in the turn that crosses it', () => {
    const replayed = replay(changed(0, { op: 'lt' }), turns, 'pinned', flow);
    expect(replayed.map(({ same }) => same)).toEqual([true, false, true]);
    expect(replayed[1]!.differences).toEqual([
      { what: 'messages', before: ['Hello child', 'What for?'], after: ['Hello adult', 'What for?'] },
    ]);
    expect(replayed[1]!.trace).toMatchObject([{ node_id: 'ask_age', decided_by: 'default' }, {}, {}]);
  });

  test("a new choice makes the classifier's answer unknown; a removed one that was not chosen does not", () => {
    const more = flowOf(nodes, [
      ...edges.slice(0, 5),
      { source: 'ask_need', target: 'other', nl: 'wants milk' },
    ]);
    for (const mode of ['pinned', 'free'] as const)
      expect(replay(more, turns, mode, flow)[2]).toMatchObject({
        same: null,
        stopped: 'unknown_answer',
        question: { kind: 'classify', node_id: 'ask_need', asks: ['wants tea', 'wants milk'] },
      });
    const [, , back] = replay(
      flow,
      recordTest(more, {
        turns: [{}, { user_input: '18' }, { user_input: 'tea please', classifier: 0 }],
      }),
      'pinned',
      more,
    );
    expect(back).toMatchObject({ same: true });
  });

  test('free: another question is open, and its answer was not recorded', () => {
    const asksMore = flowOf(
      [...nodes, { id: 'ask_name', type: 'collect', prompt: 'Your name?', variable: 'name' }],
      [
        ...edges.map((edge, at) => (at === 2 ? { ...edge, target: 'ask_name' } : edge)),
        { source: 'ask_name', target: 'ask_need' },
      ],
    );
    expect(replay(asksMore, turns, 'free', flow)).toMatchObject([
      { same: true },
      { same: false },
      {
        same: null,
        stopped: 'unknown_answer',
        question: { kind: 'answer', node_id: 'ask_name', asks: ['Your name?'] },
      },
    ]);
    expect(replay(asksMore, turns, 'pinned', flow)[2]).toMatchObject({ same: true });
  });

  test('the order of nodes, the layout and another id of a node are no difference', () => {
    const renamed = <T>(value: T): T =>
      JSON.parse(JSON.stringify(value).replaceAll('"child"', '"minor"')) as T;
    const other = flowOf(
      [...renamed(nodes)].reverse().map((node) => ({ ...node, x: 1 })),
      renamed(edges),
      {
        start: 'ask_age',
      },
    );
    for (const mode of ['pinned', 'free'] as const)
      expect(replay(other, turns, mode, flow).map(({ same }) => same)).toEqual([true, true, true]);
  });

  test('a turn that began at a removed node is refused', () => {
    const without = flowOf(nodes.slice(0, 3), edges.slice(0, 2));
    expect(replay(without, turns, 'pinned', flow)[2]).toMatchObject({
      same: false,
      differences: [{ what: 'status', before: 'completed', after: 'unknown_node' }],
    });
  });

  test('a turn that was too large to record is not replayed', () => {
    const cut = { ...turns[1]!, variables_in: null, truncated: true as const };
    expect(replay(flow, [cut], 'pinned')).toMatchObject([
      { same: null, exact: false, stopped: 'not_recorded' },
    ]);
  });
});
