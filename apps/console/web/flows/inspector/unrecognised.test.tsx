// Groups of unrecognised utterances, and their way into the examples of the draft.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { AuthoredFlow } from '@parley/flow-engine';
import { makeQueryClient } from '../../api/query-client.ts';
import { engineClient, shareEngine } from '../../engine/client.ts';
import { engine } from '../../engine/engine.ts';
import { sessionQuery } from '../../session/session.ts';
import { edgesOf } from '../document/doc.ts';
import { openFlow, select, undo, useFlow } from '../document/flow-store.ts';
import { none } from '../document/problems.ts';
import { Inspector } from './inspector.tsx';

const flow = {
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'How can I help?', variable: 'wish' },
    ...['bill', 'leak', 'other'].map((id) => ({ id, type: 'end' })),
  ],
  edges: [
    { source: 'ask', target: 'bill', nl: 'asks about a bill', label: 'Bill' },
    { source: 'ask', target: 'leak', nl: 'reports a leak', label: 'Leak', examples: ['the tap leaks'] },
    { source: 'ask', target: 'other', default: true },
  ],
} as unknown as AuthoredFlow;
const recorded = (user_input: string, turn: number, version = 2) => ({
  flow_id: 'desk',
  version,
  turn,
  current_node: 'ask',
  next_node: null,
  status: 'completed',
  now: 1_795_000_000,
  path: [
    [0, 2, 'default'],
    [3, null, null],
  ],
  input: { user_input, session_id: 'c', agent_mode: 'out_of_band', extractor: false, confidence_min: 0.5 },
  variables_in: {},
  variables_set: {},
  variables_cleared: [],
  answers: [],
  messages: [],
  actions: [],
});

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));
beforeEach(() => {
  shareEngine(engineClient(engine));
  const doc = { flow, places: {} };
  openFlow('desk', { version: 2, etag: '1', doc }, doc);
});

function show(services: readonly string[]) {
  const items = [
    recorded('water is coming through the ceiling', 2),
    recorded('Water is coming through the wall', 3),
    recorded('where do I park', 4),
    recorded('of another version', 5, 1),
  ];
  globalThis.fetch = async () =>
    Response.json({ success: true, data: { items, next_cursor: null }, meta: {} });
  const client = makeQueryClient();
  client.setQueryData(sessionQuery.queryKey, { services } as never);
  select(['ask']);
  render(
    <QueryClientProvider client={client}>
      <Inspector problems={none} name="Desk" />
    </QueryClientProvider>,
  );
}

test('one press adds a group to the examples of a branch', async () => {
  show(['flow-builder', 'voice-api']);
  const found = within(screen.getByRole('region', { name: 'Unrecognised utterances' }));
  await userEvent.click(found.getByRole('button', { name: 'Find unrecognised utterances' }));
  expect(await found.findByText(/The largest groups in 3 recorded turns of version 2/)).toBeVisible();
  const group = within(found.getByText('2 turns').closest('li')!);
  await userEvent.selectOptions(group.getByLabelText('Branch'), 'Leak');
  await userEvent.click(group.getByRole('button', { name: 'Add examples' }));
  expect(edgesOf(useFlow.getState().doc.flow)[1]).toMatchObject({
    examples: ['the tap leaks', 'Water is coming through the wall', 'water is coming through the ceiling'],
  });
  expect(group.getByRole('button', { name: 'Added' })).toBeDisabled();
  act(undo);
  expect(edgesOf(useFlow.getState().doc.flow)[1]).toMatchObject({ examples: ['the tap leaks'] });
});

test('is not shown without a credential for the voice API', () => {
  show(['flow-builder']);
  expect(screen.queryByRole('region', { name: 'Unrecognised utterances' })).toBeNull();
});
