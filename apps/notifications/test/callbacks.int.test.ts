// `callback_url` of a send (docs/notifications.md#callbacks): one message to the voice API when
// every channel has settled, even if workers are killed. delivery-recovery.int.test.ts of the voice
// API tests signing and sending.
import { describe, expect, test } from '@jest/globals';
import { setSetting } from '@parley/server/organizations';
import { inTransaction } from '@parley/server/postgres';
import { eventually } from '@parley/testing';
import { sendCallbacks } from '../src/callbacks/send-callbacks.ts';
import { callbackWebhooks } from '../src/callbacks/callback-webhooks.ts';
import { quarantineDeliveries } from '../src/outcomes/quarantine.ts';
import type { NotificationsUnderTest } from './service.ts';
import { findDelivery, webhookSends } from './webhook-sends.ts';
import { claim, deliver } from './work.ts';

const sends = webhookSends();
const { sendWebhook } = sends;
const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const callback_url = 'https://callbacks.example/settled?token=canary-callback';

async function start(options: { worker?: boolean; secret?: string } = {}) {
  const { worker = false, secret = SECRET } = options;
  const service = await sends.start({ worker, env: { SIGNING: secret } });
  await signWith(service, 'env://SIGNING');
  return service;
}

const signWith = ({ deps }: NotificationsUnderTest, reference: string) =>
  setSetting(deps.sql, 'acme', 'webhook_secret', { reference }, deps.clock());

interface CallbackMessage {
  readonly url: string;
  readonly signing_secrets: string[];
  readonly body: {
    readonly id: string;
    readonly data: { notification_id: string; channels: { channel: string; status: string }[] };
  };
}

/** The messages for the voice API. */
async function listMessages({ deps }: NotificationsUnderTest): Promise<CallbackMessage[]> {
  const rows = await deps.sql<{ id: string; payload: string; organization_id: string }>(
    "SELECT id, payload, organization_id FROM outbox WHERE contract = 'webhook.deliver'",
  );
  return Promise.all(
    rows.map(async ({ id, payload, organization_id }) => {
      const context = JSON.stringify(['message', 'webhook.deliver', id, organization_id]);
      return JSON.parse(await deps.queueSealer.unseal(payload, context)) as CallbackMessage;
    }),
  );
}

const statusesIn = ({ body }: CallbackMessage) =>
  Object.fromEntries(body.data.channels.map(({ channel, status }) => [channel, status]));

/** A scheduled send would wait; this one settles with the commit. */
async function sendToInbox({ api }: NotificationsUnderTest, more: object = {}): Promise<string> {
  const request = { channels: ['in_app'], message: 'Done at once.', callback_url, ...more };
  const reply = await api.post('/v1/notify', request).expect(202);
  return (reply.body as { notification_id: string }).notification_id;
}

test('is sent once, when the last channel settles, and its address is never stored in the clear', async () => {
  const service = await start({ worker: true });
  sends.outside.script({ status: 500 }, { status: 500, afterMs: 300 });
  const target = { webhook: { url: sends.outside.url }, in_app: { user_id: 'ann' } };
  const id = await sendWebhook(service, { channels: ['in_app', 'webhook'], target, callback_url });
  await sends.outside.received(2);
  // the inbox has settled, the webhook waits for another attempt
  expect(await listMessages(service)).toEqual([]);
  await eventually(async () => (await listMessages(service)).length > 0);
  const [message] = await listMessages(service);
  expect(message).toEqual({
    url: callback_url,
    event: 'notification.settled',
    signing_secrets: [SECRET],
    body: {
      id: expect.stringMatching(/^evt_/),
      event: 'notification.settled',
      timestamp: expect.any(String),
      data: (await service.api.get(`/v1/notify/${id}`).expect(200)).body as object,
    },
  });
  callbackWebhooks.find(({ event }) => event === 'notification.settled')!.body.parse(message!.body);
  expect(statusesIn(message!)).toEqual({ in_app: 'delivered', webhook: 'delivered' });
  for (const table of ['notifications', 'notification_callbacks', 'outbox'])
    expect(JSON.stringify(await service.deps.sql(`SELECT * FROM ${table}`))).not.toContain('canary');
  expect(service.log.text()).not.toContain('canary');
  expect(service.log.text()).toContain('notification.settled');
});

