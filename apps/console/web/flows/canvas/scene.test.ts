// Building the scene of a flow.
import { expect, test } from '@jest/globals';
import type { AuthoredFlow } from '@parley/flow-engine';
import { engine } from '../../engine/engine.ts';
import { problemsOf } from '../document/problems.ts';
import { cardNodes, lineEdges, noOverlay, type Scene } from './scene.ts';

const flow = {
  start: 'ask',
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'Age?', variable: 'age', cast: 'integer', min: 'x' },
    { id: 'adult', type: 'end' },
    { id: 'adult', type: 'message' },
    { id: 'nowhere', type: 'end' },
  ],
  edges: [
    { source: 'ask', target: 'adult', variable: 'age', op: 'gte', value: 18 },
    { source: 'ask', target: 'gone' },
    { source: 'ask', target: 'ask' },
  ],
} as unknown as AuthoredFlow;
const checked = engine.check(flow);
const scene: Scene = {
  flow,
  places: { ask: { x: 0, y: 0 }, adult: { x: 0, y: 200 }, nowhere: { x: 300, y: 0 } },
  selection: { nodes: ['ask'], edge: null },
  startId: checked.startId,
  sketches: checked.edges,
  problems: problemsOf(flow, checked),
  overlay: { ...noOverlay, visited: ['ask', 'adult', 'ask'], taken: new Set([0]) },
  connectFrom: null,
};

test('draws a node once, with position, findings and visits', () => {
  const cards = cardNodes(scene);
  expect(cards.map(({ id }) => id)).toEqual(['ask', 'adult', 'nowhere']);
  expect(cards[0]).toMatchObject({
    selected: true,
    data: { isStart: true, visits: '1, 3', severity: 'error' },
  });
  expect(cards[0]?.ariaLabel).toMatch(/^Question ask, start, \d problem/);
});

test('fades an unreachable node, unless a dangling edge may be meant for it', () => {
  const faded = (of: AuthoredFlow) =>
    cardNodes({ ...scene, flow: of, problems: problemsOf(of, engine.check(of)) })[2]?.data.isFaded;
  expect(faded(flow)).toBe(false);
  expect(faded({ ...flow, edges: flow.edges!.filter(({ target }) => target !== 'gone') })).toBe(true);
});

test('draws an edge with its position, and no dangling edges', () => {
  const lines = lineEdges(scene);
  expect(lines.map(({ id, data }) => [id, data?.place, data?.of])).toEqual([
    ['e0', 0, 3],
    ['e2', 2, 3],
  ]);
  expect(lines[0]?.data).toMatchObject({ says: 'age is at least `18`', isTaken: true, lane: null });
  expect(lines[1]?.data?.lane).not.toBeNull();
});

test('keeps the objects of unchanged nodes and edges, and the lists', () => {
  const [cards, lines] = [cardNodes(scene), lineEdges(scene)];
  expect(cardNodes({ ...scene })).toBe(cards);
  expect(lineEdges({ ...scene })).toBe(lines);
  const moved = cardNodes({ ...scene, places: { ...scene.places, adult: { x: 5, y: 200 } } });
  expect(moved[0]).toBe(cards[0]);
  expect(moved[1]).not.toBe(cards[1]);
  expect(moved[1]?.data).toBe(cards[1]?.data);
});
