import { afterEach, expect, jest, test } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { makeQueryClient } from '../api/query-client.ts';
import { ReplayDialog } from './replay-dialog.tsx';

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

/** Opens the dialog; the fake service finds three deliveries. */
function open() {
  const asked: Record<string, unknown>[] = [];
  globalThis.fetch = (async (request: Request) => {
    const body = (await request.json()) as Record<string, unknown>;
    asked.push(body);
    const data = { matched: 3, replayed: body['dry_run'] === true ? 0 : 3, dry_run: body['dry_run'] };
    return Response.json({ success: true, data, meta: { request_id: 'r', timestamp: '' } });
  }) as typeof fetch;
  const onClose = jest.fn();
  render(
    <QueryClientProvider client={makeQueryClient()}>
      <ReplayDialog webhookId="wh_1" onClose={onClose} />
    </QueryClientProvider>,
  );
  return { asked, onClose, user: userEvent.setup() };
}

test('counts first, then replays exactly the counted period', async () => {
  const { asked, onClose, user } = open();
  await user.click(screen.getByRole('button', { name: 'Count deliveries' }));
  await user.click(await screen.findByRole('button', { name: 'Replay 3 deliveries' }));
  expect(asked.map(({ dry_run }) => dry_run)).toEqual([true, false]);
  expect(asked[1]).toEqual({ ...asked[0], dry_run: false });
  expect(onClose).toHaveBeenCalled();
});

test('counts again after a change before it replays', async () => {
  const { asked, user } = open();
  await user.click(screen.getByRole('button', { name: 'Count deliveries' }));
  await screen.findByRole('button', { name: 'Replay 3 deliveries' });
  await user.selectOptions(screen.getByLabelText('State'), 'exhausted');
  await user.click(screen.getByRole('button', { name: 'Count deliveries' }));
  await screen.findByRole('button', { name: 'Replay 3 deliveries' });
  expect(asked.map(({ dry_run, status }) => [dry_run, status])).toEqual([
    [true, undefined],
    [true, 'exhausted'],
  ]);
});
