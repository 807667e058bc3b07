// Applications are created, renamed and deleted, and their portal links shown.
import { afterEach, expect, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { openAt } from '../test/page-under-test.tsx';

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

const SHOP = {
  id: 'shop-1042',
  name: 'Corner shop',
  created_at: '2026-11-28T10:00:00.000Z',
  updated_at: '2026-11-28T10:00:00.000Z',
};
const LINK = {
  token: 'ptl_1',
  url: 'https://voice.example/portal#token=ptl_1',
  scopes: ['read'],
  expires_at: '2026-11-28T11:00:00.000Z',
};
const data = (value: object) => ({ success: true, data: value });

const open = (items: readonly object[] = [SHOP], link: object = LINK) =>
  openAt(
    '/applications',
    {
      'GET /v1/applications': () => data({ items, next_cursor: null }),
      'GET /v1/applications/shop-1042': () => data(SHOP),
      'PUT /v1/applications/shop-1042': () => data(SHOP),
      'PUT /v1/applications/bank': () => data({ ...SHOP, id: 'bank' }),
      'DELETE /v1/applications/shop-1042': () => data({ id: SHOP.id, deleted: true, webhooks: 2 }),
      'POST /v1/applications/shop-1042/portal-links': () => data(link),
      'DELETE /v1/applications/shop-1042/portal-links': () => data({ id: SHOP.id, revoked: true }),
      'GET /v1/webhooks': () => data({ items: [], next_cursor: null }),
    },
    { services: ['voice-api'], services_here: ['voice-api'] },
  );
const submit = (name: string) => screen.getAllByRole('button', { name }).at(-1)!;

test('the empty page says what an application is for, and creates one', async () => {
  const { user, bodies } = open([]);
  await screen.findByText('No applications yet');
  await user.click(await screen.findByRole('button', { name: 'Create application' }));
  await user.type(screen.getByLabelText('Id'), 'shop-1042');
  await user.type(screen.getByLabelText('Name'), 'Bank');
  await user.click(submit('Create application'));
  await screen.findByText('The id shop-1042 is taken. Choose another one.');
  expect(bodies('PUT /v1/applications/shop-1042')).toEqual([]);
  await user.clear(screen.getByLabelText('Id'));
  await user.type(screen.getByLabelText('Id'), 'bank');
  await user.click(submit('Create application'));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(bodies('PUT /v1/applications/bank')).toEqual([{ name: 'Bank' }]);
});

test('a portal link is opened in a page of its own', async () => {
  const { user, bodies } = open();
  await user.click(await screen.findByRole('button', { name: 'Open portal Corner shop' }));
  await user.selectOptions(screen.getByLabelText('Expires after'), '8 hours');
  await user.click(screen.getByLabelText('Read only'));
  await user.click(screen.getByRole('button', { name: 'Create link' }));
  const link = await screen.findByRole('link', { name: 'Open portal' });
  expect(link.getAttribute('href')).toBe(LINK.url);
  expect(link.getAttribute('rel')).toBe('noreferrer');
  expect(bodies('POST /v1/applications/shop-1042/portal-links')).toEqual([
    { expires_in_seconds: 28_800, read_only: true, appearance: {} },
  ]);
});

test('without a public address the token is shown, and what is missing', async () => {
  const { user } = open([SHOP], { ...LINK, url: null });
  await user.click(await screen.findByRole('button', { name: 'Open portal Corner shop' }));
  await user.click(screen.getByRole('button', { name: 'Create link' }));
  await screen.findByText(/set PUBLIC_URL/);
  expect(screen.getByText('ptl_1')).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'Open portal' })).toBeNull();
});

test('an application is renamed, its links revoked, and it is deleted after a confirmation', async () => {
  const { user, bodies } = open();
  await user.click(await screen.findByRole('button', { name: 'Rename Corner shop' }));
  await user.clear(screen.getByLabelText('Name'));
  await user.type(screen.getByLabelText('Name'), 'Big shop');
  await user.click(screen.getByRole('button', { name: 'Rename application' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(bodies('PUT /v1/applications/shop-1042')).toEqual([{ name: 'Big shop' }]);
  await user.click(screen.getByRole('button', { name: 'Revoke links Corner shop' }));
  await user.click(screen.getByRole('button', { name: 'Revoke links' }));
  await waitFor(() => expect(bodies('DELETE /v1/applications/shop-1042/portal-links')).toHaveLength(1));
  await user.click(await screen.findByRole('button', { name: 'Delete Corner shop' }));
  expect(bodies('DELETE /v1/applications/shop-1042')).toHaveLength(0);
  await user.click(screen.getByRole('button', { name: 'Delete application' }));
  await waitFor(() => expect(bodies('DELETE /v1/applications/shop-1042')).toHaveLength(1));
});

test('its webhooks are a filter of the list of webhooks', async () => {
  const { user, asked, address } = open();
  await user.click(await screen.findByRole('link', { name: 'Show webhooks of Corner shop' }));
  await screen.findByText('No matching webhooks');
  expect(address()).toBe('/webhooks?application=shop-1042');
  const listed = asked.filter(({ endpoint }) => endpoint === 'GET /v1/webhooks').at(-1)!;
  expect(listed.query.get('application_id')).toBe('shop-1042');
});