describe('when a worker is killed', () => {
  test('after the commit of the send, the next round sends it, and one of four concurrent rounds', async () => {
    const service = await start();
    const ids = [await sendToInbox(service), await sendToInbox(service)];
    const counts = await Promise.all(Array.from({ length: 4 }, () => sendCallbacks(service.deps)));
    expect(counts.reduce((sum, count) => sum + count)).toBe(2);
    expect((await listMessages(service)).map(({ body }) => body.data.notification_id).sort()).toEqual(
      ids.sort(),
    );
    expect(await sendCallbacks(service.deps)).toBe(0);
  });

  test('with a channel in flight, waits until another worker has settled it', async () => {
    const service = await start();
    const id = await sendWebhook(service, { callback_url });
    const delivery = await findDelivery(service, id);
    await claim(service.deps, delivery.id);
    expect(await sendCallbacks(service.deps)).toBe(0);
    await service.deps.sql('UPDATE deliveries SET leased_until = now() WHERE id = $1', [delivery.id]);
    expect(await sendCallbacks(service.deps)).toBe(0);
    await deliver(service.deps, delivery.id);
    expect(await sendCallbacks(service.deps)).toBe(1);
    expect(statusesIn((await listMessages(service))[0]!)).toEqual({ webhook: 'delivered' });
  });

  test('with a channel that settles during a round, the next round sends it', async () => {
    const service = await start();
    const id = await sendWebhook(service, { callback_url });
    const delivery = await findDelivery(service, id);
    await inTransaction(service.deps.pool, async (sql) => {
      // Locked like by a round that has locked the row and not read the channels yet.
      await sql('SELECT 1 AS one FROM notification_callbacks WHERE id = $1 FOR UPDATE', [id]);
      expect(await sendCallbacks(service.deps)).toBe(0); // skips rows that another round has locked
      await sql('UPDATE notification_callbacks SET look_at = NULL WHERE id = $1', [id]);
    });
    await deliver(service.deps, delivery.id);
    expect(await sendCallbacks(service.deps)).toBe(1);
  });
});

test('canceled and quarantined deliveries have settled', async () => {
  const service = await start();
  const later = await sendToInbox(service, { send_at: Date.now() / 1000 + 3_600 });
  expect(await sendCallbacks(service.deps)).toBe(0);
  await service.api.delete(`/v1/notify/${later}`).expect(200);
  expect(await sendCallbacks(service.deps)).toBe(1);
  const id = await sendWebhook(service, { callback_url });
  const delivery = await findDelivery(service, id);
  await inTransaction(service.deps.pool, (sql) => quarantineDeliveries(service.deps, sql, [delivery.id]));
  expect(await sendCallbacks(service.deps)).toBe(1);
  expect((await listMessages(service)).map(statusesIn)).toEqual(
    expect.arrayContaining([{ in_app: 'canceled' }, { webhook: 'quarantined' }]),
  );
});

