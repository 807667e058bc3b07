// Examples of an edge, and the matrix of where they go without themselves.
import { beforeEach, expect, test } from '@jest/globals';
import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { AuthoredFlow } from '@parley/flow-engine';
import { engineClient, shareEngine } from '../../engine/client.ts';
import { engine } from '../../engine/engine.ts';
import { edgesOf } from '../document/doc.ts';
import { openFlow, select, useFlow } from '../document/flow-store.ts';
import { none } from '../document/problems.ts';
import { Inspector } from './inspector.tsx';

const bills = ['why is my bill so high', 'my bill is so high', 'the tap leaks today'];
const leaks = ['the tap leaks', 'the tap leaks again', 'the tap leaks badly'];
const flow = {
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'How can I help?', variable: 'wish' },
    ...['bill', 'leak', 'other'].map((id) => ({ id, type: 'end' })),
  ],
  edges: [
    { source: 'ask', target: 'bill', nl: 'asks about a bill', label: 'Bill', examples: bills },
    { source: 'ask', target: 'leak', nl: 'reports a leak', examples: leaks },
    { source: 'ask', target: 'other', default: true },
  ],
} as unknown as AuthoredFlow;

beforeEach(() => {
  shareEngine(engineClient(engine));
  const doc = { flow, places: {} };
  openFlow('desk', { version: 1, etag: '1', doc }, doc);
});

async function show(nodes: readonly string[], edge: number | null = null) {
  select(nodes, edge);
  render(<Inspector problems={none} name="Desk" />);
  return within(await screen.findByRole('region', { name: 'Recognised examples' }));
}

test('a branch shows where the examples of its node go', async () => {
  const shown = await show([], 1);
  expect(
    shown.getByText(/33\s% of its examples come here. 50\s% of the examples that come here/),
  ).toBeVisible();
  const rows = shown.getAllByRole('row').slice(1);
  expect(
    rows.map((row) =>
      within(row)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent),
    ),
  ).toEqual([
    ['2', '1', ''],
    ['', '1', '2'],
  ]);
  await userEvent.click(shown.getByRole('button', { name: '1 Bill' }));
  expect(useFlow.getState().selection.edge).toBe(0);
});

test('so does its node', async () => {
  const shown = await show(['ask']);
  expect(shown.getByText(/3 of 6 examples go to their edge and 1 to another/)).toBeVisible();
});

test('an example is a line', async () => {
  await show([], 0);
  await userEvent.type(screen.getByLabelText('Examples'), '{enter}about the money');
  expect(edgesOf(useFlow.getState().doc.flow)[0]).toMatchObject({ examples: [...bills, 'about the money'] });
  await userEvent.type(screen.getByLabelText('Counter-examples'), 'bill is my name');
  expect(edgesOf(useFlow.getState().doc.flow)[0]).toMatchObject({ counter_examples: ['bill is my name'] });
});
