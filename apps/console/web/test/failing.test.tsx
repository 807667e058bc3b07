// What fails looks as if it fails, in the lists of webhooks and deliveries.
import { afterEach, expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { openAt, type Answers } from './page-under-test.tsx';

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

const AT = '2026-11-27T06:00:00.000Z';
const page = (items: readonly object[]) => ({ success: true, data: { items, next_cursor: null } });
const open = (address: string, answers: Answers) => openAt(address, answers, { services: ['voice-api'] });

const webhook = (id: string, more: object = {}) => ({
  id,
  url: `https://${id}.example/hook`,
  events: ['*'],
  description: null,
  created_at: AT,
  status: 'active',
  disabled_reason: null,
  ...more,
});
const failure = { at: AT, error_class: 'http_status', status: 500, message: 'answered 500' };
const health = (success_rate: number | null, last_error: object | null) => ({
  deliveries: 4,
  success_rate,
  p95_ms: null,
  last_error,
});

test('a webhook that delivers nothing is red in the list, with its last error', async () => {
  const states = {
    broken: health(0, failure),
    fine: health(1, failure),
    idle: health(null, null),
    off: health(0, failure),
  };
  const hooks = Object.entries(states).map(([id, state]) =>
    webhook(id, {
      ...(id === 'off' ? { status: 'disabled', disabled_reason: '410 Gone' } : {}),
      health: state,
    }),
  );
  open('/webhooks', { 'GET /v1/webhooks': () => page(hooks) });
  const failing = await screen.findByText('failing');
  expect(failing).toHaveClass('text-bad');
  const row = (id: string) => screen.getByRole('row', { name: new RegExp(`${id}\\.example`) });
  expect(row('broken')).toHaveTextContent(/failing.*HTTP 500.*0 %/);
  expect(row('fine')).toHaveTextContent(/active.*100 %/);
  expect(row('fine')).not.toHaveTextContent('HTTP 500');
  expect(row('idle')).toHaveTextContent(/active.*–/);
  expect(row('off')).toHaveTextContent(/disabled.*410 Gone/);
});

test('a delivery that is retried says how often, and why', async () => {
  const delivery = (id: string, more: object) => ({
    id,
    webhook_id: 'whk_1',
    event_id: 'evt_1',
    event: `event.${id}`,
    kind: 'event',
    status: 'pending',
    attempts: 0,
    next_attempt_at: AT,
    replay_of: null,
    created_at: AT,
    finished_at: null,
    last_failure: null,
    ...more,
  });
  open('/deliveries', {
    'GET /v1/webhooks': () => page([]),
    'GET /v1/deliveries': () =>
      page([
        delivery('a', { attempts: 3, last_failure: { status: 500, error_class: 'http_status' } }),
        delivery('b', { status: 'exhausted', last_failure: { status: null, error_class: 'dns_error' } }),
        delivery('c', {}),
      ]),
  });
  await screen.findByText(/Retrying/);
  const row = (id: string) => screen.getByRole('row', { name: new RegExp(`event\\.${id}`) });
  expect(row('a')).toHaveTextContent('Retrying (3 of 6)HTTP 500');
  expect(within(row('a')).getByText(/Retrying/)).toHaveClass('text-warn');
  expect(row('b')).toHaveTextContent('exhausteddns error');
  expect(row('c')).toHaveTextContent(/^pending/);
});