describe('with timing', () => {
  test('a throttled send settles at once and reports it', async () => {
    const service = await start();
    const throttle = { key: 'disk full', per: 3_600 };
    await sendToInbox(service, { throttle, callback_url: undefined });
    const id = await sendToInbox(service, { throttle });
    expect(await sendCallbacks(service.deps)).toBe(1);
    expect((await listMessages(service))[0]!.body.data).toMatchObject({
      notification_id: id,
      channels: [],
      rejected: [{ channel: 'in_app', reason: expect.stringMatching(/^throttled until /) }],
    });
  });

  test('a digest reports once, when it is sent; sends with another address open another digest', async () => {
    const service = await start({ worker: true });
    const content = { default_locale: 'en', locales: [{ locale: 'en', message: '{{ count }} new' }] };
    await service.api.put('/v1/templates/new', content).expect(201);
    const item = { message: undefined, template: { id: 'new' }, digest: { key: 'k', window: 1 } };
    const ids = [await sendToInbox(service, item), await sendToInbox(service, item)];
    const other = await sendToInbox(service, { ...item, callback_url: 'https://other.example/' });
    expect(new Set(ids).size).toBe(1);
    expect(ids).not.toContain(other);
    await eventually(async () => (await listMessages(service)).length === 2);
    const messages = new Map(
      (await listMessages(service)).map((one) => [one.body.data.notification_id, one]),
    );
    expect([messages.get(ids[0]!)!, messages.get(other)!].map(({ url }) => url)).toEqual([
      callback_url,
      'https://other.example/',
    ]);
    expect(statusesIn(messages.get(other)!)).toEqual({ in_app: 'delivered' });
  });
});

test('a channel that the recipient switched off has settled', async () => {
  const service = await start();
  await service.api.put('/v1/categories/news', { name: 'News' }).expect(201);
  const off = { categories: { news: { in_app: false } } };
  await service.api.put('/v1/preferences?user_id=ann', off).expect(200);
  await sendToInbox(service, { category: 'news', target: { in_app: { user_id: 'ann' } } });
  expect(await sendCallbacks(service.deps)).toBe(1);
  expect((await listMessages(service)).map(statusesIn)).toEqual([{ in_app: 'suppressed' }]);
});

test('an unreadable or unusable secret delays it', async () => {
  const service = await start({ secret: 'too short' });
  await sendToInbox(service);
  const lookNow = async () => {
    await service.deps.sql("UPDATE notification_callbacks SET look_at = now() - interval '1 second'");
    return sendCallbacks(service.deps);
  };
  expect(await lookNow()).toBe(0);
  await signWith(service, 'env://NOT_THERE');
  await eventually(async () => (await lookNow()) === 0 && service.log.text().includes('secret.unavailable'));
  await signWith(service, 'env://PATH_OF_NOTHING');
  expect(await lookNow()).toBe(0);
  expect(await listMessages(service)).toEqual([]);
  const [row] = await service.deps.sql<{ look_at: Date }>('SELECT look_at FROM notification_callbacks');
  expect(row!.look_at.getTime()).toBeGreaterThan(Date.now());
});

describe('a send is refused', () => {
  const readRefusal = async ({ api }: NotificationsUnderTest, more: object) => {
    const request = { channels: ['in_app'], message: 'x', callback_url, ...more };
    return ((await api.post('/v1/notify', request).expect(400)).body as { error: string }).error;
  };

  test('without a signing secret or with a forbidden address, in bulk each on its own', async () => {
    const service = await sends.start();
    expect(await readRefusal(service, {})).toMatch(/^\/callback_url: needs the webhook_secret/);
    for (const url of [
      'http://10.0.0.1/',
      'https://localhost/',
      'https:callbacks.example',
      'ftp://a.example/',
    ])
      expect(await readRefusal(service, { callback_url: url })).toMatch(/^\/callback_url: /);
    await signWith(service, 'env://SIGNING');
    const toInbox = { channels: ['in_app'], message: 'x' };
    await eventually(async () => {
      const bulk = [
        { ...toInbox, callback_url },
        { ...toInbox, callback_url: 'no address' },
      ];
      const reply = await service.api.post('/v1/notify/bulk', { sends: bulk }).expect(202);
      return (reply.body as { accepted: number }).accepted === 1;
    });
    await service.api.post('/v1/notify', { ...toInbox, callback_url, dry_run: true }).expect(200);
    expect(await service.deps.sql('SELECT id FROM notification_callbacks')).toHaveLength(1);
  });
});
