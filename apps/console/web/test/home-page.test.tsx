import { expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { SERVICES } from '../api/clients.ts';
import { openAt, type Answers } from './page-under-test.tsx';

const NONE = { items: [], next_cursor: null };
const ALL = { services: [...SERVICES], services_here: [...SERVICES] };
const enveloped = (data: object) => ({ success: true, data, meta: {} });
const refused = () => Response.json({ error: 'needs the scope admin' }, { status: 403 });
const times = { created_at: '2026-03-01T10:00:00Z', started_at: '2026-03-01T10:00:00Z' };

const hook = { id: 'wh_1', url: 'https://a.example/hook', status: 'active', disabled_reason: null };
const lastError = { at: times.created_at, status: 500, error_class: 'http_status', message: 'failed' };
const health = { deliveries: 4, success_rate: 0, p95_ms: 20, last_error: lastError };
const flow = { flow_id: 'tea', name: 'Tea order', latest_version: 3, published_version: 2, updated_at: 300 };
const published = {
  id: 'a1',
  at: 400,
  action: 'flow.published',
  actor: { kind: 'api_key', id: 'key_0123456789' },
  target: 'tea',
  details: { version: 2 },
};
const totals = { conversations: 12, minutes: 30.5, completion_rate: 0.75, latency: { e2e: { p95: 900 } } };

const answers: Answers = {
  'GET /v1/alerts': () => refused(),
  'GET /v1/webhooks': () => enveloped({ items: [{ ...hook, health }], next_cursor: null }),
  'GET /v1/conversations': ({ query }) =>
    enveloped({
      ...NONE,
      items:
        query.get('status') === 'failed' ? [{ id: 'c1', from: '+4930', end_reason: 'error', ...times }] : [],
    }),
  'GET /v1/flows': () => ({ items: [flow], next_cursor: null }),
  'GET /v1/organization': () => ({ id: 'org' }),
  'GET /v1/audit-log': ({ service }) =>
    service === 'flow-builder' ? { items: [published], next_cursor: null } : refused(),
  'GET /v1/api-keys': ({ service }) =>
    service === 'flow-builder'
      ? { items: [{ id: 'key_0123456789', name: 'Deploy' }], next_cursor: null }
      : refused(),
  'GET /v1/analytics/usage': ({ query }) => {
    const isToday = Date.parse(query.get('to')!) > Date.now();
    return enveloped({ totals: { ...totals, conversations: isToday ? 12 : 6 }, buckets: [] });
  },
  'GET /v1/analytics/performance': () => enveloped({ totals, buckets: [] }),
};

test('lists what fails, compares today with last week, and says who changed what', async () => {
  openAt('/', answers, ALL);
  const attention = await screen.findByRole('list', { name: 'Needs attention' });
  await within(attention).findByRole('link', { name: hook.url });
  expect(attention).toHaveTextContent(/failing.*HTTP 500/);
  expect(await within(attention).findByRole('link', { name: '+4930' })).toHaveAttribute(
    'href',
    '/conversations/c1',
  );
  const conversations = await screen.findByText('6 a week ago');
  expect(conversations.parentElement).toHaveTextContent('12+100 %');
  const changes = await screen.findByRole('list', { name: 'What changed' });
  expect(await within(changes).findByText('Deploy')).toBeInTheDocument();
  expect(changes).toHaveTextContent('Deploy published the flow tea v2');
  const flows = await screen.findByRole('list', { name: 'Flows' });
  expect(within(flows).getByRole('link', { name: 'Tea order' })).toHaveAttribute('href', '/flows/tea');
  expect(flows).toHaveTextContent('draft v3');
});

test('is calm when nothing fails, and hides what the key may not read', async () => {
  openAt(
    '/',
    {
      ...answers,
      'GET /v1/webhooks': () => enveloped(NONE),
      'GET /v1/conversations': () => enveloped(NONE),
      'GET /v1/audit-log': () => refused(),
    },
    ALL,
  );
  await screen.findByText(/^All clear/);
  await screen.findByRole('link', { name: 'Tea order' });
  expect(screen.queryByRole('heading', { name: 'What changed' })).toBeNull();
});

test('asks only services that the session has keys of', async () => {
  const { asked } = openAt('/', { 'GET /v1/alerts': () => NONE, 'GET /v1/audit-log': () => NONE });
  await screen.findByText(/^All clear/);
  await screen.findByText('Nothing has changed in the last year.');
  expect(new Set(asked.map(({ service }) => service))).toEqual(new Set(['notifications']));
});
