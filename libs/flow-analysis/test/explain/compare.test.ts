// The behavioural diff (docs/why.md#compare): it finds planted changes and describes them in a
// sentence, and reports nothing for changes without effect.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareBehaviour, type ParallelRun } from '../../src/explain/compare/compare-behaviour.ts';
import type { CompiledFlow } from '@parley/flow-engine';
import { flowOf, noonMs } from '@parley/flow-engine/testing';
import { exampleFlows, flowFrom, recordTest } from '../recording.ts';
import { graph } from '../validation-flows.ts';

function compare(from: CompiledFlow, to: CompiledFlow, more: Partial<ParallelRun> = {}) {
  return compareBehaviour(from, to, {
    scripts: [],
    turns: [],
    recordedOn: () => from.model,
    nowMs: noonMs,
    ...more,
  });
}

const nodes = [
  { id: 'ask_age', type: 'collect', prompt: 'How old?', variable: 'age', cast: 'integer', max_attempts: 2 },
  { id: 'ask_need', type: 'collect', prompt: 'What for?', variable: 'need' },
  { id: 'sorted', type: 'branch', set: [{ variable: 'seen', to: true }] },
  { id: 'child', type: 'end', message: 'Hello child' },
  { id: 'adult', type: 'end', message: 'Hello adult' },
  { id: 'desk', type: 'handoff', message: 'One moment' },
];
const edges = [
  { source: 'ask_age', target: 'desk', variable: '_input_status', op: 'neq', value: 'captured' },
  { source: 'ask_age', target: 'ask_need', default: true },
  { source: 'ask_need', target: 'sorted', nl: 'wants a ticket' },
  { source: 'ask_need', target: 'desk', nl: 'wants a person' },
  { source: 'ask_need', target: 'desk', default: true },
  { source: 'sorted', target: 'child', variable: 'age', op: 'lte', value: 18 },
  { source: 'sorted', target: 'adult', default: true },
];
const flow = flowOf(nodes, edges);
const withEdge = (index: number, members: object) =>
  flowOf(
    nodes,
    edges.map((edge, at) => (at === index ? { ...edge, ...members } : edge)),
  );
const withNode = (index: number, members: object) =>
  flowOf(
    nodes.map((node, at) => (at === index ? { ...node, ...members } : node)),
    edges,
  );
const sentences = (to: CompiledFlow) => compare(flow, to).groups.map(({ sentence }) => sentence);

describe('a planted change is reported', () => {
  test('a threshold that moved, two questions after the answer', () => {
    const diff = compare(flow, withEdge(5, { op: 'lt' }));
    expect(diff.groups).toMatchObject([
      {
        node_id: 'sorted',
        edge_before: 5,
        edge_after: 6,
        example: {
          turns: [{ user_input: null }, { user_input: '18' }, { classifier: 0 }],
          differences: [{ what: 'messages', before: ['Hello child'], after: ['Hello adult'] }],
        },
      },
    ]);
    expect(diff).toMatchObject({ same: false, complete: true });
  });

  test('right after the answer: the affected values are named', () => {
    const short = (op: string) =>
      flowOf(
        [nodes[0]!, ...nodes.slice(3)],
        [
          { source: 'ask_age', target: 'child', variable: 'age', op, value: 18 },
          { source: 'ask_age', target: 'adult', default: true },
        ],
      );
    expect(compare(short('lte'), short('lt')).groups.map(({ sentence }) => sentence)).toEqual([
      'Callers who answer 18 to `ask_age` now reach `adult`, before `child`.',
    ]);
  });

  test.each<[string, CompiledFlow, string]>([
    ['another text', withNode(4, { message: 'Welcome' }), 'now hear "Welcome", before "Hello adult"'],
    [
      'another way',
      withEdge(2, { target: 'desk' }),
      'Callers of whom the classifier says "wants a ticket" now reach `desk`, before `sorted`.',
    ],
    [
      'another variable',
      withNode(2, { set: [{ variable: 'seen', to: false }] }),
      'now leave with {"seen":false}, before with {"seen":true}',
    ],
    ['fewer tries', withNode(0, { max_attempts: 1 }), 'now go on to `desk`, before not'],
    ['an edge that is gone', flowOf(nodes, edges.slice(0, 6)), 'no longer go on to `adult`'],
  ])('%s', (_, to, sentence) => expect(sentences(to).join(' ')).toContain(sentence));

  test('by a stored test and by recorded conversations', () => {
    const script = { turns: [{}, { user_input: '18' }, { user_input: 'a ticket', classifier: 0 }] };
    const turns = ['a', 'b'].flatMap((session_id) =>
      recordTest(flow, script).map((turn) => ({ ...turn, input: { ...turn.input!, session_id } })),
    );
    const diff = compare(flow, withEdge(5, { op: 'lt' }), {
      scripts: [{ name: 'a-ticket', test: script }],
      turns,
    });
    expect(diff).toMatchObject({
      compared: { stored: 1, recorded: 2 },
      different: { stored: 1, recorded: 2 },
      stopped: 0,
      groups: [{ conversations: { stored: 1, recorded: 2 } }],
    });
    expect(compare(flow, flow, { turns })).toMatchObject({ same: true, compared: { recorded: 2 } });
  });
});

