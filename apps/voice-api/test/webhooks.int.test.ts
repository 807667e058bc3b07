// Management of webhooks: registration, changes, test, replay, retry and verify, with their errors.
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { inTransaction } from '@parley/server/postgres';
import { eventually, receiver, type Receiver } from '@parley/testing';
import { writeDeliveries } from '../src/deliveries/write-deliveries.ts';
import { purgeWebhookTraces } from '../src/deliveries/purge-traces.ts';
import { trimDeliveries } from '../src/deliveries/sweep-deliveries.ts';
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

const hook = 'https://hooks.example.com/parley';

describe('registration', () => {
  test('returns the secret once and lists without it', async () => {
    const answer = await service.api
      .post('/v1/webhooks', { url: hook, events: ['speech.final', 'bot.message'], description: 'CRM' })
      .expect(201);
    const created = dataOf<{ id: string; secret: string }>(answer);
    expect(created).toMatchObject({
      id: expect.stringMatching(/^wh_/),
      url: hook,
      events: ['speech.final', 'bot.message'],
      status: 'active',
      description: 'CRM',
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const listed = await service.api.get('/v1/webhooks').expect(200);
    expect(listed.body).toMatchObject({ data: { items: [{ id: created.id, url: hook }], has_more: false } });
    expect(JSON.stringify(listed.body)).not.toContain(created.secret);
    const one = await service.api.get(`/v1/webhooks/${created.id}`).expect(200);
    expect(one.body).toMatchObject({ data: { secret_hint: `…${created.secret.slice(-4)}` } });
    const rows = await service.deps.sql('SELECT * FROM webhooks');
    expect(JSON.stringify(rows)).not.toContain(created.secret);
  });

  test.each<[string, object, string]>([
    ['http', { url: 'http://hooks.example.com/', events: ['*'] }, '/url'],
    ['a private address', { url: 'https://10.0.0.8/', events: ['*'] }, '/url'],
    ['a private address in another spelling', { url: 'https://[::ffff:a00:8]/', events: ['*'] }, '/url'],
    ['a host inside', { url: 'https://db.internal/', events: ['*'] }, '/url'],
    ['a user name', { url: 'https://me@hooks.example.com/', events: ['*'] }, '/url'],
    ['another port', { url: 'https://hooks.example.com:8443/', events: ['*'] }, '/url'],
    [
      'a url that is too long',
      { url: `https://hooks.example.com/${'x'.repeat(2_048)}`, events: ['*'] },
      '/url',
    ],
    ['no events', { url: hook, events: [] }, '/events'],
    ['an unknown event', { url: hook, events: ['call.ended'] }, '/events'],
    ['an event twice', { url: hook, events: ['bot.message', 'bot.message'] }, '/events'],
    ['a secret with a control character', { url: hook, events: ['*'], secret: 'a\tb' }, '/secret'],
    ['a secret that is not ASCII', { url: hook, events: ['*'], secret: 'schlüssel' }, '/secret'],
    ['a secret that is too long', { url: hook, events: ['*'], secret: 'x'.repeat(257) }, '/secret'],
    ['a misspelt member', { url: hook, events: ['*'], secrets: 'x' }, ''],
  ])('rejects %s', async (_what, body, path) => {
    const refused = await service.api.post('/v1/webhooks', body).expect(400);
    expect(refused.body).toMatchObject({ success: false, error: { code: 'INVALID_REQUEST' } });
    const { fields } = (refused.body as { error: { details: { fields: { path: string }[] } } }).error.details;
    expect(fields.some((field) => field.path.startsWith(path))).toBe(true);
  });

  test('names the valid event types for an unknown one', async () => {
    const refused = await service.api.post('/v1/webhooks', { url: hook, events: ['call.ended'] }).expect(400);
    const { fields } = (refused.body as { error: { details: { fields: object[] } } }).error.details;
    expect(fields).toEqual([
      expect.objectContaining({ path: '/events', message: expect.stringContaining('conversation.ended') }),
    ]);
  });

  test('accepts any printable secret, including blanks', async () => {
    const secret = ' ~ correct horse battery staple ';
    const webhook = await registered(service, outside.url, { secret });
    await service.api.post(`/v1/webhooks/${webhook.id}/test`).expect(200);
    const [request] = await outside.received(1);
    const { headers, body } = request!;
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    expect(headers['x-signature-256']).toBe(`sha256=${signature}`);
  });

  test('needs the scope read too, because a webhook receives transcripts', async () => {
    const body = { url: hook, events: ['*'] };
    const writer = service.as(await service.issueKey('acme', ['write']));
    const refused = await writer.post('/v1/webhooks', body).expect(403);
    expect(refused.body).toMatchObject({ error: { code: 'INSUFFICIENT_SCOPE' } });
    const both = service.as(await service.issueKey('acme', ['read', 'write']));
    const { id } = dataOf<{ id: string }>(await both.post('/v1/webhooks', body).expect(201));
    await writer.patch(`/v1/webhooks/${id}`, { url: `${hook}/2` }).expect(403);
    await both.patch(`/v1/webhooks/${id}`, { url: `${hook}/2` }).expect(200);
  });

  test('allows the same url twice, but at most 50 webhooks', async () => {
    for (let count = 0; count < 50; count += 1)
      await service.api.post('/v1/webhooks', { url: hook, events: ['*'] }).expect(201);
    await service.api.post('/v1/webhooks', { url: hook, events: ['*'] }).expect(409);
    const first = await service.api.get('/v1/webhooks?limit=30').expect(200);
    const { items, next_cursor: cursor } = (
      first.body as { data: { items: { id: string }[]; next_cursor: string } }
    ).data;
    const second = await service.api.get(`/v1/webhooks?limit=30&cursor=${cursor}`).expect(200);
    const rest = (second.body as { data: { items: { id: string }[] } }).data.items;
    expect(new Set([...items, ...rest].map(({ id }) => id)).size).toBe(50);
  });

  test('creates one webhook for the same Idempotency-Key', async () => {
    const once = () =>
      service.api
        .post('/v1/webhooks', { url: hook, events: ['*'] })
        .set('idempotency-key', 'w1')
        .expect(201);
    const [first, again] = [await once(), await once()];
    expect((again.body as { data: unknown }).data).toEqual((first.body as { data: unknown }).data);
    expect(again.headers['idempotent-replayed']).toBe('true');
  });

  test.each<[string, (id: string) => Promise<unknown>]>([
    [
      'rotated',
      (id) => service.api.post(`/v1/webhooks/${id}/rotate-secret`, { grace_seconds: 600 }).expect(200),
    ],
    ['removed', (id) => service.api.delete(`/v1/webhooks/${id}`).expect(200)],
  ])('does not return the secret for an Idempotency-Key again after it was %s', async (how, end) => {
    const ask = () =>
      service.api.post('/v1/webhooks', { url: hook, events: ['*'] }).set('idempotency-key', `once-${how}`);
    const { id, secret } = dataOf<{ id: string; secret: string }>(await ask().expect(201));
    await end(id);
    const again = await ask().expect(409);
    expect(again.body).toMatchObject({ error: { code: 'IDEMPOTENCY_SECRET_GONE' } });
    expect(again.text).not.toContain(secret);
  });
});

describe('a webhook', () => {
  test('can be changed and deleted', async () => {
    const { id } = await registered(service, hook);
    const changed = await service.api
      .patch(`/v1/webhooks/${id}`, {
        events: ['bot.message'],
        url: `${hook}/2`,
        description: 'x',
        status: 'disabled',
      })
      .expect(200);
    expect(changed.body).toMatchObject({
      data: {
        events: ['bot.message'],
        url: `${hook}/2`,
        status: 'disabled',
        disabled_at: expect.any(String),
      },
    });
    const enabled = await service.api
      .patch(`/v1/webhooks/${id}`, { status: 'active', description: null })
      .expect(200);
    expect(enabled.body).toMatchObject({ data: { status: 'active', disabled_at: null, description: null } });
    await service.api.patch(`/v1/webhooks/${id}`, { url: 'http://10.0.0.1' }).expect(400);
    const deleted = await service.api.delete(`/v1/webhooks/${id}`).expect(200);
    expect(deleted.body).toMatchObject({ data: { id, deleted: true } });
    await service.api.get(`/v1/webhooks/${id}`).expect(404);
  });

  test('is inaccessible for another organisation', async () => {
    const { id } = await registered(service, outside.url);
    await commit(service, [event()]);
    const [delivery] = await settled(service, id, 'delivered');
    const other = service.as(await service.issueKey('other'));
    const window = { since: '2020-01-01T00:00:00Z', until: '2030-01-01T00:00:00Z' };
    await other.get(`/v1/webhooks/${id}`).expect(404);
    await other.patch(`/v1/webhooks/${id}`, { status: 'disabled' }).expect(404);
    await other.delete(`/v1/webhooks/${id}`).expect(404);
    await other.post(`/v1/webhooks/${id}/test`, {}).expect(404);
    await other.post(`/v1/webhooks/${id}/rotate-secret`, {}).expect(404);
    await other.post(`/v1/webhooks/${id}/replay`, window).expect(404);
    await other.post(`/v1/webhooks/${id}/verify`, { body: '{}' }).expect(404);
    await other.get(`/v1/webhooks/${id}/deliveries`).expect(404);
    await other.get(`/v1/webhooks/${id}/deliveries/${delivery!.id}`).expect(404);
    await other.post(`/v1/webhooks/${id}/deliveries/${delivery!.id}/retry`).expect(404);
    const mine = await registered({ api: other }, outside.url);
    await other.get(`/v1/webhooks/${mine.id}/deliveries/${delivery!.id}`).expect(404);
    await other.post(`/v1/webhooks/${mine.id}/deliveries/${delivery!.id}/retry`).expect(404);
    expect((await webhookOf(service, id)).status).toBe('active');
  });
});

describe('test', () => {
  test('sends a sample event, also to a disabled webhook, and returns the result', async () => {
    outside.script({ status: 404, body: 'not here' }, 200);
    const webhook = await registered(service, outside.url);
    await service.api.patch(`/v1/webhooks/${webhook.id}`, { status: 'disabled' }).expect(200);
    const failed = await service.api.post(`/v1/webhooks/${webhook.id}/test`).expect(200);
    expect(failed.body).toMatchObject({
      data: { delivered: false, attempt: { status: 404, error_class: 'http_status', answer: 'not here' } },
    });
    const worked = await service.api
      .post(`/v1/webhooks/${webhook.id}/test`, { event: 'bot.message' })
      .expect(200);
    expect(worked.body).toMatchObject({
      data: { delivered: true, attempt: { status: 200, error_class: null } },
    });
    expect(JSON.parse(outside.requests[1]!.body.toString())).toMatchObject({
      event: 'bot.message',
      data: { metadata: { test: 'true' } },
    });
    const log = await deliveries(service, webhook.id);
    expect(log.map(({ kind, status }) => [kind, status])).toEqual([
      ['test', 'delivered'],
      ['test', 'exhausted'],
    ]);
    expect((await detail(service, webhook.id, log[1]!.id)).attempt_log).toHaveLength(1);
    expect((await webhookOf(service, webhook.id)).status).toBe('disabled');
  });

  test('carries the id of its request and the data of a real event', async () => {
    const webhook = await registered(service, outside.url);
    const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
    for (const type of ['conversation.error', 'conversation.ended'])
      await service.api
        .post(`/v1/webhooks/${webhook.id}/test`, { event: type })
        .set('x-request-id', 'who-asks')
        .set('traceparent', traceparent)
        .expect(200);
    const [error, ended] = outside.requests.map(
      ({ body }) => JSON.parse(body.toString()) as { data: object },
    );
    expect(error!.data).toMatchObject({ error: { fatal: true } });
    expect(ended!.data).toMatchObject({ transcript: [{ interrupted: false }] });
    expect(outside.requests[0]!.headers).toMatchObject({ 'x-request-id': 'who-asks', traceparent });
  });
});

describe('replay', () => {
  const hour = {
    since: new Date(Date.now() - 3_600_000).toISOString(),
    until: new Date(Date.now() + 3_600_000).toISOString(),
  };

  async function skippedThree() {
    const webhook = await registered(service, outside.url);
    await service.api.patch(`/v1/webhooks/${webhook.id}`, { status: 'disabled' }).expect(200);
    await commit(service, [event(), event(), event({ type: 'bot.message', turnIndex: 1 })]);
    return webhook;
  }

  test('redelivers each event that did not arrive once, under its own id', async () => {
    const webhook = await skippedThree();
    await service.api.patch(`/v1/webhooks/${webhook.id}`, { status: 'active' }).expect(200);
    const replay = (body: object) =>
      service.api.post(`/v1/webhooks/${webhook.id}/replay`, { ...hour, ...body }).expect(202);
    expect((await replay({ dry_run: true })).body).toMatchObject({ data: { matched: 3, replayed: 0 } });
    expect(outside.requests).toHaveLength(0);
    expect((await replay({ event: 'bot.message' })).body).toMatchObject({
      data: { matched: 1, replayed: 1 },
    });
    await settled(service, webhook.id, 'delivered', 'skipped');
    expect((await replay({})).body).toMatchObject({ data: { matched: 2, replayed: 2 } });
    const all = await settled(service, webhook.id, 'delivered', 'skipped');
    const replays = all.filter(({ kind }) => kind === 'replay');
    const originals = all.filter(({ kind }) => kind === 'event');
    expect(new Set(replays.map(({ event_id: id }) => id))).toEqual(
      new Set(originals.map(({ event_id: id }) => id)),
    );
    expect(new Set(replays.map(({ replay_of: id }) => id))).toEqual(new Set(originals.map(({ id }) => id)));
    expect((await replay({})).body).toMatchObject({ data: { matched: 0, replayed: 0 } });
    expect(outside.requests).toHaveLength(3);
    await service.api
      .post(`/v1/webhooks/${webhook.id}/replay`, { since: hour.until, until: hour.since })
      .expect(400);
  });

  test('works with a disabled webhook, signs with the current secret and never disables', async () => {
    const webhook = await skippedThree();
    const rotated = await service.api
      .post(`/v1/webhooks/${webhook.id}/rotate-secret`, { grace_seconds: 0, secret: 'the-new-one' })
      .expect(200);
    expect(rotated.body).toMatchObject({ data: { secret: 'the-new-one' } });
    outside.script(500, 500, 500);
    await service.api.post(`/v1/webhooks/${webhook.id}/replay`, hour).set('idempotency-key', 'r').expect(202);
    await service.api.post(`/v1/webhooks/${webhook.id}/replay`, hour).set('idempotency-key', 'r').expect(202);
    const failed = await eventually(async () => {
      const all = await deliveries(service, webhook.id, '&status=exhausted');
      return all.length === 3 && all;
    });
    expect(failed.every(({ attempts, kind }) => attempts === 1 && kind === 'replay')).toBe(true);
    expect(outside.requests).toHaveLength(3);
    const { body, headers } = outside.requests[0]!;
    const verified = await service.api
      .post(`/v1/webhooks/${webhook.id}/verify`, { body: body.toString(), headers })
      .expect(200);
    expect(verified.body).toMatchObject({ data: { verified: true, reason: null } });
  });

  test('retries one delivery or makes its planned attempt now', async () => {
    outside.script(500);
    // The real schedule: a minute until the second attempt.
    const slow = await startVoiceApi({ workers: true, env: LOOPBACK });
    try {
      const webhook = await registered(slow, outside.url);
      await commit(slow, [event()]);
      const [waiting] = await eventually(async () => {
        const all = await deliveries(slow, webhook.id);
        return all[0]?.next_attempt_at != null && all;
      });
      const path = `/v1/webhooks/${webhook.id}/deliveries/${waiting!.id}/retry`;
      expect((await slow.api.post(path).expect(202)).body).toMatchObject({ data: { id: waiting!.id } });
      const [now] = await settled(slow, webhook.id, 'delivered');
      expect(now).toMatchObject({ id: waiting!.id, attempts: 2 });
      const again = await slow.api.post(path).expect(202);
      expect(again.body).toMatchObject({
        data: { kind: 'replay', replay_of: waiting!.id, event_id: now!.event_id },
      });
      await settled(slow, webhook.id, 'delivered');
      expect(outside.requests).toHaveLength(3);
    } finally {
      await slow.stop();
    }
  });
});

test('a retry is sent to a disabled webhook', async () => {
  outside.script(500, 500, 500, 500, 500);
  const webhook = await registered(service, outside.url);
  await commit(service, [event({ trace: { requestId: 'the-cause' } })]);
  await eventually(async () => (await webhookOf(service, webhook.id)).status === 'disabled', {
    timeoutMs: 20_000,
  });
  const [planned] = await deliveries(service, webhook.id);
  const answer = await service.api
    .post(`/v1/webhooks/${webhook.id}/deliveries/${planned!.id}/retry`)
    .expect(202);
  expect(answer.body).toMatchObject({ data: { kind: 'replay', replay_of: planned!.id } });
  await outside.received(6);
  expect(outside.requests[5]!.headers['webhook-id']).toBe(planned!.event_id);
  // Every attempt has the ids of the request that caused the event.
  expect(outside.requests.map(({ headers }) => headers['x-request-id'])).toEqual(Array(6).fill('the-cause'));
});

describe('verify', () => {
  test('names the matching signatures, or why none matches', async () => {
    const webhook = await registered(service, outside.url);
    await commit(service, [event()]);
    const [request] = await outside.received(1);
    const raw = request!.body.toString();
    const { headers } = request!;
    const verify = async (body: string, sent: object = headers) =>
      (
        (await service.api.post(`/v1/webhooks/${webhook.id}/verify`, { body, headers: sent }).expect(200))
          .body as {
          data: Record<string, unknown>;
        }
      ).data;
    expect(await verify(raw)).toMatchObject({
      verified: true,
      matches: [
        { scheme: 'signature', secret: 'current' },
        { scheme: 'x-signature-256', secret: 'current' },
        { scheme: 'webhook-signature', secret: 'current' },
      ],
    });
    const pretty = JSON.stringify(JSON.parse(raw), null, 2);
    expect(await verify(pretty)).toMatchObject({
      verified: false,
      reason: 'reserialized_body',
      first_difference: 1,
    });
    expect(await verify(raw.replace('conv_1', 'conv_9'))).toMatchObject({ reason: 'body_altered' });
    const other = await registered(service, outside.url);
    const elsewhere = await service.api
      .post(`/v1/webhooks/${other.id}/verify`, { body: raw, headers })
      .expect(200);
    expect(elsewhere.body).toMatchObject({ data: { verified: false, reason: 'wrong_secret' } });
    await service.api.post(`/v1/webhooks/${webhook.id}/rotate-secret`, { grace_seconds: 0 }).expect(200);
    expect(await verify(raw)).toMatchObject({ verified: false, reason: 'old_secret' });
  });
});

describe('retention', () => {
  test('ends when conversations are purged', async () => {
    const webhook = await registered(service, outside.url);
    outside.script(500, { status: 200, body: 'canary answer' });
    await commit(service, [event({ conversationId: 'conv_a' }), event({ conversationId: 'conv_b' })]);
    await settled(service, webhook.id, 'delivered');
    expect(await purgeWebhookTraces(service.deps.sql, 'other', ['conv_a', 'conv_b'])).toBe(0);
    expect(await purgeWebhookTraces(service.deps.sql, 'acme', ['conv_a'])).toBe(1);
    expect(await deliveries(service, webhook.id)).toHaveLength(1);
    expect(await purgeWebhookTraces(service.deps.sql, 'acme', ['conv_b'])).toBe(1);
    for (const table of ['webhook_events', 'webhook_deliveries', 'webhook_delivery_attempts'])
      expect(await service.deps.sql(`SELECT * FROM ${table}`)).toEqual([]);
  });

  test('is seven days for skipped deliveries and thirty for others', async () => {
    const webhook = await registered(service, outside.url);
    await commit(service, [event()]);
    await settled(service, webhook.id, 'delivered');
    await service.api.patch(`/v1/webhooks/${webhook.id}`, { status: 'disabled' }).expect(200);
    await commit(service, [event()]);
    const { sql, clock } = service.deps;
    const day = 86_400_000;
    const inDays = (days: number) => trimDeliveries(service.deps, clock() + days * day, { skipped: '' });
    expect(await inDays(6.9)).toBe(0);
    expect(await inDays(7.1)).toBe(1);
    expect((await deliveries(service, webhook.id)).map(({ status }) => status)).toEqual(['delivered']);
    expect(await inDays(29.9)).toBe(0);
    expect(await inDays(30.1)).toBe(1);
    expect(await inDays(31.1)).toBe(0);
    expect(await sql('SELECT id FROM webhook_events')).toEqual([]);
  });

  test('does not exist for a batch whose transaction was rolled back', async () => {
    const webhook = await registered(service, outside.url);
    let rings: Awaited<ReturnType<typeof writeDeliveries>> = [];
    const rolledBack = inTransaction(service.deps.pool, async (sql) => {
      rings = await writeDeliveries(service.deps, sql, [event()]);
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    service.deps.deliveryEnqueuer.enqueue(rings);
    await commit(service, [event()]);
    expect(await settled(service, webhook.id, 'delivered')).toHaveLength(1);
    expect(outside.requests).toHaveLength(1);
  });
});

describe('PUT', () => {
  const body = {
    url: hook,
    events: ['*'],
    headers: { Authorization: 'Bearer x' },
    filter: { variable: 'metadata.plan', op: 'eq', value: 'gold' },
    ordered: true,
    asymmetric: true,
  };
  const put = (given: object, id = 'crm') => service.api.put(`/v1/webhooks/${id}`, given);
  const audited = async (target: string) =>
    (
      await service.deps.sql<{ action: string }>(
        'SELECT action FROM audit_log WHERE target = $1 ORDER BY id',
        [target],
      )
    ).map(({ action }) => action);

  test('creates one webhook, shows its secret once, and changes what differs', async () => {
    const answers = await Promise.all([put(body), put(body), put(body)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    const created = answers.find(({ status }) => status === 201)!;
    const { secret, ...view } = dataOf<{ id: string; secret: string }>(created);
    expect(view).toMatchObject({ external_id: 'crm', headers: { Authorization: null }, ordered: true });
    expect(dataOf(await put(body).expect(200))).toEqual(view);
    expect(dataOf(await service.api.get('/v1/webhooks/crm').expect(200))).toMatchObject(view);
    expect(await audited(view.id)).toEqual(['webhook.registered']);

    const moved = { ...body, url: 'https://other.example.com/', timeout_ms: 2_000 };
    expect(dataOf(await put(moved).expect(200))).toMatchObject({
      id: view.id,
      url: moved.url,
      headers: { Authorization: null },
    });
    const plain = dataOf(await put({ url: moved.url, events: ['*'] }).expect(200));
    expect(plain).toMatchObject({ headers: null, filter: null, ordered: false, timeout_ms: null });
    expect(plain).not.toHaveProperty('secret');
    expect(plain).toMatchObject({ public_key: null, secret_hint: `…${secret.slice(-4)}` });
    expect(await audited(view.id)).toEqual(['webhook.registered', 'webhook.changed', 'webhook.changed']);
  });

  test('rotates another secret with a grace period, and keeps the status', async () => {
    const first = { ...body, secret: 'whsec_b25lIHNlY3JldCBvZiBvdXJzIQ==' };
    const { id } = dataOf<{ id: string }>(await put(first, 'secret').expect(201));
    await service.api.patch('/v1/webhooks/secret', { status: 'disabled' }).expect(200);
    const second = { ...body, secret: 'whsec_YW5vdGhlciBzZWNyZXQgb2Ygb3Vycw==' };
    const rotated = dataOf(await put(second, 'secret').expect(200));
    expect(rotated).toMatchObject({ status: 'disabled', previous_secret_until: expect.any(String) });
    expect(rotated).not.toHaveProperty('secret');
    expect(dataOf(await put(second, 'secret').expect(200))).toEqual(rotated);
    await put(first, 'secret').expect(409);
    expect(await audited(id)).toEqual(['webhook.registered', 'webhook.changed', 'webhook.secret_rotated']);
  });

  test('paths take the id of the organisation', async () => {
    const { id } = dataOf<{ id: string }>(await put({ url: outside.url, events: ['*'] }, 'mine').expect(201));
    const tried = dataOf<{ delivery_id: string }>(
      await service.api.post('/v1/webhooks/mine/test', {}).expect(200),
    );
    const listed = await service.api.get('/v1/webhooks/mine/deliveries').expect(200);
    expect(dataOf(listed)).toMatchObject({ items: [{ id: tried.delivery_id, webhook_id: id }] });
    const delivery = `/v1/webhooks/mine/deliveries/${tried.delivery_id}`;
    expect(dataOf(await service.api.get(delivery).expect(200))).toMatchObject({ webhook_id: id });
    const retried = dataOf(await service.api.post(`${delivery}/retry`, {}).expect(202));
    expect(retried).toMatchObject({ webhook_id: id });
    await service.api.post('/v1/webhooks/mine/rotate-secret', {}).expect(200);
    await service.api.post('/v1/webhooks/mine/verify', { body: '{}' }).expect(200);
    expect(dataOf(await service.api.delete('/v1/webhooks/mine').expect(200))).toEqual({ id, deleted: true });
    await service.api.get('/v1/webhooks/mine').expect(404);
  });

  test('the requests of docs/declare.md create once, and then change nothing', async () => {
    const page = readFileSync(new URL('../../../docs/declare.md', import.meta.url), 'utf8');
    const lines = [...page.matchAll(/-X PUT http:\/\/127\.0\.0\.1:3002(\S+) [^']+'[^']+' -d '([^']+)'/g)];
    expect(lines).toHaveLength(3);
    const apply = () =>
      Promise.all(lines.map(([, path, json]) => service.api.put(path!, JSON.parse(json!) as object)));
    const created = await apply();
    const again = await apply();
    expect(created.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(again.map(({ status }) => status)).toEqual([200, 200, 200]);
    again.forEach((answer, at) => expect(dataOf(created[at]!)).toMatchObject(dataOf(answer)));
  });

  test('refuses ids that are ours, another application and other organisations', async () => {
    await put(body, 'wh_none').expect(404);
    await put({ ...body, url: 'http://10.0.0.1/' }).expect(400);
    const { id } = dataOf<{ id: string }>(await put(body).expect(201));
    await put(body, id).expect(200);
    await put({ ...body, application_id: 'shop' }).expect(409);
    const other = service.as(await service.issueKey('declares-too'));
    await other.put(`/v1/webhooks/${id}`, body).expect(404);
    const theirs = dataOf<{ id: string }>(await other.put('/v1/webhooks/crm', body).expect(201));
    expect(theirs.id).not.toBe(id);
    await other.delete('/v1/webhooks/crm').expect(200);
    await service.api.get('/v1/webhooks/crm').expect(200);
  });
});
