// `callback_url` of a send (docs/notifications.md#callbacks): one message to the voice API when every channel has settled, whoever was
// killed meanwhile. How the voice API signs and sends it is tested there (delivery-recovery.int.test.ts).
import { describe, expect, test } from '@jest/globals';
import { setSetting } from '@parley/organizations';
import { inTransaction } from '@parley/postgres';
import { eventually } from '@parley/testkit';
import { tellSettled } from '../src/callbacks/tell-settled.ts';
import { toldCallbacks } from '../src/callbacks/told-callbacks.ts';
import { deliveriesSetAside } from '../src/notify/set-aside.ts';
import type { NotificationsUnderTest } from './service.ts';
import { deliveryOf, webhookSends } from './webhook-sends.ts';
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

interface Told {
  readonly url: string;
  readonly signing_secrets: string[];
  readonly body: {
    readonly id: string;
    readonly data: { notification_id: string; channels: { channel: string; status: string }[] };
  };
}

/** What the voice API has been asked for. */
async function toldBy({ deps }: NotificationsUnderTest): Promise<Told[]> {
  const rows = await deps.sql<{ id: string; payload: string; organization_id: string }>(
    "SELECT id, payload, organization_id FROM outbox WHERE contract = 'webhook.deliver'",
  );
  return Promise.all(
    rows.map(async ({ id, payload, organization_id }) => {
      const context = JSON.stringify(['message', 'webhook.deliver', id, organization_id]);
      return JSON.parse(await deps.queueSealer.unseal(payload, context)) as Told;
    }),
  );
}

const statusesIn = ({ body }: Told) =>
  Object.fromEntries(body.data.channels.map(({ channel, status }) => [channel, status]));

/** A scheduled send would wait for its time; this one is done with the commit. */
async function sendToInbox({ api }: NotificationsUnderTest, more: object = {}): Promise<string> {
  const request = { channels: ['in_app'], message: 'Done at once.', callback_url, ...more };
  const reply = await api.post('/v1/notify', request).expect(202);
  return (reply.body as { notification_id: string }).notification_id;
}

