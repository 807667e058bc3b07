// Secrets of an organisation as deliveries use them: signatures of webhooks, the default chat address, what is rotated, what
// leads nowhere.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { setSetting } from '@parley/settings';
import { Webhook } from 'standardwebhooks';
import { eventually, receiver, type Receiver } from '@parley/testkit';
import { bodyOf, startNotifications, type NotificationsUnderTest } from './service.ts';

let outside: Receiver;
const running: NotificationsUnderTest[] = [];
beforeEach(async () => {
  outside = await receiver();
});
afterEach(async () => {
  for (const service of running.splice(0).reverse()) await service.stop();
  await outside.close();
});

async function start(options: Parameters<typeof startNotifications>[0]): Promise<NotificationsUnderTest> {
  const service = await startNotifications(options);
  running.push(service);
  return service;
}

async function signWith({ deps }: NotificationsUnderTest, reference: string): Promise<void> {
  await setSetting(deps.sql, 'acme', 'webhook_secret', { reference }, deps.clock());
}

async function sendWebhook(service: NotificationsUnderTest): Promise<string> {
  const body = await bodyOf(
    service.api
      .post('/v1/notify', {
        channels: ['webhook'],
        message: 'The kettle boils.',
        target: { webhook: { url: outside.url } },
      })
      .expect(202),
  );
  return (body as { notification_id: string }).notification_id;
}

async function deliveryOf({ deps }: NotificationsUnderTest, notificationId: string) {
  const [row] = await deps.sql<{ status: string; next_ring_at: Date | null }>(
    'SELECT * FROM deliveries WHERE notification_id = $1',
    [notificationId],
  );
  return row!;
}

describe('the secret that webhooks are signed with', () => {
  test('verify with the standardwebhooks package, under both secrets of a rotation', async () => {
    const [old, fresh] = [Buffer.alloc(32, 1), Buffer.alloc(24, 2)].map(
      (bytes) => `whsec_${bytes.toString('base64')}`,
    );
    const service = await start({ worker: true, env: { SIGNING: `${fresh} ${old}` } });
    await signWith(service, 'env://SIGNING');
    const notification = await sendWebhook(service);
    const [request] = await outside.received(1);
    const headers = request!.headers as Record<string, string>;
    expect(headers['webhook-id']).toBe(notification);
    for (const secret of [old, fresh])
      expect(new Webhook(secret!).verify(request!.body.toString(), headers)).toMatchObject({
        message: 'The kettle boils.',
      });
    const forged = new Webhook(`whsec_${Buffer.alloc(32, 3).toString('base64')}`);
    expect(() => forged.verify(request!.body.toString(), headers)).toThrow();
  });

  test('a secret that cannot sign ends the delivery instead of sending it unsigned', async () => {
    const service = await start({ worker: true, env: { SIGNING: 'not a signing secret' } });
    await signWith(service, 'env://SIGNING');
    const notification = await sendWebhook(service);
    await eventually(async () => (await deliveryOf(service, notification)).status === 'failed');
    expect(await deliveryOf(service, notification)).toMatchObject({
      last_error_class: 'unusable_secret',
      attempts: 1,
    });
    expect(outside.requests).toHaveLength(0);
  });

  test('when the receiver has replaced it, what took its place in the secrets manager signs at once', async () => {
    const [old, fresh] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)].map(
      (bytes) => `whsec_${bytes.toString('base64')}`,
    );
    let current = old!;
    const vault = await receiver({ fallback: () => ({ body: { data: { data: { key: current } } } }) });
    const service = await start({
      worker: true,
      env: { VAULT_ADDR: vault.url, VAULT_TOKEN: 'env://T', T: 't' },
    });
    const reference = 'vault://kv/acme/signing#key';
    await signWith(service, reference);
    const send = async () => {
      const id = await sendWebhook(service);
      await eventually(async () => (await deliveryOf(service, id)).next_ring_at === null);
      return deliveryOf(service, id);
    };
    expect(await send()).toMatchObject({ status: 'delivered', attempts: 1 });
    current = fresh!;
    outside.script(401);
    expect(await send()).toMatchObject({ status: 'delivered', attempts: 1 });
    const signedWith = outside.requests.map(({ headers, body }) => {
      const signs = (secret: string) => {
        try {
          return Boolean(new Webhook(secret).verify(body.toString(), headers as Record<string, string>));
        } catch {
          return false;
        }
      };
      return signs(old!) ? 'old' : signs(fresh!) ? 'fresh' : 'none';
    });
    expect(signedWith).toEqual(['old', 'old', 'fresh']);
    await vault.close();
  });
});

describe('the default chat address', () => {
  test('when it is refused, what took its place in the secrets manager is used at once', async () => {
    const vault = await receiver({
      fallback: () => ({ body: { data: { data: { url: `${outside.url}/${current}` } } } }),
    });
    let current = 'old';
    const service = await start({
      worker: true,
      env: { VAULT_ADDR: vault.url, VAULT_TOKEN: 'env://T', T: 't' },
    });
    const reference = 'vault://kv/acme/chat#url';
    await setSetting(service.deps.sql, 'acme', 'chat_webhook_url', { reference }, service.deps.clock());
    const chat = async () => {
      const body = await bodyOf(
        service.api.post('/v1/notify', { channels: ['chat'], message: 'x' }).expect(202),
      );
      const id = (body as { notification_id: string }).notification_id;
      await eventually(async () => (await deliveryOf(service, id)).next_ring_at === null);
      return deliveryOf(service, id);
    };
    expect(await chat()).toMatchObject({ status: 'sent', attempts: 1 });
    current = 'new';
    outside.script(403);
    expect(await chat()).toMatchObject({ status: 'sent', attempts: 1 });
    expect(outside.requests.map(({ path }) => path)).toEqual(['/old', '/old', '/new']);

    // Refused although it is the current one: no third request, the answer stands.
    outside.script(401);
    expect(await chat()).toMatchObject({ status: 'failed', attempts: 1 });
    expect(outside.requests).toHaveLength(4);
    await vault.close();
  });

  test('a reference that leads nowhere at the moment is tried again', async () => {
    const service = await start({ worker: true, env: { DELIVERY_ATTEMPTS_MAX: '3' } });
    const reference = 'env://NOT_SET';
    await setSetting(service.deps.sql, 'acme', 'chat_webhook_url', { reference }, service.deps.clock());
    const body = await bodyOf(
      service.api.post('/v1/notify', { channels: ['chat'], message: 'x' }).expect(202),
    );
    const id = (body as { notification_id: string }).notification_id;
    await eventually(async () => (await deliveryOf(service, id)).status === 'failed');
    expect(await deliveryOf(service, id)).toMatchObject({
      attempts: 3,
      last_error_class: 'secret_unavailable',
    });
  });
});
