import { expect, test } from '@jest/globals';
import { fireEvent, screen, within } from '@testing-library/react';
import { openAt } from './page-under-test.tsx';

const ANSWERS = {
  'GET /v1/organization': () => ({ id: 'acme', name: 'Acme', plan: 'free', limits: {}, used: {} }),
  'GET /health': () => ({ status: 'ok', version: '1', store: { ready: true } }),
};
const FLOWS: Parameters<typeof openAt>[2] = { services: ['flow-builder'], services_here: ['flow-builder'] };
const leadsTo = (name: RegExp) => screen.getByRole('link', { name }).getAttribute('href');

test('links a service to its API reference, and to its queue dashboard when one is configured', async () => {
  const queues = 'https://queues.example.com/';
  openAt('/organization', ANSWERS, { queue_dashboards: { notifications: queues } });
  const card = (await screen.findByRole('heading', { name: 'Notifications' })).closest('section')!;
  expect(await within(card).findByText('healthy')).toBeTruthy();
  expect(leadsTo(/^API reference/)).toBe('/api/notifications/docs');
  expect(leadsTo(/^OpenAPI document/)).toBe('/api/notifications/openapi.json');
  expect(leadsTo(/^Queue dashboard/)).toBe(queues);
});

test('shows no links without a credential or a configured dashboard', async () => {
  openAt('/organization', ANSWERS, { services: [], services_here: ['notifications'] });
  await screen.findByText('You are not signed in to this service.');
  for (const name of [/^API reference/, /^Queue dashboard/])
    expect(screen.queryByRole('link', { name })).toBeNull();
});

test('checks the model provider, and shows what came back for each use', async () => {
  const checks = [
    {
      provider: 'organization',
      use: 'classifier',
      status: 'ok',
      model: 'small',
      ms: 12,
      reason: null,
      message: 'It chose.',
    },
    {
      provider: 'fallback',
      use: 'extractor',
      status: 'failed',
      model: 'reader',
      ms: 5,
      reason: 'timeout',
      message: 'Too late.',
    },
    {
      provider: 'organization',
      use: 'agent',
      status: 'not_configured',
      model: null,
      ms: null,
      reason: null,
      message: 'Not set.',
    },
  ];
  const answers = { ...ANSWERS, 'POST /v1/gateway/check': () => ({ ok: false, checks }) };
  openAt('/organization', answers, FLOWS);
  fireEvent.click(await screen.findByRole('button', { name: 'Check model provider' }));
  const uses = within(await screen.findByRole('list', { name: 'Model provider' })).getAllByRole('listitem');
  expect(uses.map(({ textContent }) => textContent)).toEqual([
    'classifier works small, 12 msIt chose.',
    'fallback extractor fails reader, 5 msToo late.',
    'agent not configured Not set.',
  ]);
});

test('shows that the model provider fails', async () => {
  const classifier = { ready: false, kind: 'gateway', message: 'The provider refuses the key.' };
  const answers = { ...ANSWERS, 'GET /health': () => ({ ...ANSWERS['GET /health'](), classifier }) };
  openAt('/organization', answers, FLOWS);
  const [badge] = await screen.findAllByText('models fail');
  expect(badge!.getAttribute('title')).toBe('The provider refuses the key.');
});
