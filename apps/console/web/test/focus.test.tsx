// After an action, focus is on what the action produced or on what began it, never on the body; and
// refused fields are marked.
import { afterEach, expect, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { openAt } from './page-under-test.tsx';

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

const NONE = { items: [], next_cursor: null };
const recipient = {
  user_id: 'ada',
  email: null,
  phone: null,
  locale: null,
  time_zone: null,
  chat: null,
  attributes: {},
  created_at: 1,
  updated_at: 1,
};
const template = { template_id: 'order', created_at: 1, updated_at: 1, default_locale: 'en' };
const topic = { topic_id: 'kitchen', members: 2, created_at: 1, updated_at: 2 };
const category = { id: 'news', name: 'News', required: false, created_at: 1, updated_at: 1 };

const open = (address: string) =>
  openAt(address, {
    'GET /v1/api-keys': () => ({ items: [] }),
    'GET /v1/categories': () => ({ ...NONE, items: [category] }),
    'GET /v1/notify': () => NONE,
    'GET /v1/recipients': () => ({ ...NONE, items: [recipient] }),
    'GET /v1/templates': () => ({ ...NONE, items: [{ ...template, latest_version: 1 }] }),
    'GET /v1/topics': () => ({ ...NONE, items: [topic] }),
    'GET /v1/topics/kitchen': () => topic,
    'GET /v1/topics/kitchen/members': () => ({ ...NONE, items: [{ user_id: 'ada', created_at: 1 }] }),
    'POST /v1/notify': ({ body }) =>
      (body as { dry_run: boolean }).dry_run
        ? { dry_run: true, accepted_channels: ['in_app'], preview: { in_app: { title: 'Tea' } } }
        : { notification_id: 'ntf_1', accepted_channels: ['in_app'] },
  });

test.each([
  ['/notifications/recipients', 'Create recipient'],
  ['/notifications/topics', 'Create topic'],
  ['/notifications/topics/kitchen', 'Add members'],
  ['/notifications/categories', 'Create category'],
  ['/notifications/templates', 'Create template'],
])('the dialog at %s opens on its first field and returns to “%s”', async (address, name) => {
  const { user } = open(address);
  const button = await screen.findByRole('button', { name });
  await user.click(button);
  const dialog = await screen.findByRole('dialog');
  const first = within(dialog).getAllByRole('textbox')[0]!;
  await waitFor(() => expect(first).toHaveFocus());
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await waitFor(() => expect(button).toHaveFocus());
});

test('a closed secret returns focus to what created the key', async () => {
  const { user } = openAt(
    '/keys',
    {
      'GET /v1/api-keys': () => NONE,
      'POST /v1/api-keys': () => ({ id: 'k', name: 'Deploy', key: 'fb_live_1' }),
    },
    { services: ['flow-builder'] },
  );
  const button = await screen.findByRole('button', { name: 'Create key' });
  await user.click(button);
  await user.type(await screen.findByLabelText('Name'), 'Deploy{Enter}');
  await user.click(await screen.findByRole('button', { name: 'Done' }));
  await waitFor(() => expect(button).toHaveFocus());
});

test('a page that a list opens has focus on its title', async () => {
  const { user } = open('/notifications/topics');
  await user.click(await screen.findByRole('link', { name: 'kitchen' }));
  await waitFor(() => expect(screen.getByRole('heading', { level: 1, name: 'kitchen' })).toHaveFocus());
});

test('a preview has focus, and a send is announced and leads to what was sent', async () => {
  const { user } = open('/notifications?user=ada');
  await user.type(await screen.findByLabelText('Message'), 'Tea');
  await user.click(screen.getByRole('button', { name: 'Preview' }));
  await waitFor(() => expect(screen.getByRole('region', { name: 'Preview' })).toHaveFocus());
  await user.click(screen.getByRole('button', { name: 'Send notification' }));
  await screen.findByText('Parley accepted the notification');
  await waitFor(() => expect(screen.getByRole('heading', { level: 1, name: 'Notification' })).toHaveFocus());
});

test('a field that the service refused is marked, with the reason', async () => {
  const refusal = { code: 'INVALID_REQUEST', message: 'The request is invalid.' };
  const fields = [{ path: '/url', message: 'must be a public address' }];
  const { user } = openAt(
    '/webhooks',
    {
      'GET /v1/webhooks': () => ({ success: true, data: NONE }),
      'POST /v1/webhooks': () =>
        Response.json({ success: false, error: { ...refusal, details: { fields } } }, { status: 400 }),
    },
    { services: ['voice-api'] },
  );
  await user.click(await screen.findByRole('button', { name: 'Create webhook' }));
  const url = await screen.findByLabelText('URL');
  await user.type(url, 'https://10.0.0.1/hook{Enter}');
  await waitFor(() => expect(url).toBeInvalid());
  expect(url).toHaveAccessibleDescription(/must be a public address/);
  expect(screen.getByLabelText('Description')).toBeValid();
});
