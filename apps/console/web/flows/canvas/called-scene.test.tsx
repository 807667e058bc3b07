// Called flows, expanded next to their calls.
import { beforeEach, expect, test } from '@jest/globals';
import { act, render, renderHook, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { calledKey, type AuthoredFlow } from '@parley/flow-engine';
import type { StoredCall } from '../../engine/called.ts';
import { openFlow, toggleFold, useFlow } from '../document/flow-store.ts';
import { none } from '../document/problems.ts';
import { shareArrange } from './arrange.ts';
import { CalledFlow } from './called-flow.tsx';
import { framed, useCalledNodes } from './called-scene.ts';
import { arrange } from './layout.ts';
import { boxesOf } from '../document/card-size.ts';
import { NODE_WIDTH } from '../document/sizes.ts';
import { cardNodes, noOverlay } from './scene.ts';

const inner = {
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'Who is it?', variable: 'who' },
    { id: 'end', type: 'end' },
  ],
  edges: [{ source: 'ask', target: 'end' }],
} as unknown as AuthoredFlow;
const flow = {
  nodes: [
    { id: 'who', type: 'branch', call: { flow_id: 'identify', version: 'published' } },
    { id: 'done', type: 'end' },
  ],
  edges: [{ source: 'who', target: 'done' }],
} as unknown as AuthoredFlow;
const stored = { flowId: 'identify', version: 3, valid: true, definition: inner, calls: [], inner: {} };
const versions = { [calledKey({ flowId: 'identify', version: 'published' })]: stored as StoredCall };
const places = { who: { x: 100, y: 50 }, done: { x: 100, y: 250 } };
const overlay = { inside: new Map([['who', ['ask']]]) };

beforeEach(() => {
  const doc = { flow, places };
  openFlow('main', { version: 1, etag: '1', doc }, doc);
  useFlow.setState({ called: { flowId: 'main', versions } });
  shareArrange(async ({ nodes, edges = [] }) =>
    arrange(
      nodes.map(({ id }) => id),
      edges ?? [],
    ),
  );
});

test('expands a call next to its card without changing the document', async () => {
  const { result } = renderHook(() => useCalledNodes(places, overlay));
  expect(result.current).toEqual([]);
  act(() => toggleFold('who'));
  await waitFor(() => expect(result.current).toHaveLength(1));
  expect(result.current[0]).toMatchObject({
    id: 'who/',
    draggable: false,
    selectable: false,
    data: { flowId: 'identify', version: 3, visited: ['ask'] },
  });
  expect(result.current[0]!.position.x).toBeGreaterThan(places.who.x + 200);
  expect(useFlow.getState().doc.flow).toBe(flow);
});
test('a card says whether its call is expanded, unless the canvas cannot expand calls', () => {
  const scene = {
    flow,
    places,
    selection: { nodes: [], edge: null },
    startId: 'who',
    sketches: [],
    problems: none,
    overlay: noOverlay,
    connectFrom: null,
  };
  const isUnfolded = (unfolded?: readonly string[]) =>
    cardNodes(unfolded === undefined ? scene : { ...scene, unfolded }).map(({ data }) => data.isUnfolded);
  expect(isUnfolded(['who'])).toEqual([true, null]);
  expect(isUnfolded([])).toEqual([false, null]);
  expect(isUnfolded()).toEqual([null, null]);
});
test('an expanded call shows its nodes and collapses again', async () => {
  toggleFold('who');
  const data = {
    callerId: 'who',
    flowId: 'identify',
    version: 3,
    flow: inner,
    visited: ['ask'],
    places: framed(boxesOf(inner, arrange(['ask', 'end'], inner.edges ?? []))).places,
  };
  render(
    <CalledFlow {...({ data, width: 300, height: 300 } as unknown as Parameters<typeof CalledFlow>[0])} />,
  );
  expect(screen.getByRole('region', { name: 'Flow identify, called by who' })).toHaveTextContent(
    'Who is it?',
  );
  await userEvent.click(screen.getByRole('button', { name: 'Collapse' }));
  expect(useFlow.getState().unfolded).toEqual([]);
});
test('a frame fits its cards, up to a maximum', () => {
  expect(framed({ a: { x: -50, y: 10, height: 72 } })).toMatchObject({
    places: { a: { x: 20, y: 20 } },
    width: NODE_WIDTH + 42,
  });
  expect(framed({ a: { x: 0, y: 0, height: 72 }, b: { x: 5000, y: 5000, height: 72 } })).toMatchObject({
    width: 860,
    height: 640,
  });
});
