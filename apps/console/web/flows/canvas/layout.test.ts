// Layout of nodes and edges, and arrow keys.
import { describe, expect, test } from '@jest/globals';
import { edgeRoute, laneOf } from './edge-route.ts';
import { arrange } from './layout.ts';
import { layoutInLayers } from './layout-layers.ts';
import { placeBelow, placeRest, roomAt } from '../document/places.ts';
import { GAP_Y, NODE_HEIGHT, NODE_WIDTH } from '../document/sizes.ts';
import { nearest } from './walk-by-key.ts';

const ids = ['a', 'b', 'c', 'd', 'lonely'];
const edges = [
  ...[
    ['a', 'b'],
    ['a', 'c'],
    ['b', 'd'],
    ['c', 'd'],
    ['d', 'a'],
    ['d', 'gone'],
    ['b', 'b'],
  ].map(([source, target]) => ({
    source: source!,
    target: target!,
  })),
];

describe.each([
  ['arrange', arrange],
  ['layers', layoutInLayers],
])('%s', (_, layout) => {
  const places = layout(ids, edges);
  test('positions every node without overlaps', () => {
    expect(Object.keys(places).sort()).toEqual([...ids].sort());
    for (const one of ids)
      for (const other of ids)
        if (one < other) {
          const [p, q] = [places[one]!, places[other]!];
          expect(Math.abs(p.x - q.x) >= NODE_WIDTH || Math.abs(p.y - q.y) >= NODE_HEIGHT).toBe(true);
        }
  });
  test('lays the flow out from top to bottom', () => {
    expect(places['a']!.y).toBeLessThan(places['b']!.y);
    expect(places['b']!.y).toBeLessThan(places['d']!.y);
  });
});

test('arranges a chain of 5,000 nodes without stack overflow', () => {
  const many = Array.from({ length: 5000 }, (_, at) => `n${at}`);
  const chain = many.slice(1).map((target, at) => ({ source: many[at]!, target }));
  expect(arrange(many, chain)['n4999']!.y).toBeGreaterThan(0);
});

test('puts unconnected nodes next to the flow', () => {
  const places = arrange(ids, edges);
  expect(places['lonely']!.x).toBeLessThan(Math.min(places['a']!.x, places['b']!.x, places['c']!.x));
});

describe('a new node', () => {
  const places = { a: { x: 0, y: 0 }, b: { x: 0, y: 160 } };
  const boxes = { a: { x: 0, y: 0, height: 72 }, b: { x: 0, y: 160, height: 200 } };
  test('goes below its source, next to existing nodes', () => {
    expect(placeBelow(boxes, 'b').y).toBeGreaterThan(360);
    expect(placeBelow(boxes, 'a').x).toBeGreaterThanOrEqual(NODE_WIDTH);
  });
  test('between two nodes makes room', () =>
    expect(roomAt(places, 160)).toEqual({ a: { x: 0, y: 0 }, b: { x: 0, y: 160 + NODE_HEIGHT + GAP_Y } }));
  test('without a position gets one', () => {
    const grown = placeRest(
      { nodes: [{ id: 'a' }, { id: 'x' }], edges: [{ source: 'a', target: 'x' }] },
      { a: { x: 0, y: 0 } },
    );
    expect(grown['x']!.y).toBeGreaterThan(0);
  });
});

describe('edges', () => {
  test('are curves downwards and routes around cards upwards', () => {
    expect(edgeRoute({ x: 0, y: 0 }, { x: 50, y: 200 }, 0, 1, null).path).toMatch(/ C/);
    expect(edgeRoute({ x: 0, y: 200 }, { x: 50, y: 0 }, 0, 1, null).path).toMatch(/ Q/);
  });
  test('have labels stacked in order', () => {
    const at = (place: number) => edgeRoute({ x: 0, y: 0 }, { x: 50, y: 300 }, place, 3, null).labelY;
    expect(at(0)).toBeLessThan(at(1));
    expect(at(1)).toBeLessThan(at(2));
  });
  test('cross no card upwards', () => {
    const [top, bottom] = [
      { x: 0, y: 0, height: 72 },
      { x: 0, y: 400, height: 72 },
    ];
    const inTheWay = { x: NODE_WIDTH + 10, y: 200, height: 72 };
    const beside = { x: -NODE_WIDTH - 10, y: 200, height: 72 };
    const lane = laneOf({ top, bottom, inTheWay, beside }, bottom, top)!;
    for (const { x } of [top, inTheWay, beside]) expect(lane < x || lane > x + NODE_WIDTH).toBe(true);
    expect(laneOf({ top, bottom }, top, bottom)).toBeNull();
  });
});

test('an arrow key moves to the nearest node in its direction', () => {
  const places = {
    a: { x: 0, y: 0 },
    below: { x: 40, y: 100 },
    far: { x: 0, y: 500 },
    right: { x: 300, y: 10 },
  };
  expect(nearest(places, 'a', 'ArrowDown')).toBe('below');
  expect(nearest(places, 'a', 'ArrowRight')).toBe('right');
  expect(nearest(places, 'a', 'ArrowUp')).toBeNull();
  expect(nearest(places, 'below', 'ArrowUp')).toBe('a');
});
