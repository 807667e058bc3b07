// A key that may only read walks through the pages: nothing is offered that a service would refuse.
import { afterEach, expect, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { SERVICES } from '../api/clients.ts';
import { openAt, type Answers } from './page-under-test.tsx';

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

const AT = '2026-01-15T12:00:00.000Z';
const SECONDS = 1_767_225_600;
const both = (body: object) => ({ ...body, success: true, data: body });
const page = (...items: object[]) => both({ items, next_cursor: null });

const WEBHOOK = {
  id: 'wh_1',
  external_id: 'crm',
  url: 'https://example.com/hook',
  events: ['*'],
  filter: null,
  description: null,
  status: 'disabled',
  disabled_at: AT,
  disabled_reason: 'gone',
  secret_hint: 'abcd',
  public_key: null,
  previous_secret_until: null,
  headers: null,
  ordered: false,
  health: { deliveries: 0, success_rate: null, p95_ms: null, last_error: null },
  created_at: AT,
};
const CALL = {
  id: 'call-1',
  bot_id: null,
  status: 'completed',
  channel: 'phone',
  from: '+49301234',
  started_at: AT,
  created_at: AT,
  ended_at: AT,
  duration_seconds: 9,
  turn_count: 0,
  end_reason: null,
  error: null,
  metadata: {},
  tags: [],
};
const TEMPLATE = {
  template_id: 'order',
  version: 2,
  latest_version: 2,
  published_version: 1,
  default_locale: 'en',
  locales: [{ locale: 'en', message: 'Hello' }],
  created_at: SECONDS,
  updated_at: SECONDS,
};
const RECIPIENT = {
  user_id: 'ada',
  email: null,
  chat_webhook: null,
  language: null,
  time_zone: null,
  attributes: {},
  created_at: SECONDS,
  updated_at: SECONDS,
};
const TOPIC = { topic_id: 'kitchen', members: 1, created_at: SECONDS, updated_at: SECONDS };

const ANSWERS: Answers = {
  'GET /v1/webhooks': () => page(WEBHOOK),
  'GET /v1/webhooks/wh_1': () => both(WEBHOOK),
  'GET /v1/webhooks/wh_1/deliveries': () => page(),
  'GET /v1/conversations': () => page(CALL),
  'GET /v1/conversations/call-1': () => both(CALL),
  'GET /v1/bots': () => page(),
  'GET /v1/topics': () => page(TOPIC),
  'GET /v1/topics/kitchen': () => TOPIC,
  'GET /v1/topics/kitchen/members': () => page({ user_id: 'ada', created_at: SECONDS }),
  'GET /v1/templates': () => page(TEMPLATE),
  'GET /v1/templates/order': () => TEMPLATE,
  'GET /v1/recipients': () => page(RECIPIENT),
  'GET /v1/recipients/ada': () => RECIPIENT,
  'GET /v1/categories': () => page({ id: 'news', name: 'News', description: null, required: false }),
  'GET /v1/suppressions': () =>
    page({ id: 's1', email: 'a@example.com', reason: 'bounce', source: 'smtp', detail: null, created_at: 1 }),
};

const withKey = (...scopes: string[]): Answers => ({
  ...ANSWERS,
  'GET /v1/api-keys/me': () => both({ scopes, bot_ids: [] }),
});

const EVERYWHERE = { services: [...SERVICES], services_here: [...SERVICES] };
const open = (address: string, answers: Answers) => openAt(address, answers, EVERYWHERE);

/** Per page: a text that shows that it has loaded, and what a key with all scopes is offered. */
const PAGES: Readonly<Record<string, { readonly shows: string | RegExp; readonly offers: string[] }>> = {
  '/webhooks': { shows: 'https://example.com/hook', offers: ['Create webhook'] },
  '/webhooks/wh_1': {
    shows: 'Declared as crm',
    offers: ['Send test event', 'Replay deliveries', 'Enable webhook'],
  },
  '/webhooks/wh_1?tab=settings': {
    shows: 'Secret',
    offers: ['Save', 'Rotate secret', 'Edit headers', 'Delete webhook'],
  },
  '/conversations/call-1': { shows: 'Turns', offers: ['Edit', 'Delete'] },
  '/agents': { shows: 'No agents yet', offers: ['Create agent'] },
  '/people?who=ada': { shows: 'ada', offers: ['Erase person'] },
  '/notifications/topics': { shows: 'kitchen', offers: ['Create topic'] },
  '/notifications/topics/kitchen': {
    shows: 'ada',
    offers: ['Add members', 'Remove members', 'Delete topic', 'Remove ada'],
  },
  '/notifications/templates': { shows: 'order', offers: ['Create template'] },
  '/notifications/templates/order': {
    shows: 'Version 2',
    offers: ['Publish version 2', 'Delete template', 'Save version'],
  },
  '/notifications/recipients': { shows: 'ada', offers: ['Create recipient'] },
  '/notifications/recipients/ada': {
    shows: 'View timeline',
    offers: ['Edit', 'Delete recipient', 'Create link'],
  },
  '/notifications/categories': { shows: 'News', offers: ['Create category', 'Edit News', 'Delete News'] },
  '/notifications/suppressions': { shows: 'a@example.com', offers: ['Delete a@example.com'] },
};

const offered = (name: string) => screen.queryAllByRole('button', { name }).length > 0;

test.each(Object.entries(PAGES))('%s offers what the key may do', async (address, { shows, offers }) => {
  open(address, withKey('admin'));
  await waitFor(() => expect(offers.filter((name) => !offered(name))).toEqual([]), { timeout: 10_000 });
  await screen.findAllByText(shows);
});

test.each(Object.entries(PAGES))('%s offers a read key nothing else', async (address, { shows, offers }) => {
  const { asked } = open(address, withKey('read'));
  await screen.findAllByText(shows);
  await waitFor(() => expect(asked.some(({ endpoint }) => endpoint === 'GET /v1/api-keys/me')).toBe(true));
  expect(offers.filter(offered)).toEqual([]);
  expect(screen.queryByRole('checkbox', { name: /^Select/ })).toBeNull();
});

test('the menu has only the pages that the key may open', async () => {
  open('/people', withKey('read'));
  const menu = within(await screen.findByRole('navigation', { name: 'Main' }));
  await waitFor(() => expect(menu.queryByRole('link', { name: 'API keys' })).toBeNull());
  for (const name of ['Alerts', 'Audit log', 'Models']) expect(menu.queryByRole('link', { name })).toBeNull();
  for (const name of ['Home', 'Flows', 'Webhooks']) expect(menu.getByRole('link', { name })).toBeVisible();
});

test.each(['/keys', '/models', '/alerts', '/organization/audit-log', '/notifications'])(
  '%s says which scope it needs, and asks no service',
  async (address) => {
    const { asked } = open(address, withKey('read'));
    await screen.findByText('Your key may not open this page');
    const refused = asked
      .map(({ endpoint }) => endpoint)
      .filter((one) => /api-keys$|audit-log|gateway/.test(one));
    expect(refused).toEqual([]);
  },
);

test('a person of the identity provider is offered what the token allows', async () => {
  const { asked } = openAt('/notifications/categories', ANSWERS, {
    with: 'identity',
    services: [...SERVICES],
    services_here: [...SERVICES],
    scopes: { 'flow-builder': ['read'], 'voice-api': ['read'], notifications: ['read', 'write'] },
  });
  await screen.findAllByText('News');
  expect(['Create category', 'Edit News', 'Delete News'].map(offered)).toEqual([true, true, false]);
  const menu = within(screen.getByRole('navigation', { name: 'Main' }));
  for (const name of ['Alerts', 'Audit log', 'API keys'])
    expect(menu.queryByRole('link', { name })).toBeNull();
  expect(asked.filter(({ endpoint }) => endpoint === 'GET /v1/api-keys/me')).toEqual([]);
});

test('a person without the scope is not sent to another key', async () => {
  openAt('/keys', ANSWERS, {
    with: 'identity',
    services: [...SERVICES],
    services_here: [...SERVICES],
    scopes: { 'flow-builder': ['read'], 'voice-api': ['read'], notifications: ['read'] },
  });
  await screen.findByText('You may not open this page');
  expect(screen.queryByRole('link', { name: 'Sign in with another key' })).toBeNull();
});

test('a key with the scope at one service opens a page of all of them', async () => {
  const only = (service: string): Answers => ({
    ...ANSWERS,
    'GET /v1/api-keys': () => page(),
    'GET /v1/api-keys/me': (one) =>
      both({ scopes: [one.service === service ? 'admin' : 'read'], bot_ids: [] }),
  });
  const { user } = open('/keys?service=notifications', only('notifications'));
  await screen.findByText('No keys yet');
  await user.click(screen.getByRole('link', { name: 'Flow builder' }));
  await screen.findByText('Your key may not open this page');
});
