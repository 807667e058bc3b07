// Generated tests (docs/why.md#generated-tests): every conversation takes its target edge, dead
// edges are never taken, and most others are.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CompiledFlow } from '@parley/flow-engine';
import { generateTests, type GeneratedTests } from '../../src/explain/generate-tests.ts';
import { playScripted } from '../../src/explain/script.ts';
import { flowOf } from '@parley/flow-engine/testing';
import { exampleFlows, flowFrom } from '../recording.ts';
import { flows } from '../second-walker.ts';
import { graph, playOut, turn } from '../validation-flows.ts';

/** Plays generated tests like stored ones. */
function expectToHold(flow: CompiledFlow, { tests, uncovered }: GeneratedTests): Set<number> {
  const covered = new Set<number>();
  for (const { edge_index, edges, test: script } of tests) {
    const taken = new Set<number | undefined>();
    let standing = { currentNode: null as string | null, variables: script.variables ?? {} };
    for (const { expect: expected, ...scripted } of script.turns) {
      const outcome = playScripted(flow, scripted, standing, { nowMs: script.now * 1000 });
      if (outcome.kind !== 'turn') throw new Error(`refused: ${outcome.kind}`);
      const { status, nextNode, outputs, variables } = outcome;
      expect({ status, next_node: nextNode, messages: outputs.map(({ text }) => text) }).toEqual(expected);
      for (const edge of outcome.taken) taken.add(edge);
      standing = { currentNode: nextNode, variables };
    }
    expect(taken.has(edge_index)).toBe(true);
    expect([...taken].filter((edge) => edge !== undefined).sort((a, b) => a - b)).toEqual(edges);
    for (const edge of edges) covered.add(edge);
  }
  expect([...covered, ...uncovered.map(({ edge }) => edge)].sort((a, b) => a - b)).toEqual(
    flow.model.edges.map(({ index }) => index),
  );
  return covered;
}

/**
 * Graphs that allow long conversations: they begin with a question, and every node that can be left
 * has an edge to take.
 */
const livelyGraph = graph.map(({ nodes: [first, ...others], edges }) => {
  const nodes = [{ ...first, type: 'collect' }, ...others];
  const ways = nodes.flatMap(({ id, type }, at) => {
    const isOpen = type !== 'end' && type !== 'handoff';
    return isOpen ? [{ source: id, target: nodes[(at + 1) % nodes.length]!.id }] : [];
  });
  return { nodes, edges: [...edges, ...ways] };
});

/**
 * `RANDOM_GRAPHS=2000` runs all of them, in a minute or more; by default as many as take some
 * seconds.
 */
const RANDOM_GRAPHS = Number(process.env['RANDOM_GRAPHS'] ?? 400);

test('random graphs: all tests take their edge, and no dead edge is ever taken', () => {
  let conversations = 0;
  let turns = 0;
  let dead = 0;
  fc.assert(
    fc.property(
      fc.oneof(graph, livelyGraph),
      fc.array(turn, { minLength: 12, maxLength: 12 }),
      ({ nodes, edges }, walks) => {
        const flow = flowOf(nodes, edges);
        const generated = generateTests(flow);
        expectToHold(flow, generated);
        conversations += generated.tests.length;
        const proved = generated.uncovered.filter(({ reason }) => reason === 'proved_dead');
        const isDead = new Set<number | undefined>(proved.map(({ edge }) => edge));
        dead += isDead.size;
        // A caller may change any variable between two turns.
        for (const agentMode of ['in_process', 'out_of_band'] as const) {
          let currentNode: string | null = null;
          for (const walk of [...walks, ...walks.toReversed()]) {
            const outcome = playOut(flow, { ...walk, currentNode, agentMode, trace: false });
            turns += 1;
            if (outcome.kind !== 'turn') continue;
            expect(outcome.taken.filter((edge) => isDead.has(edge))).toEqual([]);
            currentNode = outcome.nextNode;
          }
        }
      },
    ),
    { numRuns: RANDOM_GRAPHS, seed: 2_000 },
  );
  expect(turns).toBeGreaterThan(45 * RANDOM_GRAPHS);
  expect(conversations).toBeGreaterThan(RANDOM_GRAPHS);
  expect(dead).toBeGreaterThan(5 * RANDOM_GRAPHS);
}, 300_000);

test('random graphs with commands: all tests take their edge, and no dead edge is ever taken', () => {
  let [conversations, calls, dead] = [0, 0, 0];
  const said = fc.constantFrom('friday', '2026-12-24', 'hm', 'word0', 'word1', 'word2', null);
  const open = fc.uniqueArray(fc.integer({ min: 0, max: 13 }), { minLength: 3, maxLength: 14 });
  fc.assert(
    fc.property(
      flows,
      fc.array(fc.record({ said, open }), { minLength: 20, maxLength: 20 }),
      ({ nodes, edges }, turns) => {
        const flow = flowOf(nodes, edges);
        const generated = generateTests(flow);
        const covered = expectToHold(flow, generated);
        conversations += generated.tests.length;
        const isCall = (edge: number) => edges[edge]!.variable === 'user_input';
        calls += [...covered].filter(isCall).length;
        const proved = generated.uncovered.filter(({ reason }) => reason === 'proved_dead');
        const isDead = new Set<number | undefined>(proved.map(({ edge }) => edge));
        dead += isDead.size;
        let [currentNode, bag]: [string | null, Record<string, unknown>] = [null, {}];
        for (const { said: userInput, open } of turns) {
          const variables = {
            _flow: bag['_flow'],
            ...Object.fromEntries(open.map((at) => [`e${at}`, true])),
          };
          const outcome = playOut(flow, { currentNode, userInput, variables });
          if (outcome.kind !== 'turn') return;
          expect(outcome.taken.filter((edge) => isDead.has(edge))).toEqual([]);
          [currentNode, bag] = [outcome.nextNode, outcome.variables];
        }
      },
    ),
    { numRuns: 150, seed: 2_000 },
  );
  expect(conversations).toBeGreaterThan(150);
  expect(calls).toBeGreaterThan(50);
  expect(dead).toBeGreaterThan(50);
}, 300_000);

