import { expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
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

test('shows that the model provider fails', async () => {
  const classifier = { ready: false, kind: 'gateway', message: 'The provider refuses the key.' };
  const answers = { ...ANSWERS, 'GET /health': () => ({ ...ANSWERS['GET /health'](), classifier }) };
  openAt('/organization', answers, FLOWS);
  const [badge] = await screen.findAllByText('models fail');
  expect(badge!.getAttribute('title')).toBe('The provider refuses the key.');
});
