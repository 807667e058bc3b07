// Plans and caps (docs/platform.md#plans-and-limits) at the interface of this service.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { apiClient } from '@parley/testing-services';
import { setOrganization } from '@parley/server/organizations';
import { eventually } from '@parley/testing';
import { openEventStream } from './event-stream.ts';
import { readBody, startNotifications, type NotificationsUnderTest } from './service.ts';

jest.setTimeout(60_000);

let service: NotificationsUnderTest;
let url: string;
beforeAll(async () => {
  service = await startNotifications();
  url = service.server.url;
});
afterAll(() => service.stop());

const createClient = async (organizationId: string) =>
  apiClient(service.server.url, await service.issueKey(organizationId));
const describeAs = (organizationId: string, change: Parameters<typeof setOrganization>[2]) =>
  setOrganization(service.deps.sql, organizationId, change, service.deps.clock());

test('GET /v1/organization returns the limits of the plan and their use', async () => {
  await describeAs('shown', { name: 'Shown', plan: 'pro' });
  const organization = await (await createClient('shown')).get('/v1/organization').expect(200);
  expect(organization.body).toEqual({
    id: 'shown',
    name: 'Shown',
    plan: 'pro',
    limits: {
      requests_per_minute: 120_000,
      concurrent_connections: 1_000,
      notify_per_minute: 300_000,
      storage_bytes: 100_000_000_000,
      api_keys: 1_000,
      push_registrations: 1_000_000,
      recipients: 1_000_000,
      categories: 200,
      templates: 1_000,
      topic_members: 1_000_000,
      topics: 10_000,
      versions_per_template: 1_000,
      workflows: 1_000,
      suppressions: 1_000_000,
      recurring_sends: 1_000,
      versions_per_workflow: 1_000,
      event_streams: 2_000,
      event_streams_per_reader: 20,
    },
    // registrations may be a million and are not counted here
    used: {
      storage_bytes: 0,
      api_keys: 1,
      categories: 0,
      templates: 0,
      topics: 0,
      workflows: 0,
      recurring_sends: 0,
    },
  });
});

test('the rate limit of the plan applies', async () => {
  const api = await createClient('busy');
  await describeAs('busy', { requestsPerMinute: 1 });
  await eventually(async () => (await api.get('/v1/notifications')).status === 429);
  const refused = await api.get('/v1/notifications').expect(429);
  expect((refused.body as { error: string }).error).toMatch(/may make 1 requests in any 60 s/);
  await (await createClient('neighbour')).get('/v1/notifications').expect(200);
});

test('with its storage full an organisation can read and delete, and stores nothing more', async () => {
  const api = await createClient('full');
  const send = { channels: ['in_app'], message: 'Hello', target: { in_app: { user_id: 'ann' } } };
  await api.post('/v1/notify', send).expect(202);
  const template = { default_locale: 'en', locales: [{ locale: 'en', message: 'x' }] };
  await api.put('/v1/templates/kept', template).expect(201);
  await describeAs('full', { storageBytes: 1 });
  await eventually(async () => (await api.post('/v1/notify', send)).status === 422);
  const refused = await api.post('/v1/notify/bulk', { sends: [send] }).expect(422);
  expect((refused.body as { error: string }).error).toMatch(
    /^The organization uses \d+ of 1 bytes of storage\. Delete/,
  );
  await api.put('/v1/templates/kept', template).expect(422);
  await api.get('/v1/notify').expect(200);
  await api.delete('/v1/templates/kept').expect(204);
  await (await createClient('neighbour')).post('/v1/notify', send).expect(202);
});