test('finds edges after a command that is called at the target of another', () => {
  const flow = flowOf(
    [
      ...['q', 'inner', 'deep'].map((id) => ({ id, type: 'collect', prompt: `${id}?`, variable: id })),
      ...['first', 'second'].map((id) => ({ id, type: 'trigger', on: 'any_turn', priority: 'before' })),
      { id: 'asked', type: 'branch', set: [{ variable: 'asking', to: 'inner' }] },
      { id: 'found', type: 'message', text: 'There it is.' },
      { id: 'back', type: 'end', resume: true },
      { id: 'over', type: 'end' },
    ],
    [
      { source: 'q', target: 'over' },
      { source: 'first', target: 'asked', variable: 'user_input', value: 'help' },
      { source: 'asked', target: 'inner' },
      { source: 'inner', target: 'back' },
      {
        source: 'second',
        target: 'deep',
        all: [
          { variable: 'user_input', value: 'more' },
          { variable: 'asking', value: 'inner' },
        ],
      },
      { source: 'deep', target: 'found', variable: 'deep', value: 'gold' },
      { source: 'deep', target: 'back' },
      { source: 'found', target: 'back' },
    ],
  );
  const generated = generateTests(flow);
  const covered = expectToHold(flow, generated);
  expect([...covered].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test('continues after a waiting tool and a handoff that returns', () => {
  const flow = flowOf(
    [
      { id: 'look', type: 'tool', tool: 'look', wait_for_result: true, output_var: 'order' },
      { id: 'desk', type: 'handoff', target: 'desk', returns: true },
      ...['paid', 'other', 'busy', 'failed', 'back'].map((id) => ({ id, type: 'end', text: id })),
    ],
    [
      { source: 'look', target: 'desk', variable: '_tool_status', value: 'error' },
      { source: 'look', target: 'paid', variable: 'order.state', value: 'paid' },
      { source: 'look', target: 'other' },
      { source: 'desk', target: 'busy', variable: '_handoff_reason', value: 'busy' },
      { source: 'desk', target: 'failed', variable: '_handoff_status', value: 'failed' },
      { source: 'desk', target: 'back' },
    ],
  );
  const generated = generateTests(flow);
  expectToHold(flow, generated);
  expect(generated.uncovered).toEqual([]);
});

describe('the example flows', () => {
  test.each(exampleFlows())('%s: every edge of a conversation', (_, { definition }) => {
    const flow = flowFrom(definition);
    const generated = generateTests(flow);
    expectToHold(flow, generated);
    const open = generated.uncovered.filter(({ edge }) => {
      const source = flow.model.edges[edge]!.source;
      return flow.model.nodesById.get(source)?.type !== 'trigger';
    });
    expect(open).toEqual([]);
    expect(generateTests(flowFrom(definition))).toEqual(generated);
  });
});

test('a question that may be skipped is asked in one conversation and skipped in another', () => {
  const ask = (id: string, more: object) => ({
    id,
    type: 'collect',
    variable: id,
    prompt: `${id}?`,
    ...more,
  });
  const flow = flowOf(
    [
      ask('request', { also: ['day', 'party'] }),
      ask('day', { cast: 'date', skip_if_set: true }),
      ask('party', { cast: 'integer', unit: ['people'], max: 8, skip_if_set: true }),
      ask('right', { cast: 'boolean', also: ['day'] }),
      { id: 'changed', type: 'end', text: 'Changed' },
      { id: 'end', type: 'end', text: 'Done' },
    ],
    [
      { source: 'request', target: 'day' },
      { source: 'day', target: 'party' },
      { source: 'party', target: 'right' },
      { source: 'right', target: 'changed', variable: '_filled', op: 'contains', value: 'day' },
      { source: 'right', target: 'end' },
    ],
  );
  const generated = generateTests(flow);
  expectToHold(flow, generated);
  expect(generated.uncovered).toEqual([]);
  const messages = generated.tests.flatMap(({ test: { turns } }) =>
    turns.map((turn) => turn.expect.messages),
  );
  for (const question of ['day?', 'party?']) expect(messages.flat()).toContain(question);
  const skipped = (question: string) =>
    generated.tests.some(
      ({ test: { turns } }) =>
        turns.some(({ expect: { next_node } }) => next_node === 'right') &&
        turns.every((turn) => !turn.expect.messages.includes(question)),
    );
  expect([skipped('day?'), skipped('party?')]).toEqual([true, true]);
});
