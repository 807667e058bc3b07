// Plans and caps (docs/platform.md#plans-and-limits) as a caller of this service meets them.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { apiClient } from '@parley/app-testkit';
import { setOrganization } from '@parley/organizations';
import { eventually } from '@parley/testkit';
import { openEventStream } from './event-stream.ts';
import { startNotifications, type NotificationsUnderTest } from './service.ts';

jest.setTimeout(60_000);

let service: NotificationsUnderTest;
let url: string;
beforeAll(async () => {
  service = await startNotifications();
  url = service.server.url;
});
afterAll(() => service.stop());

const clientOf = async (organizationId: string) =>
  apiClient(service.server.url, await service.issueKey(organizationId));
const describeAs = (organizationId: string, change: Parameters<typeof setOrganization>[2]) =>
  setOrganization(service.deps.sql, organizationId, change, service.deps.clock());

test('GET /v1/organization says what the plan allows and what is used', async () => {
  await describeAs('shown', { name: 'Shown', plan: 'pro' });
  const shown = await (await clientOf('shown')).get('/v1/organization').expect(200);
  expect(shown.body).toEqual({
    id: 'shown',
    name: 'Shown',
    plan: 'pro',
    limits: {
      requests_per_minute: 120_000,
      concurrent_connections: 1_000,
      api_keys: 1_000,
      push_registrations: 1_000_000,
      recipients: 1_000_000,
      categories: 200,
      templates: 1_000,
      topic_members: 1_000_000,
      topics: 10_000,
      versions_per_template: 1_000,
      event_streams: 2_000,
      event_streams_per_reader: 20,
    },
    used: { api_keys: 1, categories: 0, templates: 0, topics: 0 }, // a million registrations are not counted for a look
  });
});

test('a plan’s requests are counted here too', async () => {
  const api = await clientOf('busy');
  await describeAs('busy', { requestsPerMinute: 1 });
  await eventually(async () => (await api.get('/v1/notifications')).status === 429);
  const refused = await api.get('/v1/notifications').expect(429);
  expect((refused.body as { error: string }).error).toMatch(/may make 1 requests in any 60 s/);
  await (await clientOf('neighbour')).get('/v1/notifications').expect(200);
});

test('an open stream takes the place of no request; an organisation has so many streams, and no other organisation’s', async () => {
  await describeAs('listening', { concurrentConnections: 1 });
  const key = await service.issueKey('listening');
  const headers = { authorization: `Bearer ${key}` };
  const stream = await openEventStream(`${url}/v1/notifications/stream?user_id=ann`, headers);
  expect(stream.status).toBe(200);
  await apiClient(url, key).get('/v1/notifications').expect(200);

  const allowed = { ofOrganization: 1, ofReader: 20 };
  const admit = (organizationId: string) => () =>
    service.deps.inboxHub.admit({ organizationId, userId: 'bob' }, allowed);
  expect(admit('listening')).toThrow(/too many streams are open of this organisation: 1 of 1/);
  expect(admit('another')).not.toThrow();
  stream.close();
});
