import { afterEach, expect, test } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { makeQueryClient } from '../api/query-client.ts';
import { ImportTokens } from './import-tokens.tsx';

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

const TOKEN = {
  id: 'imp_1',
  name: 'Old',
  source: 'vapi',
  display: 'imp_abc…',
  has_secret: false,
  created_at: '2026-01-15T12:00:00.000Z',
  created_by: 'key_1',
  last_used_at: null,
};

/** Renders the section and returns the requests that change something. */
function open(): string[] {
  const changes: string[] = [];
  globalThis.fetch = (async (request: Request) => {
    if (request.method === 'GET')
      return Response.json({ success: true, data: { items: [TOKEN], next_cursor: null } });
    changes.push(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`);
    const path = '/v1/conversations/import/retell/imp_new';
    return Response.json({ success: true, data: { ...TOKEN, token: 'imp_new', path } });
  }) as typeof fetch;
  render(
    <QueryClientProvider client={makeQueryClient()}>
      <ImportTokens />
    </QueryClientProvider>,
  );
  return changes;
}

test('creates a token of a vendor and shows its path once', async () => {
  const changes = open();
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Create import token' }));
  await user.type(screen.getByLabelText('Name'), 'Calls');
  await user.selectOptions(screen.getByLabelText('Vendor'), 'retell');
  await user.type(screen.getByLabelText('Secret'), 'key_1');
  await user.click(screen.getAllByRole('button', { name: 'Create import token' }).at(-1)!);
  expect((await screen.findByTestId('secret')).textContent).toBe('/v1/conversations/import/retell/imp_new');
  expect(changes).toEqual([
    expect.stringMatching(/^POST .*\/import-tokens \{"name":"Calls","source":"retell","secret":"key_1"\}$/),
  ]);
});

test('revokes a token after a confirmation', async () => {
  const changes = open();
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Revoke import token Old' }));
  expect(changes).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Revoke import token' }));
  expect(changes).toEqual([expect.stringMatching(/^DELETE .*\/import-tokens\/imp_1 $/)]);
});
