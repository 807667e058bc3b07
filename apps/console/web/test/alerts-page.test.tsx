import { expect, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { SERVICES } from '../api/clients.ts';
import { openAt, type Answers, type SentRequest } from './page-under-test.tsx';

const NONE = { items: [], next_cursor: null };
const ALL = { services: [...SERVICES], services_here: [...SERVICES] };
const enveloped = (data: object) => ({ success: true, data, meta: {} });
const refused = (status: number) => Response.json({ error: 'needs the scope admin' }, { status });

/** `openedS`: Unix seconds. */
function alert(id: string, openedS: number, more: object = {}) {
  return {
    id,
    kind: 'storage_almost_full',
    severity: 'warning',
    title: 'Storage is almost full',
    subject: id,
    message: `Message of ${id}.`,
    status: 'open',
    opened_at: openedS,
    last_raised_at: openedS,
    acknowledged_at: null,
    acknowledged_by: null,
    resolved_at: null,
    ...more,
  };
}
const inVoice = (id: string, openedS: number, more: object = {}) => {
  const at = new Date(openedS * 1000).toISOString();
  return { ...alert(id, openedS, more), opened_at: at, last_raised_at: at };
};

/** `lists`: the alert list of each service. Services without an entry answer 403. */
function open(address: string, lists: Record<string, (asked: SentRequest) => object>, more: Answers = {}) {
  return openAt(
    address,
    {
      'GET /v1/alerts': (asked) => lists[asked.service]?.(asked) ?? refused(403),
      ...more,
    },
    ALL,
  );
}

const messages = async () => {
  const table = await screen.findByRole('region', { name: 'Alerts' });
  return within(table)
    .getAllByText(/^Message of/)
    .map(({ textContent }) => textContent);
};

test('merges the alerts of all services, newest first, and counts them in the menu', async () => {
  const { asked } = open('/alerts', {
    'flow-builder': () => ({ items: [alert('old', 100)], next_cursor: null }),
    'voice-api': () =>
      enveloped({
        items: [inVoice('wh_1', 300, { kind: 'webhook_failing', title: 'A webhook is failing' })],
        next_cursor: null,
      }),
    notifications: () => ({ items: [alert('middle', 200)], next_cursor: null }),
  });
  await screen.findByRole('link', { name: 'Alerts 3 open' });
  expect(await messages()).toEqual(['Message of wh_1.', 'Message of middle.', 'Message of old.']);
  const webhook = screen.getByRole('link', { name: 'A webhook is failing' });
  expect(webhook.getAttribute('href')).toBe('/webhooks/wh_1');
  const lists = asked.filter(({ endpoint }) => endpoint === 'GET /v1/alerts');
  // The menu and the page share one request.
  expect(lists.map(({ service, query }) => [service, query.get('status')])).toEqual(
    SERVICES.map((service) => [service, 'open']),
  );
});

test('removes an acknowledged alert from the open ones and lowers the count', async () => {
  const acknowledged: string[] = [];
  const { user } = open(
    '/alerts',
    {
      'flow-builder': () => NONE,
      'voice-api': () => enveloped(NONE),
      notifications: () => ({
        ...NONE,
        items: [alert('a', 200), alert('b', 100)].filter(({ id }) => !acknowledged.includes(id)),
      }),
    },
    {
      'PUT /v1/alerts/a/acknowledgement': ({ service }) => {
        expect(service).toBe('notifications');
        acknowledged.push('a');
        return alert('a', 200, { status: 'acknowledged' });
      },
    },
  );
  await screen.findByRole('link', { name: 'Alerts 2 open' });
  await user.click(
    (await screen.findAllByRole('button', { name: 'Acknowledge Storage is almost full' }))[0]!,
  );
  await screen.findByRole('link', { name: 'Alerts 1 open' });
  expect(await messages()).toEqual(['Message of b.']);
  await screen.findByText('Acknowledged: Storage is almost full');
});

test('names a service that fails and keeps the alerts of the others', async () => {
  open('/alerts', {
    'voice-api': () => enveloped({ items: [inVoice('v', 300)], next_cursor: null }),
    notifications: () => Response.json({ error: 'the service does not answer' }, { status: 400 }),
  });
  expect(await messages()).toEqual(['Message of v.']);
  const away = await screen.findByRole('region', { name: 'Notifications' });
  expect(away.textContent).toContain('the service does not answer');
  const closed = await screen.findByRole('region', { name: 'Flow builder' });
  expect(closed.textContent).toContain('Not allowed: needs the scope admin');
});

test('asks once without the admin scope, says so, and shows no count', async () => {
  const { asked } = open('/alerts', {});
  await screen.findByText('Alerts are for administrators');
  expect(screen.getByRole('link', { name: 'Alerts' })).toBeTruthy();
  expect(asked.filter(({ endpoint }) => endpoint === 'GET /v1/alerts')).toHaveLength(SERVICES.length);
});

test('explains an empty list', async () => {
  open('/alerts', {
    'flow-builder': () => NONE,
    'voice-api': () => enveloped(NONE),
    notifications: () => NONE,
  });
  await screen.findByText('No open alerts');
  await screen.findByText(/An alert reports a problem with the platform/);
});

test('shows when alerts were resolved, and loads older ones without a gap', async () => {
  const { user } = open('/alerts?status=resolved', {
    'flow-builder': ({ query }) =>
      query.get('status') === 'open'
        ? NONE
        : { items: [alert('f', 50, { status: 'resolved', resolved_at: 400 })], next_cursor: null },
    'voice-api': () => enveloped(NONE),
    notifications: ({ query }) => {
      if (query.get('status') === 'open') return NONE;
      return query.get('cursor') === 'next'
        ? { items: [alert('n2', 80, { status: 'resolved', resolved_at: 90 })], next_cursor: null }
        : { items: [alert('n1', 100, { status: 'resolved', resolved_at: 110 })], next_cursor: 'next' };
    },
  });
  // "f" is older than what notifications has not shown yet.
  await waitFor(async () => expect(await messages()).toEqual(['Message of n1.']));
  await user.click(await screen.findByRole('button', { name: 'Load more' }));
  await waitFor(async () =>
    expect(await messages()).toEqual(['Message of n1.', 'Message of n2.', 'Message of f.']),
  );
  expect(screen.queryByRole('button', { name: /^Acknowledge/ })).toBeNull();
});
