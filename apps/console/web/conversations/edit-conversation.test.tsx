import { afterEach, expect, jest, test } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { makeQueryClient } from '../api/query-client.ts';
import type { Conversation } from './api.ts';
import { toChanges, toForm } from './changes.ts';
import { EditDialog } from './edit-conversation.tsx';

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

const one = {
  id: 'call-1',
  tags: ['vip'],
  summary: 'Asked for the order.',
  success: true,
  metadata: { order: '1042' },
} as unknown as Conversation;

function open() {
  const asked: { method: string; body: unknown }[] = [];
  globalThis.fetch = (async (request: Request) => {
    asked.push({ method: request.method, body: await request.json() });
    return Response.json({ success: true, data: one, meta: { request_id: 'r', timestamp: '' } });
  }) as typeof fetch;
  const onClose = jest.fn();
  render(
    <QueryClientProvider client={makeQueryClient()}>
      <EditDialog of={one} onClose={onClose} />
    </QueryClientProvider>,
  );
  return { asked, onClose, user: userEvent.setup() };
}

test('sends only changed members', async () => {
  const { asked, onClose, user } = open();
  expect(screen.getByRole('button', { name: 'Save' })).toBeDisabled();
  await user.type(screen.getByLabelText('Tags'), '\nrefund\n vip ');
  await user.selectOptions(screen.getByLabelText('Success'), '');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(asked).toEqual([{ method: 'PATCH', body: { tags: ['vip', 'refund'], success: null } }]);
});

test('does not send metadata that is not an object', async () => {
  const { user } = open();
  const metadata = screen.getByLabelText('Metadata');
  await user.clear(metadata);
  await user.type(metadata, '[[1]');
  expect(screen.getByText('Metadata must be a JSON object, for example {"plan": "pro"}.')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Save' })).toBeDisabled();
});

test('clears emptied members and replaces metadata as a whole', () => {
  const before = toForm(one);
  const form = { ...before, summary: ' ', tags: '', metadata: '{"plan": "pro"}' };
  expect(toChanges(form, before)).toEqual({ summary: null, tags: [], metadata: { plan: 'pro' } });
});
