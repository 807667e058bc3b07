import { afterEach, expect, jest, test } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { makeQueryClient } from '../api/query-client.ts';
import { readParts } from './api.ts';
import { toListLink, type ExportSource } from './source.ts';
import { ExportDialog } from './export-dialog.tsx';
import { formatSize } from './formats.ts';

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

const enveloped = (data: object) =>
  Response.json({ success: true, data, meta: { request_id: 'r', timestamp: '' } });

/** Opens the dialog; the fake service has `total` conversations. */
function open(asked_for: object, total: number) {
  const counted: URL[] = [];
  const asked: unknown[] = [];
  globalThis.fetch = (async (request: Request) => {
    if (request.method === 'GET') {
      counted.push(new URL(request.url));
      return enveloped({ items: [], next_cursor: null, has_more: false, total });
    }
    asked.push(await request.json());
    return enveloped({ id: 'exp_1' });
  }) as typeof fetch;
  const onMade = jest.fn();
  render(
    <QueryClientProvider client={makeQueryClient()}>
      <ExportDialog source={asked_for as ExportSource} onClose={() => undefined} onMade={onMade} />
    </QueryClientProvider>,
  );
  return { counted, asked, onMade, user: userEvent.setup() };
}

test('counts and exports what the filters and the search match, without the cursor', async () => {
  const { counted, asked, onMade, user } = open(
    { of: 'conversations', search: { q: 'order', cursor: 'c', last: '24h', status: 'failed' } },
    1200,
  );
  await screen.findByText(/^1,200 conversations/);
  await user.selectOptions(screen.getByLabelText('Format'), 'csv');
  await user.click(screen.getByRole('button', { name: 'Export' }));
  await waitFor(() => expect(onMade).toHaveBeenCalled());
  const question = Object.fromEntries(counted[0]!.searchParams);
  const { started_after } = question;
  expect(question).toEqual({ q: 'order', started_after, status: 'failed', limit: '1', total: 'true' });
  const filter = { q: 'order', started_after, status: ['failed'] };
  expect(asked).toEqual([{ of: 'conversations', format: 'csv', filter }]);
});

test('does not export an empty list', async () => {
  open({ of: 'conversations', search: { tags: 'vip' } }, 0);
  await screen.findByText(/^No matching conversations/);
  expect(screen.getByRole('button', { name: 'Export' })).toBeDisabled();
});

test('exports deliveries by their filters, without a count and without vCon', async () => {
  const search = { http_status: 502, last: '1h', cursor: 'c' };
  const { counted, asked, onMade, user } = open({ of: 'deliveries', search }, 0);
  const format = screen.getByLabelText('Format');
  expect([...format.querySelectorAll('option')].map(({ value }) => value)).toEqual(['jsonl', 'csv']);
  await user.click(screen.getByRole('button', { name: 'Export' }));
  await waitFor(() => expect(onMade).toHaveBeenCalled());
  const since = expect.stringMatching(/^\d{4}-.*:00\.000Z$/);
  expect(asked).toEqual([{ of: 'deliveries', format: 'jsonl', filter: { http_status: 502, since } }]);
  expect(counted).toEqual([]);
});

test('links an export to the list with the same filters', () => {
  expect(toListLink({ of: 'deliveries', filter: { status: 'exhausted' } })).toEqual({
    to: '/deliveries',
    search: { status: 'exhausted' },
  });
  expect(toListLink({ of: 'conversations', filter: { q: 'order', status: ['failed'] } })).toMatchObject({
    to: '/conversations',
    search: { q: 'order', status: 'failed' },
  });
});

test('continues an interrupted download with the missing part', async () => {
  const asked: string[] = [];
  let isBroken = true;
  globalThis.fetch = (async (request: Request) => {
    const part = request.url.split('/').at(-1)!;
    asked.push(part);
    if (part === '2' && isBroken)
      return Response.json({ error: 'gone', code: 'service_unreachable' }, { status: 502 });
    return new Response(`part ${part}\n`);
  }) as typeof fetch;
  let had: readonly Blob[] = [];
  const tell = (parts: readonly Blob[]) => (had = parts);
  await expect(readParts({ id: 'exp_1', parts: 3 }, had, tell)).rejects.toThrow('gone');
  isBroken = false;
  const parts = await readParts({ id: 'exp_1', parts: 3 }, had, tell);
  expect(asked).toEqual(['1', '2', '2', '3']);
  expect((await Promise.all(parts.map((part) => part.text()))).join('')).toBe('part 1\npart 2\npart 3\n');
});

test('formats sizes with a unit', () => {
  expect([812, 3_400_000, 1_073_741_824].map(formatSize)).toEqual(['812 B', '3.4 MB', '1.1 GB']);
});
