import { afterEach, expect, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { openAt } from '../test/page-under-test.tsx';

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

const list = (items: readonly object[]) => ({ success: true, data: { items, next_cursor: null } });
const PATH = '/v1/conversations/import/retell/imp_new';

const open = () =>
  openAt(
    '/keys?service=voice-api',
    {
      'GET /v1/api-keys': () => list([]),
      'GET /v1/import-tokens': () => list([TOKEN]),
      'POST /v1/import-tokens': () => ({ success: true, data: { ...TOKEN, token: 'imp_new', path: PATH } }),
      'DELETE /v1/import-tokens/imp_1': () => ({ success: true, data: TOKEN }),
    },
    { services: ['voice-api'], services_here: ['voice-api'] },
  );

test('creates a token of a vendor and shows its path once', async () => {
  const { user, bodies } = open();
  await user.click(await screen.findByRole('button', { name: 'Create import token' }));
  await user.type(screen.getByLabelText('Name'), 'Calls');
  await user.selectOptions(screen.getByLabelText('Vendor'), 'retell');
  await user.type(screen.getByLabelText('Secret'), 'key_1');
  await user.click(screen.getAllByRole('button', { name: 'Create import token' }).at(-1)!);
  expect((await screen.findByTestId('secret')).textContent).toBe(PATH);
  expect(bodies('POST /v1/import-tokens')).toEqual([{ name: 'Calls', source: 'retell', secret: 'key_1' }]);
});

test('revokes a token after a confirmation', async () => {
  const { user, bodies } = open();
  await user.click(await screen.findByRole('button', { name: 'Revoke import token Old' }));
  expect(bodies('DELETE /v1/import-tokens/imp_1')).toHaveLength(0);
  await user.click(screen.getByRole('button', { name: 'Revoke import token' }));
  await waitFor(() => expect(bodies('DELETE /v1/import-tokens/imp_1')).toHaveLength(1));
});
