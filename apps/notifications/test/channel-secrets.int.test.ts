// How deliveries use secrets of an organisation: webhook signatures, the default chat address,
// rotation, unresolvable references.
import { describe, expect, test } from '@jest/globals';
import { setSetting } from '@parley/server/organizations';
import { Webhook } from 'standardwebhooks';
import { eventually, receiver } from '@parley/testing';
import { readBody, type NotificationsUnderTest } from './service.ts';
import { findDelivery, webhookSends } from './webhook-sends.ts';

const sends = webhookSends();
const { start, sendWebhook } = sends;

async function signWith({ deps }: NotificationsUnderTest, reference: string): Promise<void> {
  await setSetting(deps.sql, 'acme', 'webhook_secret', { reference }, deps.clock());
}

describe('the secret that signs webhooks', () => {
  test('verifies with the standardwebhooks package under both secrets of a rotation', async () => {
    const [old, fresh] = [Buffer.alloc(32, 1), Buffer.alloc(24, 2)].map(
      (bytes) => `whsec_${bytes.toString('base64')}`,
    );
    const service = await start({ worker: true, env: { SIGNING: `${fresh} ${old}` } });
    await signWith(service, 'env://SIGNING');
    const notification = await sendWebhook(service);
    const [request] = await sends.outside.received(1);
    const headers = request!.headers as Record<string, string>;
    expect(headers['webhook-id']).toBe(notification);
    for (const secret of [old, fresh])
      expect(new Webhook(secret!).verify(request!.body.toString(), headers)).toMatchObject({
        message: 'The kettle boils.',
      });
    const forged = new Webhook(`whsec_${Buffer.alloc(32, 3).toString('base64')}`);
    expect(() => forged.verify(request!.body.toString(), headers)).toThrow();
  });

  test('an unusable secret ends the delivery instead of sending it unsigned', async () => {
    const service = await start({ worker: true, env: { SIGNING: 'not a signing secret' } });
    await signWith(service, 'env://SIGNING');
    const notification = await sendWebhook(service);
    await eventually(async () => (await findDelivery(service, notification)).status === 'failed');
    expect(await findDelivery(service, notification)).toMatchObject({
      last_error_class: 'unusable_secret',
      attempts: 1,
    });
    expect(sends.outside.requests).toHaveLength(0);
  });

  test('after the receiver replaced it, the new secret of the secrets manager signs at once', async () => {
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
      await eventually(async () => (await findDelivery(service, id)).next_ring_at === null);
      return findDelivery(service, id);
    };
    expect(await send()).toMatchObject({ status: 'delivered', attempts: 1 });
    current = fresh!;
    sends.outside.script(401);
    expect(await send()).toMatchObject({ status: 'delivered', attempts: 1 });
    const signedWith = sends.outside.requests.map(({ headers, body }) => {
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
  test('after a refusal, the new address of the secrets manager is used at once', async () => {
    const vault = await receiver({
      fallback: () => ({ body: { data: { data: { url: `${sends.outside.url}/${current}` } } } }),
    });
    let current = 'old';
    const service = await start({
      worker: true,
      env: { VAULT_ADDR: vault.url, VAULT_TOKEN: 'env://T', T: 't' },
    });
    const reference = 'vault://kv/acme/chat#url';
    await setSetting(service.deps.sql, 'acme', 'chat_webhook_url', { reference }, service.deps.clock());
    const chat = async () => {
      const body = await readBody(
        service.api.post('/v1/notify', { channels: ['chat'], message: 'x' }).expect(202),
      );
      const id = (body as { notification_id: string }).notification_id;
      await eventually(async () => (await findDelivery(service, id)).next_ring_at === null);
      return findDelivery(service, id);
    };
    expect(await chat()).toMatchObject({ status: 'sent', attempts: 1 });
    current = 'new';
    sends.outside.script(403);
    expect(await chat()).toMatchObject({ status: 'sent', attempts: 1 });
    expect(sends.outside.requests.map(({ path }) => path)).toEqual(['/old', '/old', '/new']);

    // Refused although it is current: no third request, the answer counts.
    sends.outside.script(401);
    expect(await chat()).toMatchObject({ status: 'failed', attempts: 1 });
    expect(sends.outside.requests).toHaveLength(4);
    await vault.close();
  });

  test('another address, from a request or the setting, receives nothing of the previous one', async () => {
    const other = await receiver();
    const service = await start({
      worker: true,
      env: { T_OLD: `${sends.outside.url}/token-canary`, T_NEW: `${other.url}/token-new` },
    });
    const set = (reference: string) =>
      setSetting(service.deps.sql, 'acme', 'chat_webhook_url', { reference }, service.deps.clock());
    const chat = (target = {}) =>
      service.api.post('/v1/notify', { channels: ['chat'], message: 'x', target }).expect(202);
    await set('env://T_OLD');
    await chat();
    await eventually(() => sends.outside.requests.length === 1);
    await chat({ chat: { webhook_url: `${other.url}/given` } });
    await eventually(() => other.requests.length === 1);
    await set('env://T_NEW');
    await eventually(
      async () => (await service.deps.settings.stored('acme', 'chat_webhook_url')) === 'env://T_NEW',
    );
    await chat();
    await eventually(() => other.requests.length === 2);
    expect(other.requests.map(({ path }) => path)).toEqual(['/given', '/token-new']);
    const sent = other.requests.map(({ path, headers, body }) =>
      JSON.stringify([path, headers, body.toString()]),
    );
    expect(sent.join()).not.toContain('canary');
    expect(sends.outside.requests).toHaveLength(1);
    await other.close();
  });

  test('an unresolvable reference is retried', async () => {
    const service = await start({ worker: true, env: { DELIVERY_RETRY_WAITS_MS: '20,40' } });
    const reference = 'env://NOT_SET';
    await setSetting(service.deps.sql, 'acme', 'chat_webhook_url', { reference }, service.deps.clock());
    const body = await readBody(
      service.api.post('/v1/notify', { channels: ['chat'], message: 'x' }).expect(202),
    );
    const id = (body as { notification_id: string }).notification_id;
    await eventually(async () => (await findDelivery(service, id)).status === 'failed');
    expect(await findDelivery(service, id)).toMatchObject({
      attempts: 3,
      last_error_class: 'secret_unavailable',
    });
  });
});
