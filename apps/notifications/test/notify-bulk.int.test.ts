// POST /v1/notify/bulk: each send on its own, few statements, one Idempotency-Key for all.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually, receiver, type Receiver } from '@parley/testing';
import { acceptNotification } from '../src/accept/accept-notification.ts';
import { createBulkAcceptor } from '../src/accept/accept-bulk.ts';
import { startNotifications, type NotificationsUnderTest } from './service.ts';

let service: NotificationsUnderTest;
let outside: Receiver;
beforeAll(async () => {
  outside = await receiver();
  service = await startNotifications({ worker: true });
});
afterAll(async () => {
  await service.stop();
  await outside.close();
});

type Item = { notification_id?: string; accepted_channels?: string[]; rejected?: unknown; error?: string };
interface Answer {
  accepted: number;
  refused: number;
  items: Item[];
}

const path = '/v1/notify/bulk';
const bulk = async (sends: unknown[], headers: Record<string, string> = {}) =>
  (await service.api.post(path, { sends }).set(headers).expect(202)).body as Answer;

const toAnn = (message: string, more: object = {}) => ({
  channels: ['in_app'],
  message,
  target: { in_app: { user_id: 'ann' } },
  ...more,
});
const toWebhook = (to: string) => ({
  channels: ['webhook', 'in_app'],
  message: 'hook',
  target: { webhook: { url: `${outside.url}${to}` }, in_app: { user_id: 'hooked' } },
});

test('accepts or refuses each send on its own, in order, and sends the accepted ones', async () => {
  const { items, ...counts } = await bulk([
    toAnn('first'),
    { channels: ['in_app'], message: ' ' },
    toWebhook('/one'),
    { channels: ['webhook'], message: 'x', target: { webhook: { url: 'http://10.0.0.1/' } } },
    toAnn('x', { organization_id: 'globex' }),
    toAnn('x', { organization_id: 'acme' }),
    'a text',
    toAnn('x', { dry_run: true }),
    { channels: ['chat'], message: 'nobody set an address' },
    { ...toWebhook('/two'), channels: ['webhook', 'in_app', 'chat'] },
    toAnn('later', { send_at: Date.now() / 1000 + 3_600 }),
  ]);
  expect(counts).toEqual({ accepted: 5, refused: 6 });
  const id = expect.stringMatching(/^ntf_/);
  expect(items).toEqual([
    { notification_id: id, accepted_channels: ['in_app'] },
    { error: expect.stringContaining('/message: must not be blank') },
    { notification_id: id, accepted_channels: ['webhook', 'in_app'] },
    { error: expect.stringMatching(/^\/target\/webhook\/url: /) },
    { error: expect.stringContaining('organization_id') },
    { notification_id: id, accepted_channels: ['in_app'] },
    { error: expect.stringContaining('expected object') },
    { error: '/dry_run: is not allowed in a bulk send' },
    { error: expect.stringContaining('chat: ') },
    {
      notification_id: id,
      accepted_channels: ['webhook', 'in_app'],
      rejected: [{ channel: 'chat', reason: expect.any(String) }],
    },
    { notification_id: id, accepted_channels: ['in_app'] },
  ]);
  const seen = () => outside.requests.map((request) => request.path);
  await eventually(() => seen().includes('/one') && seen().includes('/two'));
  const readStatuses = async ({ notification_id: one }: Item) => {
    const status = await service.api.get(`/v1/notify/${one}`).expect(200);
    return (status.body as { channels: { channel: string; status: string }[] }).channels;
  };
  await eventually(async () => (await readStatuses(items[2]!))[0]!.status === 'delivered');
  expect(await readStatuses(items[0]!)).toMatchObject([
    { channel: 'in_app', status: 'delivered', attempts: 1 },
  ]);
  expect(await readStatuses(items[10]!)).toMatchObject([{ status: 'queued', attempts: 0 }]);
  const inbox = (await service.api.get('/v1/notifications?user_id=ann').expect(200)).body as {
    items: { body: string }[];
  };
  expect(inbox.items.map(({ body }) => body).sort()).toEqual(['first', 'x']);
});

test('one Idempotency-Key: a repetition returns the same answer and sends nothing', async () => {
  const sends = [toAnn('once'), { channels: [] }];
  const first = await bulk(sends, { 'idempotency-key': 'all-of-them' });
  expect(await bulk(sends, { 'idempotency-key': 'all-of-them' })).toEqual(first);
  const rows = await service.deps.sql("SELECT 1 FROM notifications WHERE message = 'once'");
  expect(rows).toHaveLength(1);
});

describe('the request as a whole', () => {
  test.each([
    ['none', []],
    ['too many', Array(1_001).fill(toAnn('x'))],
  ])('%s is refused', async (_, sends) => {
    const refused = await service.api.post(path, { sends }).expect(400);
    expect((refused.body as { error: string }).error).toMatch(/^\/sends: /);
  });

  test('with every send invalid in many ways, each gets an answer of bounded length and nothing is stored', async () => {
    const wrong = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`${'m'.repeat(50)}${index}`, 1]),
    );
    const { accepted, items } = await bulk(Array(200).fill(wrong));
    expect(accepted).toBe(0);
    expect(items).toHaveLength(200);
    for (const { error } of items) expect(error!.length).toBeLessThanOrEqual(500);
  });
});

test('a thousand sends take as many statements as one', async () => {
  const statements: string[] = [];
  const { deps } = service;
  const countStatement = (text: string | { text: string }) =>
    void statements.push(typeof text === 'string' ? text : text.text);
  const pool = Object.assign(Object.create(deps.pool) as typeof deps.pool, {
    connect: async () => {
      const client = await deps.pool.connect();
      return Object.assign(Object.create(client) as typeof client, {
        query: (...args: Parameters<typeof client.query>) => {
          countStatement(args[0]);
          return client.query(...args);
        },
      });
    },
  });
  const caller = { organizationId: 'acme', principal: 'key_x', scopes: ['write'], kind: 'api_key' } as never;
  const context = { requestId: 'req_1', traceparent: null } as never;
  const counting = { ...deps, pool };
  const uncharged = async () => undefined;
  await acceptNotification(
    counting,
    caller,
    { ...toAnn('x'), channels: ['in_app'], dry_run: false },
    { request: context, transaction: undefined, charge: uncharged },
  );
  const ofOne = statements.splice(0).length;
  expect(ofOne).toBeGreaterThan(1);
  const sends = Array.from({ length: 1_000 }, (_, index) => toAnn(`bulk ${index}`));
  const { accepted } = await createBulkAcceptor(counting)(caller, sends, context, undefined, uncharged);
  expect(accepted).toBe(1_000);
  expect(statements).toHaveLength(ofOne);
  const items = await deps.sql("SELECT 1 FROM in_app_items WHERE body LIKE 'bulk %'");
  expect(items).toHaveLength(1_000);
});
