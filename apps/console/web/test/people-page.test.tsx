import { expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { SERVICES } from '../api/clients.ts';
import { openAt, type Answers } from './page-under-test.tsx';

const NONE = { items: [], next_cursor: null };
const ALL = { services: [...SERVICES], services_here: [...SERVICES] };
const enveloped = (data: object) => ({ success: true, data, meta: {} });
const call = {
  id: 'c1',
  from: '+4930901820',
  status: 'completed',
  channel: 'phone',
  direction: 'inbound',
  duration_seconds: 90,
  started_at: '2026-03-01T10:00:00Z',
  created_at: '2026-03-01T10:00:00Z',
};
const sent = {
  notification_id: 'ntf_1',
  subject: 'Your table is booked',
  channels: [{ channel: 'email', status: 'bounced' }],
  created_at: Date.parse('2026-03-02T10:00:00Z') / 1000,
};
const ada = {
  user_id: 'ada',
  email: 'ada@customer.example',
  language: 'en',
  time_zone: null,
  chat_webhook: null,
  attributes: {},
  created_at: 1,
  updated_at: 2,
};
const empty: Answers = {
  'GET /v1/alerts': ({ service }) => (service === 'voice-api' ? enveloped(NONE) : NONE),
  'GET /v1/conversations': () => enveloped(NONE),
  'GET /v1/notify': () => NONE,
};

test('shows the calls of a phone number in both directions, and erases them', async () => {
  const { user, asked } = openAt(
    `/people?who=${encodeURIComponent('+49 30 901820')}`,
    {
      ...empty,
      'GET /v1/conversations': ({ query }) =>
        enveloped({
          ...NONE,
          items: query.has('from') ? [call] : [{ ...call, id: 'c2', direction: 'outbound' }],
        }),
      'DELETE /v1/callers/tel%3A%2B4930901820': ({ query }) =>
        enveloped({ id: 'tel:+4930901820', matched: 2, complete: !query.has('dry_run'), certificate: null }),
    },
    ALL,
  );
  const timeline = await screen.findByRole('list', { name: 'Timeline' });
  await within(timeline).findByRole('link', { name: 'Call to them, 1 m 30 s' });
  expect(within(timeline).getByRole('link', { name: 'Call, 1 m 30 s' })).toHaveAttribute(
    'href',
    '/conversations/c1',
  );
  const numbers = asked.flatMap(({ query }) => [query.get('from'), query.get('to')]);
  expect(new Set(numbers.filter((one) => one !== null))).toEqual(new Set(['+4930901820']));
  await user.click(screen.getByRole('button', { name: 'Erase person' }));
  await screen.findByText(/This erases 2 conversations/);
  await user.click(screen.getByRole('button', { name: 'Erase permanently' }));
  await screen.findByText('Erased 2 conversations');
  const erasures = asked.filter(({ endpoint }) => endpoint.startsWith('DELETE /v1/callers/'));
  expect(erasures.filter(({ query }) => !query.has('dry_run'))).toHaveLength(1);
});

test('shows notifications, devices, preferences and suppressed mail of a user id', async () => {
  openAt(
    '/people?who=ada',
    {
      ...empty,
      'GET /v1/notify': ({ query }) => (query.get('user_id') === 'ada' ? { ...NONE, items: [sent] } : NONE),
      'GET /v1/recipients/ada': () => ada,
      'GET /v1/preferences': () => ({ user_id: 'ada', all: true, channels: {}, categories: [] }),
      'GET /v1/push/registrations': () => ({
        ...NONE,
        items: [{ sub_id: 's', endpoint_host: 'push.example', created_at: 1 }],
      }),
      'GET /v1/suppressions': ({ query }) => ({
        ...NONE,
        items: query.get('email') === ada.email ? [{ id: 'sup', reason: 'hard_bounce', created_at: 1 }] : [],
      }),
    },
    ALL,
  );
  await screen.findByRole('link', { name: 'Your table is booked' });
  await screen.findByText('push.example');
  expect(await screen.findByText('no mail')).toHaveClass('text-bad');
  await screen.findByRole('heading', { name: 'Preferences' });
  expect(screen.getByRole('link', { name: 'Edit recipient' })).toHaveAttribute(
    'href',
    '/notifications/recipients/ada',
  );
});

test('lists recent callers, and says that a legal hold keeps conversations', async () => {
  const caller = {
    id: 'id:4711',
    conversations: 3,
    languages: ['de'],
    last_at: '2026-03-01T10:00:00Z',
  };
  const held = { id: 'id:4711', matched: 3, held: 1, complete: false, certificate: null };
  const { user } = openAt(
    '/people',
    {
      ...empty,
      'GET /v1/callers': () => enveloped({ ...NONE, items: [caller] }),
      'DELETE /v1/callers/id%3A4711': () => enveloped(held),
    },
    { services: ['voice-api'], services_here: ['voice-api'] },
  );
  await user.click(await screen.findByRole('link', { name: '4711' }));
  await user.click(await screen.findByRole('button', { name: 'Erase person' }));
  await screen.findByText(/1 of them have a legal hold/);
});

test('says that nothing was found, and names a service that fails', async () => {
  openAt('/people?who=nobody', { ...empty, 'GET /v1/notify': () => refused() }, ALL);
  await screen.findByText('No recipient with this id.');
  await screen.findByText('Nothing found');
  await screen.findByText('the service does not answer');
});

const refused = () => Response.json({ error: 'the service does not answer' }, { status: 400 });