describe('sends per minute', () => {
  const send = { channels: ['in_app'], message: 'Hello', target: { in_app: { user_id: 'ann' } } };
  const bulk = (count: number, wrong = 0) => ({
    sends: [...Array<object>(count).fill(send), ...Array<object>(wrong).fill({ message: 'nowhere' })],
  });
  /** An organisation with this limit, once this replica has received it. */
  async function allowed(organizationId: string, notifyPerMinute: number) {
    const api = await createClient(organizationId);
    await api.post('/v1/notify', { ...send, dry_run: true }).expect(200);
    await describeAs(organizationId, { notifyPerMinute });
    await eventually(async () => {
      const organization = (await readBody(api.get('/v1/organization').expect(200))) as { limits: object };
      return (
        'notify_per_minute' in organization.limits &&
        organization.limits.notify_per_minute === notifyPerMinute
      );
    });
    // the longest delay of a change between replicas
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    return api;
  }
  const left = ({ headers }: { headers: Record<string, string> }) =>
    Number(/"notify";r=(\d+)/.exec(headers['ratelimit'] ?? '')?.[1]);

  test('a call counts what it accepts, and nothing else counts', async () => {
    const api = await allowed('sending', 10);
    const first = await api.post('/v1/notify', send).expect(202);
    expect(first.headers['ratelimit-policy']).toMatch(
      /^"starter";q=30000;.*, "notify";q=10;w=60;qu="sends"$/,
    );
    expect(first.headers['x-ratelimit-limit']).toBe('30000');
    expect(left(first)).toBe(9);
    await api.post('/v1/notify', { ...send, dry_run: true }).expect(200);
    await api.post('/v1/notify', { ...send, message: '' }).expect(400);
    const key = { 'idempotency-key': 'once' };
    expect(left(await api.post('/v1/notify/bulk', bulk(3, 2)).set(key).expect(202))).toBe(6);
    await api.post('/v1/notify/bulk', bulk(3, 2)).set(key).expect(202);
    await api.put('/v1/topics/news/members', { user_ids: ['ann', 'bob', 'eve'] }).expect(200);
    const topic = { channels: ['in_app'], message: 'News', target: { topic_id: 'news' } };
    expect(left(await api.post('/v1/notify', topic).expect(202))).toBe(5);
    expect(left(await api.post('/product/v1/notifications/send', send).expect(202))).toBe(4);
  });

  test('a call beyond the limit is refused as a whole and stores nothing', async () => {
    const api = await allowed('eager', 5);
    expect(left(await api.post('/v1/notify/bulk', bulk(3)).expect(202))).toBe(2);
    const refused = await api
      .post('/v1/notify/bulk', bulk(3))
      .set({ 'idempotency-key': 'later' })
      .expect(429);
    expect((refused.body as { error: string }).error).toMatch(/may make 5 sends in any 60 s/);
    expect(refused.headers).toMatchObject({ 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '2' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50);
    expect(left(await api.post('/v1/notify/bulk', bulk(2)).expect(202))).toBe(0);
    await api.post('/v1/notify', send).expect(429);
    const never = await api.post('/v1/notify/bulk', bulk(6)).expect(422);
    expect((never.body as { error: string }).error).toMatch(/has 6 sends, .* may make 5/);
    const listed = (await readBody(api.get('/v1/notify').expect(200))) as { items: object[] };
    expect(listed.items).toHaveLength(5);
    await (await createClient('neighbour')).post('/v1/notify', send).expect(202);
  });

  test('concurrent calls never exceed the limit', async () => {
    const api = await allowed('crowded', 50);
    const answers = await Promise.all(Array.from({ length: 12 }, () => api.post('/v1/notify/bulk', bulk(9))));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(5).fill(202), ...Array<number>(7).fill(429)]);
  });
});

test('an open stream counts as no request; each organisation has its own limit of streams', async () => {
  await describeAs('listening', { concurrentConnections: 1 });
  const key = await service.issueKey('listening');
  const headers = { authorization: `Bearer ${key}` };
  const stream = await openEventStream(`${url}/v1/notifications/stream?user_id=ann`, headers);
  expect(stream.status).toBe(200);
  await apiClient(url, key).get('/v1/notifications').expect(200);

  const allowed = { ofOrganization: 1, ofReader: 20 };
  const admit = (organizationId: string) => () =>
    service.deps.inboxHub.admit({ organizationId, userId: 'bob', seesLinks: true }, allowed);
  expect(admit('listening')).toThrow(/too many streams are open of this organisation: 1 of 1/);
  expect(admit('another')).not.toThrow();
  stream.close();
});