describe('commands that a classifier chose', () => {
  const calls = ['wants a person', 'wants to stop', 'corrects the age'].map((nl, at) => ({
    source: 'any',
    target: ['desk', 'child', 'ask_age'][at],
    nl,
  }));
  const withCommands = (called: readonly object[]) =>
    flowOf(
      [...nodes, { id: 'any', type: 'trigger', on: 'any_turn', answers_question: true }],
      [...edges, ...called],
    );
  const before = withCommands(calls);

  test('are chosen again, in any order', () => {
    expect(compare(before, before)).toMatchObject({ same: true, groups: [], complete: true });
    expect(compare(before, withCommands([...calls].reverse()))).toMatchObject({ same: true, complete: true });
  });

  test('lead elsewhere, which is reported', () => {
    const elsewhere = calls.map((call, at) => (at === 1 ? { ...call, target: 'adult' } : call));
    const diff = compare(before, withCommands(elsewhere));
    expect(diff.groups.map(({ sentence }) => sentence).join(' ')).toContain('wants to stop');
  });
});

describe('a change without effect is not reported', () => {
  const rename = <T>(value: T): T =>
    JSON.parse(
      JSON.stringify(value).replaceAll('"ask_need"', '"ask_wish"').replaceAll('"adult"', '"grown_up"'),
    ) as T;

  test.each<[string, CompiledFlow]>([
    ['the same', flowOf(nodes, edges)],
    [
      'the order of nodes, and layout',
      flowOf(
        [...nodes].reverse().map((node, x) => ({ ...node, x })),
        edges,
        { start: 'ask_age' },
      ),
    ],
    [
      'the order of natural-language edges',
      flowOf(
        nodes,
        [0, 1, 3, 2, 4, 5, 6].map((at) => edges[at]),
      ),
    ],
    ['other ids of nodes', flowOf(rename(nodes), rename(edges))],
  ])('%s', (_, to) => expect(compare(flow, to)).toMatchObject({ same: true, groups: [], complete: true }));

  test.each(exampleFlows())('%s, shuffled', (_, { definition, tests }) => {
    const { nodes: all, start, ...more } = definition as { nodes: { id: string }[]; start: string };
    const to = flowFrom({ ...more, start, nodes: [...all].reverse() });
    const scripts = Object.entries(tests).map(([name, one]) => ({ name, test: one }));
    expect(compare(flowFrom(definition), to, { scripts })).toMatchObject({ same: true });
  });

  test('random graphs in another order', () => {
    fc.assert(
      fc.property(graph, ({ nodes: some, edges: ways }) => {
        const [first, ...others] = some;
        const to = flowOf([first, ...others.toReversed()], ways);
        expect(compare(flowOf(some, ways), to).groups).toEqual([]);
      }),
      { numRuns: 100, seed: 4 },
    );
  });
});