test('is told once, when the last channel has settled, and its address stands nowhere in the clear', async () => {
  const service = await start({ worker: true });
  sends.outside.script({ status: 500 }, { status: 500, afterMs: 300 });
  const target = { webhook: { url: sends.outside.url }, in_app: { user_id: 'ann' } };
  const id = await sendWebhook(service, { channels: ['in_app', 'webhook'], target, callback_url });
  await sends.outside.received(2);
  expect(await toldBy(service)).toEqual([]); // the inbox has it, the webhook waits for another attempt
  await eventually(async () => (await toldBy(service)).length > 0);
  const [told] = await toldBy(service);
  expect(told).toEqual({
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
  toldCallbacks.find(({ event }) => event === 'notification.settled')!.body.parse(told!.body);
  expect(statusesIn(told!)).toEqual({ in_app: 'delivered', webhook: 'delivered' });
  for (const table of ['notifications', 'notification_callbacks', 'outbox'])
    expect(JSON.stringify(await service.deps.sql(`SELECT * FROM ${table}`))).not.toContain('canary');
  expect(service.log.text()).not.toContain('canary');
  expect(service.log.text()).toContain('notification.settled');
});

describe('whoever is killed', () => {
  test('after the commit of the send: the next look tells, and of four looks at once one does', async () => {
    const service = await start();
    const ids = [await sendToInbox(service), await sendToInbox(service)];
    const told = await Promise.all(Array.from({ length: 4 }, () => tellSettled(service.deps)));
    expect(told.reduce((sum, count) => sum + count)).toBe(2);
    expect((await toldBy(service)).map(({ body }) => body.data.notification_id).sort()).toEqual(ids.sort());
    expect(await tellSettled(service.deps)).toBe(0);
  });

  test('with a channel in hand: nothing is told before another worker has settled it', async () => {
    const service = await start();
    const id = await sendWebhook(service, { callback_url });
    const delivery = await deliveryOf(service, id);
    await claim(service.deps, delivery.id);
    expect(await tellSettled(service.deps)).toBe(0);
    await service.deps.sql('UPDATE deliveries SET leased_until = now() WHERE id = $1', [delivery.id]);
    expect(await tellSettled(service.deps)).toBe(0);
    await deliver(service.deps, delivery.id);
    expect(await tellSettled(service.deps)).toBe(1);
    expect(statusesIn((await toldBy(service))[0]!)).toEqual({ webhook: 'delivered' });
  });

  test('while a channel settles during a look: the look after it tells', async () => {
    const service = await start();
    const id = await sendWebhook(service, { callback_url });
    const delivery = await deliveryOf(service, id);
    await inTransaction(service.deps.pool, async (sql) => {
      // Held as by a look that has locked its row and not yet read the channels.
      await sql('SELECT 1 AS one FROM notification_callbacks WHERE id = $1 FOR UPDATE', [id]);
      expect(await tellSettled(service.deps)).toBe(0); // passes over what another one has in hand
      await sql('UPDATE notification_callbacks SET look_at = NULL WHERE id = $1', [id]);
    });
    await deliver(service.deps, delivery.id);
    expect(await tellSettled(service.deps)).toBe(1);
  });
});

test('what is canceled or set aside has settled', async () => {
  const service = await start();
  const later = await sendToInbox(service, { send_at: Date.now() / 1000 + 3_600 });
  expect(await tellSettled(service.deps)).toBe(0);
  await service.api.delete(`/v1/notify/${later}`).expect(200);
  expect(await tellSettled(service.deps)).toBe(1);
  const id = await sendWebhook(service, { callback_url });
  const delivery = await deliveryOf(service, id);
  await inTransaction(service.deps.pool, (sql) => deliveriesSetAside(service.deps, sql, [delivery.id]));
  expect(await tellSettled(service.deps)).toBe(1);
  expect((await toldBy(service)).map(statusesIn)).toEqual(
    expect.arrayContaining([{ in_app: 'canceled' }, { webhook: 'quarantined' }]),
  );
});

describe('with timing', () => {
  test('a throttled send has settled at once, and says that it was', async () => {
    const service = await start();
    const throttle = { key: 'disk full', per: 3_600 };
    await sendToInbox(service, { throttle, callback_url: undefined });
    const id = await sendToInbox(service, { throttle });
    expect(await tellSettled(service.deps)).toBe(1);
    expect((await toldBy(service))[0]!.body.data).toMatchObject({
      notification_id: id,
      channels: [],
      rejected: [{ channel: 'in_app', reason: expect.stringMatching(/^throttled until /) }],
    });
  });

  test('a digest is told of once, when it is sent; sends with another address make another', async () => {
    const service = await start({ worker: true });
    const content = { default_locale: 'en', locales: [{ locale: 'en', message: '{{ count }} new' }] };
    await service.api.put('/v1/templates/new', content).expect(201);
    const item = { message: undefined, template: { id: 'new' }, digest: { key: 'k', window: 1 } };
    const ids = [await sendToInbox(service, item), await sendToInbox(service, item)];
    const other = await sendToInbox(service, { ...item, callback_url: 'https://other.example/' });
    expect(new Set(ids).size).toBe(1);
    expect(ids).not.toContain(other);
    await eventually(async () => (await toldBy(service)).length === 2);
    const told = new Map((await toldBy(service)).map((one) => [one.body.data.notification_id, one]));
    expect([told.get(ids[0]!)!, told.get(other)!].map(({ url }) => url)).toEqual([
      callback_url,
      'https://other.example/',
    ]);
    expect(statusesIn(told.get(other)!)).toEqual({ in_app: 'delivered' });
  });
});

test('what its recipient has switched off has settled', async () => {
  const service = await start();
  await service.api.put('/v1/categories/news', { name: 'News' }).expect(201);
  const off = { categories: { news: { in_app: false } } };
  await service.api.put('/v1/preferences?user_id=ann', off).expect(200);
  await sendToInbox(service, { category: 'news', target: { in_app: { user_id: 'ann' } } });
  expect(await tellSettled(service.deps)).toBe(1);
  expect((await toldBy(service)).map(statusesIn)).toEqual([{ in_app: 'suppressed' }]);
});

test('a secret that cannot be read, or cannot sign, holds it up', async () => {
  const service = await start({ secret: 'too short' });
  await sendToInbox(service);
  const lookNow = async () => {
    await service.deps.sql("UPDATE notification_callbacks SET look_at = now() - interval '1 second'");
    return tellSettled(service.deps);
  };
  expect(await lookNow()).toBe(0);
  await signWith(service, 'env://NOT_THERE');
  await eventually(async () => (await lookNow()) === 0 && service.log.text().includes('secret.unavailable'));
  await signWith(service, 'env://PATH_OF_NOTHING');
  expect(await lookNow()).toBe(0);
  expect(await toldBy(service)).toEqual([]);
  const [row] = await service.deps.sql<{ look_at: Date }>('SELECT look_at FROM notification_callbacks');
  expect(row!.look_at.getTime()).toBeGreaterThan(Date.now());
});

describe('a send is refused', () => {
  const refusalOf = async ({ api }: NotificationsUnderTest, more: object) => {
    const request = { channels: ['in_app'], message: 'x', callback_url, ...more };
    return ((await api.post('/v1/notify', request).expect(400)).body as { error: string }).error;
  };

  test('whose organisation has nothing to sign with, whose address is not allowed, in bulk each for itself', async () => {
    const service = await sends.start();
    expect(await refusalOf(service, {})).toMatch(/^\/callback_url: needs the webhook_secret/);
    for (const url of [
      'http://10.0.0.1/',
      'https://localhost/',
      'https:callbacks.example',
      'ftp://a.example/',
    ])
      expect(await refusalOf(service, { callback_url: url })).toMatch(/^\/callback_url: /);
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
