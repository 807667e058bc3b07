// The confusion table of branches with examples, and of which nodes there is one.
import { expect, test } from '@jest/globals';
import { trainClassifier } from '@parley/flow-engine/classify/classifier';
import { measureClassifiers } from '../../src/explain/classifier-report.ts';
import { flowFrom } from '../recording.ts';

const end = (id: string) => ({ id, type: 'end', message: id });
const ask = (id: string) => ({ id, type: 'collect', prompt: 'How can I help?', variable: 'wish' });
const bill = {
  target: 'bill',
  nl: 'asks about a bill',
  label: 'Bill',
  examples: ['why is my bill so high', 'my bill is so high', 'My bill is so high!', 'the tap leaks today'],
};
const leak = {
  target: 'leak',
  nl: 'reports a leak',
  examples: ['the tap leaks', 'the tap leaks again', 'the tap leaks badly'],
};
const stop = { source: 'stop', target: 'bye', nl: 'wants to stop', examples: ['stop now', 'stop this now'] };
const trigger = { id: 'stop', type: 'trigger', on: 'any_turn' };

test('a row for each branch, as its examples go without themselves', () => {
  const flow = flowFrom({
    nodes: [ask('ask'), end('bill'), end('leak'), end('else')],
    edges: [
      { source: 'ask', ...bill },
      { source: 'ask', ...leak },
      { source: 'ask', target: 'else', nl: 'asks something else' },
      { source: 'ask', target: 'else' },
    ],
  });
  const { nodes, omitted } = measureClassifiers(flow);
  expect(omitted).toBe(0);
  expect(nodes).toEqual([
    {
      node_id: 'ask',
      branches: [
        expect.objectContaining({ edge_index: 0, label: 'Bill', target: 'bill', examples: 3 }),
        expect.objectContaining({ edge_index: 1, label: null, nl: 'reports a leak', examples: 3 }),
      ],
      confusion: [
        [2, 1, 0],
        [0, 1, 2],
      ],
    },
  ]);
  expect(nodes[0]!.branches).toMatchObject([
    { precision: 1, recall: 2 / 3 },
    { precision: 1 / 2, recall: 1 / 3 },
  ]);
  // A classifier that never saw the example says the same.
  const taught = [bill, leak].map(({ nl, examples }) => ({
    described: nl,
    examples: examples.filter((text) => text !== 'the tap leaks today'),
    counterExamples: [],
  }));
  expect(trainClassifier(taught).decide('the tap leaks today')).toMatchObject({ branch: 1, isSure: true });
});

test('commands count where they can be called, once where there is nothing else', () => {
  const flow = flowFrom({
    nodes: [
      ask('one'),
      ask('two'),
      ask('three'),
      { id: 'b', type: 'branch' },
      trigger,
      ...['bill', 'leak', 'bye'].map(end),
    ],
    edges: [
      { source: 'one', target: 'two' },
      { source: 'two', target: 'three' },
      { source: 'three', ...leak },
      { source: 'three', target: 'b', default: true },
      { source: 'b', ...bill },
      { source: 'b', target: 'bye', default: true },
      stop,
    ],
  });
  const { nodes } = measureClassifiers(flow);
  const edges = nodes.map(({ node_id, branches }) => [node_id, branches.map(({ edge_index }) => edge_index)]);
  expect(edges).toEqual([
    [null, [6]],
    ['three', [2, 6]],
    ['b', [4]],
  ]);
});

test('a flow without examples has none', () => {
  const edges = [{ source: 'ask', target: 'bill', nl: 'asks about a bill' }];
  expect(measureClassifiers(flowFrom({ nodes: [ask('ask'), end('bill')], edges }))).toEqual({
    nodes: [],
    omitted: 0,
  });
});

test('beyond 2,000 examples nodes are counted, not measured', () => {
  const examples = (node: number) => Array.from({ length: 50 }, (_, at) => `caller ${at} says thing ${node}`);
  const ids = Array.from({ length: 45 }, (_, at) => `ask${at}`);
  const flow = flowFrom({
    nodes: [...ids.map(ask), end('bye')],
    edges: ids.flatMap((source, at) => [
      { source, target: 'bye', nl: 'wants it', examples: examples(at) },
      { source, target: ids[at + 1] ?? 'bye', default: true },
    ]),
  });
  const { nodes, omitted } = measureClassifiers(flow);
  expect(omitted).toBeGreaterThan(0);
  expect(nodes.length + omitted).toBe(45);
});
