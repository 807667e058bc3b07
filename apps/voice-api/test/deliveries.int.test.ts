// Deliveries from the commit of an event to the receiver's answer: bytes, schedule, disabling,
// superseding, rotation.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { inTransaction } from '@parley/server/postgres';
import { eventually, receiver, type Receiver } from '@parley/testing';
import { Webhook } from 'standardwebhooks';
import { createHmac } from 'node:crypto';
import { writeDeliveries } from '../src/deliveries/write-deliveries.ts';
import { startVoiceApi, type VoiceApi } from './service.ts';
import {
  commit,
  dataOf,
  deliveries,
  detail,
  event,
  FAST_WAITS,
  forgetWebhooks,
  LOOPBACK,
  registered,
  settled,
  webhookOf,
} from './webhooks.ts';

/** A busy machine takes ten times as long as an idle one. */
jest.setTimeout(120_000);

let service: VoiceApi;
let outside: Receiver;
beforeAll(async () => {
  service = await startVoiceApi({ workers: true, env: { ...LOOPBACK, ...FAST_WAITS } });
});
afterAll(() => service.stop());
beforeEach(async () => {
  outside = await receiver();
});
afterEach(async () => {
  await outside.close();
  await forgetWebhooks(service);
});

const hex = (secret: string, text: string | Buffer) =>
  `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;

describe('a delivery', () => {
  test('has the event with three signatures, and is logged with the answer', async () => {
    outside.script({ status: 201, body: 'thanks' });
    const webhook = await registered(service, outside.url);
    await commit(service, [event()]);
    const [request] = await outside.received(1);
    const raw = request!.body.toString('utf8');

    const cut = raw.lastIndexOf(',"signature":"');
    const signed = `${raw.slice(0, cut)}}`;
    const parsed = JSON.parse(raw) as Record<string, unknown>;
    expect(Object.keys(parsed)).toEqual(['id', 'event', 'timestamp', 'data', 'signature']);
    expect(parsed).toMatchObject({
      id: expect.stringMatching(/^evt_/),
      event: 'conversation.started',
      timestamp: '2026-11-20T18:00:00.123Z',
      data: { conversation_id: 'conv_1', metadata: { a: 'ü€😀' } },
    });
    expect(parsed['signature']).toBe(hex(webhook.secret, signed));
    // For receivers that parse before they verify.
    const { signature, ...rest } = parsed;
    expect(signature).toBe(hex(webhook.secret, JSON.stringify(rest)));
    expect(request!.headers).toMatchObject({
      'content-type': 'application/json',
      'x-signature-256': hex(webhook.secret, raw),
      'x-delivery-attempt': '1',
      'webhook-id': parsed['id'],
    });
    const headers = request!.headers as Record<string, string>;
    expect(new Webhook(webhook.secret).verify(raw, headers)).toEqual(parsed);
    const tampered = raw.replace('conv_1', 'conv_2');
    expect(() => new Webhook(webhook.secret).verify(tampered, headers)).toThrow();

    const [one] = await settled(service, webhook.id, 'delivered');
    expect(one).toMatchObject({ attempts: 1, kind: 'event', event_id: parsed['id'], next_attempt_at: null });
    expect(await detail(service, webhook.id, one!.id)).toMatchObject({
      body: rest,
      attempt_log: [{ attempt: 1, status: 201, error_class: null, answer: 'thanks' }],
    });
    expect(service.log.with('delivery.attempted').at(-1)).toMatchObject({
      delivery_id: one!.id,
      status: 201,
    });
  });

  test('whose secret no key opens is no failure of the receiver, and is sent once the key is back', async () => {
    const { sql } = service.deps;
    const { id } = await registered(service, outside.url);
    const [stored] = await sql<{ secret: string }>('SELECT secret FROM webhooks WHERE id = $1', [id]);
    await sql("UPDATE webhooks SET secret = 's1.lost.AAAA' WHERE id = $1", [id]);
    await commit(service, [event()]);
    await eventually(() => service.log.with('delivery.not_attempted').length > 0);
    expect(await settled(service, id, 'pending')).toMatchObject([{ attempts: 0 }]);
    expect(dataOf(await service.api.get(`/v1/webhooks/${id}`).expect(200))).toMatchObject({
      status: 'active',
    });
    await sql('UPDATE webhooks SET secret = $2 WHERE id = $1', [id, stored!.secret]);
    await outside.received(1, 60_000); // ten seconds after the failure
    expect(await settled(service, id, 'delivered')).toMatchObject([{ attempts: 1 }]);
  });

  test('goes only to webhooks of its organisation that select its type', async () => {
    const ended = await registered(service, `${outside.url}/ended`, { events: ['conversation.ended'] });
    const all = await registered(service, `${outside.url}/all`);
    const other = service.as(await service.issueKey('other'));
    await other.post('/v1/webhooks', { url: `${outside.url}/other`, events: ['*'] }).expect(201);
    await commit(service, [event(), event({ type: 'conversation.ended' })]);
    expect(await settled(service, all.id, 'delivered')).toHaveLength(2);
    expect(await settled(service, ended.id, 'delivered')).toHaveLength(1);
    expect(outside.requests.map(({ path }) => path).sort()).toEqual(['/all', '/all', '/ended']);
  });

  test('is signed with the bytes of a secret without whsec_', async () => {
    const secret = 'correct-horse';
    await registered(service, outside.url, { secret });
    await commit(service, [event()]);
    const [request] = await outside.received(1);
    const raw = request!.body.toString('utf8');
    const headers = request!.headers as Record<string, string>;
    expect(headers['x-signature-256']).toBe(hex(secret, raw));
    const encoded = `whsec_${Buffer.from(secret).toString('base64')}`;
    expect(new Webhook(encoded).verify(raw, headers)).toMatchObject({ event: 'conversation.started' });
  });
});

describe('the schedule', () => {
  test('five failures disable the webhook with one alert; the sixth attempt is not made', async () => {
    const failing = await receiver({ fallback: { status: 500, body: 'no'.repeat(1_000) } });
    const webhook = await registered(service, failing.url);
    await commit(service, [event()]);
    await failing.received(5);
    const disabled = await eventually(async () => {
      const now = await webhookOf(service, webhook.id);
      return now.status === 'disabled' && now;
    });
    expect(disabled).toMatchObject({ disabled_reason: expect.stringContaining('failed 5 times') });
    const [waiting] = await deliveries(service, webhook.id);
    expect(waiting).toMatchObject({ status: 'pending', attempts: 5, next_attempt_at: expect.any(String) });

    const [exhausted] = await settled(service, webhook.id, 'exhausted');
    expect(failing.requests).toHaveLength(5);
    expect(failing.requests.map(({ headers }) => headers['x-delivery-attempt'])).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
    ]);
    const ids = failing.requests.map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id);
    expect(new Set(ids).size).toBe(1);
    const { attempt_log: log } = await detail(service, webhook.id, exhausted!.id);
    expect(log).toHaveLength(5);
    expect(log[0]).toMatchObject({ status: 500, error_class: 'http_status', answer: 'no'.repeat(1_000) });

    // First the alert at half of the failures, then the one about disabling.
    const alerts = await service.deps.sql<{ kind: string; message: string; resolved: boolean }>(
      `SELECT kind, message, resolved_at IS NOT NULL AS resolved FROM alerts WHERE subject = $1 ORDER BY opened_at`,
      [webhook.id],
    );
    expect(alerts).toEqual([
      {
        kind: 'webhook_failing',
        message: expect.stringContaining('is failing. A delivery failed 3 times'),
        resolved: true,
      },
      {
        kind: 'webhook_disabled',
        message: expect.stringContaining('was disabled. A delivery failed 5 times'),
        resolved: false,
      },
    ]);
    await failing.close();
  });

  test('the sixth attempt is made if the webhook is enabled in time', async () => {
    outside.script(500, 500, 500, 500, 500);
    const webhook = await registered(service, outside.url);
    await commit(service, [event()]);
    await eventually(async () => (await webhookOf(service, webhook.id)).status === 'disabled');
    await service.api.patch(`/v1/webhooks/${webhook.id}`, { status: 'active' }).expect(200);
    const [delivered] = await settled(service, webhook.id, 'delivered');
    expect(delivered).toMatchObject({ attempts: 6 });
    expect(outside.requests).toHaveLength(6);
  });

  test('a sixth failure exhausts the delivery and disables the webhook again', async () => {
    const failing = await receiver({ fallback: 503 });
    const webhook = await registered(service, failing.url);
    await commit(service, [event()]);
    await eventually(async () => (await webhookOf(service, webhook.id)).status === 'disabled');
    await service.api.patch(`/v1/webhooks/${webhook.id}`, { status: 'active' }).expect(200);
    const [exhausted] = await settled(service, webhook.id, 'exhausted');
    expect(exhausted).toMatchObject({ attempts: 6 });
    expect((await webhookOf(service, webhook.id)).status).toBe('disabled');
    await failing.close();
  });

  test('retries are never early', async () => {
    outside.script(500, 500, 500);
    const webhook = await registered(service, outside.url);
    await commit(service, [event()]);
    await settled(service, webhook.id, 'delivered');
    const at = outside.requests.map(({ receivedAtMs }) => receivedAtMs);
    [40, 50, 60].forEach((waitMs, index) =>
      expect(at[index + 1]! - at[index]!).toBeGreaterThanOrEqual(waitMs),
    );
  });
});

describe('a disabled webhook', () => {
  test('stores events as skipped, and enabling it sends none of them', async () => {
    const webhook = await registered(service, outside.url);
    await service.api.patch(`/v1/webhooks/${webhook.id}`, { status: 'disabled' }).expect(200);
    await commit(service, [event()]);
    await service.api.patch(`/v1/webhooks/${webhook.id}`, { status: 'active' }).expect(200);
    await commit(service, [event({ type: 'conversation.ended' })]);
    const [ended, started] = await settled(service, webhook.id, 'delivered', 'skipped');
    expect(ended).toMatchObject({ event: 'conversation.ended', status: 'delivered' });
    expect(started).toMatchObject({ event: 'conversation.started', status: 'skipped', attempts: 0 });
    expect(outside.requests).toHaveLength(1);
  });

  test('skips due attempts and retries', async () => {
    outside.script({ status: 500, afterMs: 2_000 });
    const webhook = await registered(service, outside.url);
    await commit(service, [event()]);
    await outside.received(1);
    const rings = await inTransaction(service.deps.pool, (sql) =>
      writeDeliveries(service.deps, sql, [event()]),
    );
    await service.api.patch(`/v1/webhooks/${webhook.id}`, { status: 'disabled' }).expect(200);
    service.deps.deliveryEnqueuer.enqueue(rings);
    const found = await settled(service, webhook.id, 'skipped');
    expect(found.map(({ attempts }) => attempts)).toEqual([0, 1]);
    expect(outside.requests).toHaveLength(1);
  });

  test('that is deleted cancels its deliveries', async () => {
    outside.script({ status: 500, afterMs: 2_000 });
    const webhook = await registered(service, outside.url);
    await commit(service, [event()]);
    await outside.received(1);
    await service.api.delete(`/v1/webhooks/${webhook.id}`).expect(200);
    await eventually(async () => {
      const [row] = await service.deps.sql<{ status: string }>('SELECT status FROM webhook_deliveries');
      return row?.status === 'canceled';
    });
    expect(await service.deps.sql('SELECT id FROM webhook_delivery_batches')).toEqual([]);
  });
});

describe('interims', () => {
  const interim = (turnIndex: number) => event({ type: 'speech.interim', turnIndex });

  test('get no further attempt when superseded, and keep the schedule otherwise', async () => {
    // Time to supersede the interim while it is in flight.
    const failure = { status: 500, afterMs: 2_000 };
    outside.script(failure, failure);
    const webhook = await registered(service, outside.url);
    await commit(service, [interim(1), interim(2)]);
    await outside.received(2);
    await commit(service, [event({ type: 'speech.final', turnIndex: 1 })]);
    const found = await settled(service, webhook.id, 'delivered', 'superseded');
    const [final, second, first] = found.map(({ event: type, status, attempts }) => ({
      type,
      status,
      attempts,
    }));
    expect(final).toEqual({ type: 'speech.final', status: 'delivered', attempts: 1 });
    expect(second).toEqual({ type: 'speech.interim', status: 'delivered', attempts: 2 });
    expect(first).toEqual({ type: 'speech.interim', status: 'superseded', attempts: 1 });
    expect(outside.requests).toHaveLength(4);
  });

  test('of one turn in one batch: only the last is sent', async () => {
    const webhook = await registered(service, outside.url);
    await commit(service, [interim(1), interim(1), interim(1)]);
    const found = await settled(service, webhook.id, 'delivered', 'superseded');
    expect(found.map(({ status }) => status)).toEqual(['delivered', 'superseded', 'superseded']);
    expect(outside.requests).toHaveLength(1);
  });

  test('never disable a webhook', async () => {
    const failing = await receiver({ fallback: 500 });
    const webhook = await registered(service, failing.url);
    await commit(service, [interim(1)]);
    await settled(service, webhook.id, 'exhausted');
    expect(failing.requests).toHaveLength(6);
    expect((await webhookOf(service, webhook.id)).status).toBe('active');
    await failing.close();
  });
});

describe('rotation', () => {
  test('signs the body with the old secret in the grace period, and webhook-signature with both', async () => {
    const webhook = await registered(service, outside.url);
    const rotated = await service.api
      .post(`/v1/webhooks/${webhook.id}/rotate-secret`, { grace_seconds: 600 })
      .expect(200);
    const { secret } = dataOf<{ secret: string }>(rotated);
    expect(secret).not.toBe(webhook.secret);
    await commit(service, [event()]);
    const [request] = await outside.received(1);
    const raw = request!.body.toString('utf8');
    const headers = request!.headers as Record<string, string>;
    expect(headers['x-signature-256']).toBe(hex(webhook.secret, raw));
    for (const one of [webhook.secret, secret]) {
      expect(new Webhook(one).verify(raw, headers)).toMatchObject({ event: 'conversation.started' });
    }
    await service.api.post(`/v1/webhooks/${webhook.id}/rotate-secret`, {}).expect(409);
    const again = await service.api
      .post(`/v1/webhooks/${webhook.id}/rotate-secret`, { grace_seconds: 0, secret: 'brand-new-secret' })
      .expect(200);
    expect(again.body).toMatchObject({ data: { secret: 'brand-new-secret', previous_secret_until: null } });
    await commit(service, [event()]);
    const second = (await outside.received(2))[1]!;
    expect(second.headers['x-signature-256']).toBe(hex('brand-new-secret', second.body));
    expect(() =>
      new Webhook(secret).verify(second.body.toString(), second.headers as Record<string, string>),
    ).toThrow();
  });
});
