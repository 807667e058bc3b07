// The shortest conversation to a node or an edge.
import { beforeEach, expect, jest, test } from '@jest/globals';
import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { AuthoredFlow } from '@parley/flow-engine';
import { engineClient, shareEngine } from '../../engine/client.ts';
import { engine } from '../../engine/engine.ts';
import { openFlow, select, useFlow } from '../document/flow-store.ts';
import { Inspector } from './inspector.tsx';
import { setPanels } from '../page-state.ts';
import { none } from '../document/problems.ts';
import { useTalk } from '../talk/talk-store.ts';

const flow = {
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'How old?', variable: 'age', cast: 'integer' },
    { id: 'vip', type: 'branch' },
    { id: 'child', type: 'end' },
    { id: 'adult', type: 'end' },
    { id: 'lounge', type: 'end' },
    { id: 'nowhere', type: 'end' },
  ],
  edges: [
    { source: 'ask', target: 'child', variable: 'age', op: 'lt', value: 18 },
    { source: 'ask', target: 'child', variable: 'age', op: 'lt', value: 9 },
    { source: 'ask', target: 'vip' },
    { source: 'vip', target: 'lounge', variable: 'age', op: 'gte', value: 65 },
    { source: 'vip', target: 'adult' },
  ],
} as unknown as AuthoredFlow;

beforeEach(() => {
  shareEngine(engineClient(engine));
  const doc = { flow, places: {} };
  openFlow('ages', { version: 1, etag: '1', doc }, doc);
});

async function ask(nodes: readonly string[], edge: number | null = null) {
  select(nodes, edge);
  render(<Inspector problems={none} name="Ages" />);
  await userEvent.click(screen.getByRole('button', { name: 'Find path to here' }));
  return within(await screen.findByRole('region', { name: 'Path to here' }));
}

test('highlights the path on the canvas and plays it in "Try it"', async () => {
  const toPanel = jest.fn();
  setPanels(toPanel);
  const way = await ask(['lounge']);
  expect(way.getByText(/The shortest conversation: 2 turns/)).toBeInTheDocument();
  expect(useFlow.getState().shownEdges).toEqual([2, 3]);
  await userEvent.click(way.getByRole('button', { name: 'Play conversation' }));
  const said = Number(useTalk.getState().script.turns[1]?.input);
  expect(said).toBeGreaterThanOrEqual(65);
  expect(toPanel).toHaveBeenCalledWith('try');
});

test('names the edge that shadows an edge', async () => {
  const way = await ask([], 1);
  expect(way.getByText(/No conversation gets here: edges before it always win/)).toBeInTheDocument();
  await userEvent.click(way.getByRole('button', { name: 'ask → child' }));
  expect(useFlow.getState().selection.edge).toBe(0);
});

test('says that a node is unreachable, and clears the result on the next edit', async () => {
  const way = await ask(['nowhere']);
  expect(way.getByText(/no edge leads to it/)).toBeInTheDocument();
  await userEvent.type(screen.getByLabelText('Closing message'), 'x');
  expect(screen.getByRole('button', { name: 'Find path to here' })).toBeInTheDocument();
});
