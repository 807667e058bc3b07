// Deliveries of all webhooks, and webhooks with filters.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { eventually, receiver, type Receiver } from '@parley/testing';
import { startVoiceApi, type VoiceApi } from '../service.ts';
import { commit, dataOf, event, FAST_WAITS, LOOPBACK, registered, settled } from '../webhooks.ts';

jest.setTimeout(60_000);

let service: VoiceApi;
let fine: Receiver;
let broken: Receiver;
let first: string;
let second: string;
beforeAll(async () => {
  service = await startVoiceApi({ workers: true, env: { ...LOOPBACK, ...FAST_WAITS } });
  fine = await receiver();
  broken = await receiver({ fallback: 503 });
  const filter = { variable: 'metadata.plan', op: 'in', value: ['gold'] };
  first = (await registered(service, fine.url, { filter })).id;
  second = (await registered(service, broken.url, { events: ['conversation.ended'] })).id;
  const of = (conversationId: string, plan: string, type: 'conversation.started' | 'conversation.ended') =>
    event({ conversationId, type, metadata: { plan } });
  await commit(service, [
    of('conv-a', 'gold', 'conversation.started'),
    of('conv-b', 'lead', 'conversation.started'),
    of('conv-b', 'lead', 'conversation.ended'),
  ]);
  await settled(service, first, 'delivered');
  await eventually(async () => (await list('http_status=503')).items.length > 0);
});
afterAll(async () => {
  await service.stop();
  await fine.close();
  await broken.close();
});

const list = async (query: string, api = service.api) =>
  dataOf<{
    items: { id: string; webhook_id: string; event: string; event_id: string }[];
    next_cursor: string | null;
  }>(await api.get(`/v1/deliveries?${query}`).expect(200));

test('a webhook with a filter receives only matching events', async () => {
  expect(fine.requests).toHaveLength(1);
  expect(JSON.parse(String(fine.requests[0]!.body))).toMatchObject({ data: { conversation_id: 'conv-a' } });
  const { items } = await list(`webhook_id=${first}`);
  expect(items).toHaveLength(1);
});

test('a listed delivery has the failure of its newest attempt', async () => {
  const failures = async (webhookId: string) => {
    const { data } = (await service.api.get(`/v1/webhooks/${webhookId}/deliveries`).expect(200)).body as {
      data: { items: { last_failure: unknown }[] };
    };
    return [data.items, (await list(`webhook_id=${webhookId}`)).items as { last_failure?: unknown }[]].map(
      (items) => items.map((one) => one.last_failure),
    );
  };
  const failed = [{ status: 503, error_class: 'http_status' }];
  expect(await failures(second)).toEqual([failed, failed]);
  expect(await failures(first)).toEqual([[null], [null]]);
});

test('the list is newest first, in pages', async () => {
  const { items } = await list('');
  expect(items.map((one) => one.webhook_id).sort()).toEqual([first, second].sort());
  expect(items.map(({ id }) => id)).toEqual(
    items
      .map(({ id }) => id)
      .sort()
      .reverse(),
  );
  const page = await list('limit=1');
  const rest = await list(`limit=1&cursor=${page.next_cursor}`);
  expect([...page.items, ...rest.items].map(({ id }) => id)).toEqual(items.map(({ id }) => id));
});

test('the list has all documented filters', async () => {
  const webhooks = async (query: string) => (await list(query)).items.map((one) => one.webhook_id);
  expect(await webhooks('conversation_id=conv-a')).toEqual([first]);
  expect(await webhooks(`conversation_id=conv-b&webhook_id=${second}`)).toEqual([second]);
  expect(await webhooks('http_status=200')).toEqual([first]);
  expect(await webhooks('http_status=503')).toEqual([second]);
  expect(await webhooks('event=conversation.ended')).toEqual([second]);
  expect(await webhooks('status=delivered')).toEqual([first]);
  expect(await webhooks('until=2026-01-01T00:00:00Z')).toEqual([]);
  expect(await webhooks('since=2026-01-01T00:00:00Z')).toHaveLength(2);
});

test('the list filters by event id and error class; details have all attempts', async () => {
  const { items } = await list('event=conversation.ended');
  const [one] = items;
  expect((await list(`event_id=${one!.event_id}`)).items.map(({ id }) => id)).toEqual([one!.id]);
  expect((await list(`event_id=${one!.event_id}&conversation_id=conv-a`)).items).toEqual([]);
  expect((await list('event_id=evt_none')).items).toEqual([]);
  expect((await list('error_class=http_status')).items.map(({ id }) => id)).toEqual([one!.id]);
  expect((await list('error_class=timeout')).items).toEqual([]);
  await service.api.get('/v1/deliveries?error_class=none').expect(400);
  const path = `/v1/deliveries/${one!.id}`;
  const shown = dataOf<{ attempt_log: object[] }>(await service.api.get(path).expect(200));
  expect(shown).toMatchObject({ id: one!.id, webhook_id: second, body: { event: 'conversation.ended' } });
  expect(shown.attempt_log[0]).toMatchObject({ status: 503, url: broken.url });
  await service.api.get('/v1/deliveries/dlv_none').expect(404);
  await service
    .as(await service.issueKey('globex'))
    .get(path)
    .expect(404);
});

test('another organisation finds none of them with any filter', async () => {
  const other = service.as(await service.issueKey('globex'));
  for (const query of ['', `webhook_id=${first}`, 'conversation_id=conv-a'])
    expect((await list(query, other)).items).toEqual([]);
});

test('a filter can be changed and removed; an invalid one is rejected', async () => {
  const path = `/v1/webhooks/${first}`;
  const changed = { variable: 'end_reason', op: 'eq', value: 'silence' };
  expect(dataOf(await service.api.patch(path, { filter: changed }).expect(200))).toMatchObject({
    filter: changed,
  });
  expect(dataOf(await service.api.patch(path, { description: 'x' }).expect(200))).toMatchObject({
    filter: changed,
  });
  expect(dataOf(await service.api.patch(path, { filter: null }).expect(200))).toMatchObject({ filter: null });
  for (const filter of [
    { variable: 'a', op: 'resembles', value: 1 },
    { variable: 'a', op: 'matches', value: '(' },
    { op: 'eq', value: 1 },
    { variable: 'a', value: 'x'.repeat(5_000) },
    { nl: 'is angry' },
  ])
    await service.api.post('/v1/webhooks', { url: fine.url, events: ['*'], filter }).expect(400);
});

test('every valid key may read its own description', async () => {
  for (const scope of ['read', 'write', 'delete', 'admin'] as const) {
    const key = await service.issueKey('acme', [scope]);
    expect(dataOf(await service.as(key).get('/v1/api-keys/me').expect(200))).toMatchObject({
      scopes: [scope],
    });
  }
});
