// Counts of turns on the canvas of a version.
import { expect, test } from '@jest/globals';
import type { AuthoredFlow } from '@parley/flow-engine';
import { noOverlay, cardNodes, lineEdges } from '../canvas/scene.ts';
import { none } from '../document/problems.ts';
import { leavings, leavingNotes, stepMarks, turnsSeen } from './steps.ts';

const flow = {
  nodes: [
    { id: 'ask', type: 'collect' },
    { id: 'yes', type: 'end' },
    { id: 'no', type: 'end' },
  ],
  edges: [
    { source: 'ask', target: 'yes', variable: 'a', op: 'eq', value: 1 },
    { source: 'ask', target: 'no' },
    { source: 'yes', target: 'no' },
  ],
} as unknown as AuthoredFlow;
const steps = {
  flow_id: 'f',
  version: 2,
  nodes: [
    { index: 0, turns: 1500, left: 300 },
    { index: 1, turns: 900, left: 0 },
    { index: 7, turns: 5, left: 5 }, // in a called flow
  ],
  edges: [
    { index: 0, turns: 1197 },
    { index: 1, turns: 3 },
    { index: 9, turns: 50_000 },
  ],
};

test('an edge shows its count and share, and its width follows them', () => {
  const marks = stepMarks(flow, steps);
  expect([...marks.values()].map(({ note }) => note)).toEqual(['1,197 · 100 %', '3 · <1 %', '0']);
  expect(marks.get(0)?.width).toBeGreaterThan(marks.get(1)!.width!);
  expect(marks.get(2)).toEqual({ tone: 'quiet', note: '0' });
});
test('lists where callers dropped off, most first, without nodes of called flows', () => {
  expect(leavings(flow, steps)).toEqual([{ nodeId: 'ask', turns: 1500, left: 300, share: '20 %' }]);
  expect(turnsSeen(steps)).toBe(1500);
  expect(turnsSeen({ ...steps, nodes: [] })).toBe(0);
});
test('draws both on the canvas', () => {
  const scene = {
    flow,
    places: {},
    selection: { nodes: [], edge: null },
    startId: 'ask',
    sketches: [],
    problems: none,
    overlay: {
      ...noOverlay,
      marks: stepMarks(flow, steps),
      notes: leavingNotes(leavings(flow, steps)),
    },
    connectFrom: null,
  };
  expect(cardNodes(scene)[0]?.data.note).toBe('300 dropped off');
  expect(lineEdges(scene)[1]?.data).toMatchObject({ tone: 'accent', note: '3 · <1 %' });
});
