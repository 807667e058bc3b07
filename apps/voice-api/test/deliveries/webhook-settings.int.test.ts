// Settings of webhooks: headers, bots, timeout, rate; 410, alerts at half of the failures, health,
// and v1a signatures.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyAsync } from '@noble/ed25519';
import { resolveEnded } from '@parley/platform/alerts';
import { ALERT_ENDINGS } from '../../src/webhooks/disable-webhooks.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { eventually, receiver, type Receiver } from '@parley/testing';
import { startVoiceApi, type VoiceApi } from '../service.ts';
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
  type WebhookBody,
} from '../webhooks.ts';

/** A busy machine takes ten times as long as an idle one. */
jest.setTimeout(120_000);

let service: VoiceApi;
let outside: Receiver;
let secretsFolder: string;
beforeAll(async () => {
  secretsFolder = await mkdtemp(join(tmpdir(), 'parley-webhook-secrets-'));
  await mkdir(join(secretsFolder, 'acme'));
  await writeFile(join(secretsFolder, 'acme', 'crm'), 'canary-secret');
  const FLOW_SECRETS = `file://${secretsFolder}/{organization}/{name}`;
  service = await startVoiceApi({ workers: true, env: { ...LOOPBACK, ...FAST_WAITS, FLOW_SECRETS } });
});
afterAll(async () => {
  await service.stop();
  await rm(secretsFolder, { recursive: true });
});
beforeEach(async () => {
  outside = await receiver();
});
afterEach(async () => {
  await outside.close();
  await forgetWebhooks(service);
});

const change = async (id: string, body: object): Promise<WebhookBody> =>
  dataOf(await service.api.patch(`/v1/webhooks/${id}`, body).expect(200));
const alertsOf = (webhookId: string) =>
  service.deps.sql(
    'SELECT kind, resolved_at IS NOT NULL AS resolved FROM alerts WHERE organization_id = $1 AND subject = $2 ORDER BY kind',
    ['acme', webhookId],
  );

test('settings default to none', async () => {
  expect(await registered(service, outside.url)).toMatchObject({
    headers: null,
    bot_ids: [],
    timeout_ms: null,
    rate_per_second: null,
    ordered: false,
    disable: 'after_failures',
    public_key: null,
  });
});

describe('headers', () => {
  test('are sent with every attempt, with secrets resolved, and never shown', async () => {
    const webhook = await registered(service, outside.url, {
      headers: { 'X-Tenant': 'canary-plain', authorization: 'secret://crm' },
    });
    const shown = { 'X-Tenant': null, authorization: 'secret://crm' };
    expect(webhook['headers']).toEqual(shown);
    await commit(service, [event()]);
    const [request] = await outside.received(1);
    expect(request!.headers).toMatchObject({ 'x-tenant': 'canary-plain', authorization: 'canary-secret' });
    await settled(service, webhook.id, 'delivered');
    for (const table of ['webhooks', 'webhook_deliveries', 'webhook_events', 'audit_log'])
      expect(JSON.stringify(await service.deps.sql(`SELECT * FROM ${table}`))).not.toContain('canary');
    expect(service.log.text()).not.toContain('canary');

    expect(await change(webhook.id, { description: 'x' })).toMatchObject({ headers: shown });
    expect(await change(webhook.id, { headers: null })).toMatchObject({ headers: null });
    await commit(service, [event()]);
    expect((await outside.received(2))[1]!.headers).not.toHaveProperty('x-tenant');
  });

  test('are dropped when the url changes to another origin', async () => {
    const headers = { 'x-tenant': 'canary-plain', authorization: 'secret://crm' };
    const webhook = await registered(service, `${outside.url}/a`, { headers });
    const shown = { 'x-tenant': null, authorization: 'secret://crm' };
    expect(await change(webhook.id, { url: `${outside.url}/b` })).toMatchObject({ headers: shown });
    const other = await receiver();
    expect(await change(webhook.id, { url: other.url })).toMatchObject({ headers: null });
    await service.api.post(`/v1/webhooks/${webhook.id}/test`, {}).expect(200);
    const [request] = await other.received(1);
    expect(request!.headers).not.toHaveProperty('x-tenant');
    expect(request!.headers).not.toHaveProperty('authorization');
    const again = { url: outside.url, headers: { 'x-tenant': 'new' } };
    expect(await change(webhook.id, again)).toMatchObject({ headers: { 'x-tenant': null } });
    await other.close();
  });

  test('with an unknown secret fail the attempt, as the log says', async () => {
    const webhook = await registered(service, outside.url, { headers: { 'x-token': 'secret://missing' } });
    await service.api.post(`/v1/webhooks/${webhook.id}/test`, {}).expect(200);
    const [one] = await settled(service, webhook.id, 'exhausted');
    expect((await detail(service, webhook.id, one!.id)).attempt_log).toMatchObject([
      { error_class: 'invalid_request', message: expect.stringContaining('secret') },
    ]);
    expect(outside.requests).toHaveLength(0);
  });

  test.each<[string, object]>([
    ['of ours', { 'Webhook-Signature': 'v1,x' }],
    ['of the connection', { host: 'inside' }],
    ['twice in two spellings', { 'x-a': '1', 'X-A': '2' }],
    ['with invalid names', { 'x a': '1' }],
    ['with a line break', { 'x-a': '1\r\nx-b: 2' }],
    ['with an invalid secret name', { 'x-a': 'secret://../x' }],
    ['that are too many', Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`x-${at}`, '1']))],
    [
      'that are too long in total',
      { 'x-a': 'a'.repeat(4_000), 'x-b': 'b'.repeat(4_000), 'x-c': 'c'.repeat(400) },
    ],
  ])('%s are rejected', async (_what, headers) => {
    await service.api.post('/v1/webhooks', { url: outside.url, events: ['*'], headers }).expect(400);
  });
});

test('bot_ids: only events of these bots', async () => {
  const one = await registered(service, `${outside.url}/one`, { bot_ids: ['bot_2'] });
  const all = await registered(service, `${outside.url}/all`);
  await commit(service, [event(), event({ botId: 'bot_2' }), event({ botId: null })]);
  expect(await settled(service, all.id, 'delivered')).toHaveLength(3);
  expect(await settled(service, one.id, 'delivered')).toHaveLength(1);
  await change(one.id, { bot_ids: [] });
  await commit(service, [event({ botId: null })]);
  await eventually(async () => (await settled(service, one.id, 'delivered')).length === 2);
  await service.api
    .post('/v1/webhooks', { url: outside.url, events: ['*'], bot_ids: ['a', 'a'] })
    .expect(400);
});

test('timeout_ms: a slower answer is a failure', async () => {
  outside.script({ status: 200, afterMs: 1_500 });
  const webhook = await registered(service, outside.url, { timeout_ms: 500 });
  await service.api.post(`/v1/webhooks/${webhook.id}/test`, {}).expect(200);
  const [one] = await settled(service, webhook.id, 'exhausted');
  expect((await detail(service, webhook.id, one!.id)).attempt_log).toMatchObject([
    { error_class: 'timeout', message: 'No answer within 0.5 s.' },
  ]);
});

test('rate_per_second: limits attempts in a second, and each delivery arrives once', async () => {
  const webhook = await registered(service, outside.url, { rate_per_second: 10 });
  await commit(
    service,
    Array.from({ length: 25 }, () => event()),
  );
  await settled(service, webhook.id, 'delivered');
  expect(outside.requests).toHaveLength(25);
  const at = outside.requests.map(({ receivedAtMs }) => receivedAtMs).sort((a, b) => a - b);
  // A slot is the start of an attempt; it arrives some milliseconds later, more on a busy machine.
  expect(at[24]! - at[0]!).toBeGreaterThan(2_200);
  for (let first = 0; first + 14 < at.length; first += 1)
    expect(at[first + 14]! - at[first]!).toBeGreaterThan(1_000);
});

test('410 Gone disables the webhook immediately; enabling it resolves the alert', async () => {
  outside.script({ status: 410 });
  const webhook = await registered(service, outside.url);
  await commit(service, [event()]);
  const [gone] = await settled(service, webhook.id, 'exhausted');
  expect(gone).toMatchObject({ attempts: 1 });
  expect(await webhookOf(service, webhook.id)).toMatchObject({
    status: 'disabled',
    disabled_reason: expect.stringContaining('410'),
  });
  await resolveEnded(service.deps.sql, ALERT_ENDINGS);
  expect(await alertsOf(webhook.id)).toEqual([{ kind: 'webhook_disabled', resolved: false }]);
  await change(webhook.id, { status: 'active' });
  await resolveEnded(service.deps.sql, ALERT_ENDINGS);
  expect(await alertsOf(webhook.id)).toEqual([{ kind: 'webhook_disabled', resolved: true }]);
});

describe('disable: when_failing', () => {
  /** Rejects events of one conversation. */
  const isPoison = ({ body }: { body: Buffer }) => body.toString().includes('"conversation_id":"poison"');
  const alertText = async (webhookId: string) => {
    const rows = await service.deps.sql<{ message: string }>(
      'SELECT message FROM alerts WHERE subject = $1 ORDER BY opened_at',
      [webhookId],
    );
    return rows.map(({ message }) => message).join('\n');
  };

  test('one event that always fails disables no webhook that accepts others', async () => {
    let anotherArrived = () => undefined as void;
    const after = new Promise<void>((resolve) => (anotherArrived = resolve));
    const reject = (attempt: unknown) => (attempt === '5' ? { status: 500, after } : 500);
    const picky = await receiver({
      fallback: (request) => (isPoison(request) ? reject(request.headers['x-delivery-attempt']) : 200),
    });
    const webhook = await registered(service, picky.url, { disable: 'when_failing', timeout_ms: 30_000 });
    expect(webhook['disable']).toBe('when_failing');
    const strict = await registered(service, `${picky.url}/strict`, { timeout_ms: 30_000 });
    await commit(service, [event({ conversationId: 'poison' })]);
    await picky.received(10);
    await commit(service, [event()]);
    for (const { id } of [webhook, strict])
      await eventually(async () =>
        (await deliveries(service, id)).some(({ status }) => status === 'delivered'),
      );
    anotherArrived();
    const [, exhausted] = await settled(service, webhook.id, 'delivered', 'exhausted');
    expect(exhausted).toMatchObject({ status: 'exhausted', attempts: 6 });
    expect(await webhookOf(service, webhook.id)).toMatchObject({ status: 'active', disabled_reason: null });
    expect(await alertText(webhook.id)).toMatch(/failed 5 times and nothing was delivered meanwhile\.$/);
    expect((await webhookOf(service, strict.id)).status).toBe('disabled');
    await picky.close();
  });

  test('a receiver that accepts nothing is disabled, whatever it accepted before', async () => {
    const webhook = await registered(service, outside.url, { disable: 'when_failing' });
    await commit(service, [event()]);
    await settled(service, webhook.id, 'delivered');
    outside.script(500, 500, 500, 500, 500);
    await commit(service, [event()]);
    await eventually(async () => (await webhookOf(service, webhook.id)).status === 'disabled');
    await settled(service, webhook.id, 'delivered', 'exhausted');
  });

  test('a receiver that is gone is disabled', async () => {
    const leaving = await receiver({ fallback: (request) => (isPoison(request) ? 410 : 200) });
    const webhook = await registered(service, leaving.url, { disable: 'when_failing' });
    await commit(service, [event()]);
    await settled(service, webhook.id, 'delivered');
    await commit(service, [event({ conversationId: 'poison' })]);
    await eventually(async () => (await webhookOf(service, webhook.id)).status === 'disabled');
    await leaving.close();
  });

  test('another rule is refused', () =>
    service.api.post('/v1/webhooks', { url: outside.url, events: ['*'], disable: 'never' }).expect(400));
});

test('half of the failures raise an alert; a success resolves it', async () => {
  const failing = await receiver({
    fallback: (request) => (request.headers['x-delivery-attempt'] === '4' ? 200 : 500),
  });
  const webhook = await registered(service, failing.url);
  await commit(service, [event(), event(), event()]);
  await eventually(async () => (await alertsOf(webhook.id)).length === 1);
  expect(await alertsOf(webhook.id)).toMatchObject([{ kind: 'webhook_failing' }]);
  await settled(service, webhook.id, 'delivered');
  await eventually(async () => {
    await resolveEnded(service.deps.sql, ALERT_ENDINGS);
    return (await alertsOf(webhook.id))[0]!['resolved'] === true;
  });
  expect((await webhookOf(service, webhook.id)).status).toBe('active');
  await failing.close();
});

test('health: summarises the deliveries of 24 hours', async () => {
  const webhook = await registered(service, outside.url);
  const health = async () => (await webhookOf(service, webhook.id))['health'];
  expect(await health()).toEqual({ deliveries: 0, success_rate: null, p95_ms: null, last_error: null });
  outside.script({ status: 503, body: 'later' });
  await commit(service, [event()]);
  await settled(service, webhook.id, 'delivered');
  await service.api.post(`/v1/webhooks/${webhook.id}/test`, {}).expect(200); // does not count
  await commit(service, [event(), event()]);
  await eventually(async () => (await settled(service, webhook.id, 'delivered')).length === 4);
  expect(await health()).toEqual({
    deliveries: 3,
    success_rate: 0.75,
    p95_ms: expect.any(Number),
    last_error: {
      at: expect.any(String),
      error_class: 'http_status',
      status: 503,
      message: 'The answer was 503.',
    },
  });
  const listed = async (query: string) => {
    const answer = await service.api.get(`/v1/webhooks${query}`).expect(200);
    return dataOf<{ items: WebhookBody[] }>(answer).items;
  };
  const unused = await registered(service, outside.url);
  const [second, first] = await listed('?health=true');
  expect(first).toMatchObject({ id: webhook.id, health: await health() });
  expect(second).toMatchObject({ id: unused.id, health: { deliveries: 0, success_rate: null } });
  for (const one of await listed('?health=false')) expect(one).not.toHaveProperty('health');
  for (const one of await listed('')) expect(one).not.toHaveProperty('health');
  await service.api.get('/v1/webhooks?health=yes').expect(400);
});

describe('asymmetric signatures', () => {
  const keysOf = async (id: string) => {
    const answer = await fetch(`${service.server.url}/.well-known/webhook-keys/${id}`);
    return { status: answer.status, body: (await answer.json()) as { keys?: { x: string; kid: string }[] } };
  };
  /** An implementation other than the signing one. */
  const fits = async (x: string, { headers, body }: Receiver['requests'][number]) => {
    const signed = Buffer.concat([
      Buffer.from(`${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`),
      body,
    ]);
    const signatures = String(headers['webhook-signature'])
      .split(' ')
      .filter((one) => one.startsWith('v1a,'))
      .map((one) => Buffer.from(one.slice(4), 'base64'));
    const verdicts = signatures.map((one) => verifyAsync(one, signed, Buffer.from(x, 'base64url')));
    return (await Promise.all(verdicts)).includes(true);
  };

  test('verify with the public key, also during a rotation', async () => {
    const webhook = await registered(service, outside.url, { asymmetric: true });
    expect(webhook['public_key']).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
    await commit(service, [event()]);
    const [first] = await outside.received(1);
    const { body, status } = await keysOf(webhook.id);
    expect(status).toBe(200);
    expect(body.keys).toEqual([
      {
        kty: 'OKP',
        crv: 'Ed25519',
        alg: 'EdDSA',
        use: 'sig',
        kid: webhook['public_key'],
        x: expect.any(String),
      },
    ]);
    const old = body.keys![0]!.x;
    expect(await fits(old, first!)).toBe(true);
    expect(await fits(old, { ...first!, body: Buffer.from('{}') })).toBe(false);
    expect(String(first!.headers['webhook-signature'])).toMatch(/^v1,\S+ v1a,\S+$/);

    const rotated = dataOf<WebhookBody>(
      await service.api.post(`/v1/webhooks/${webhook.id}/rotate-secret`, { grace_seconds: 600 }).expect(200),
    );
    expect(rotated['public_key']).not.toBe(webhook['public_key']);
    await commit(service, [event()]);
    const second = (await outside.received(2))[1]!;
    const both = await eventually(async () => {
      const { keys } = (await keysOf(webhook.id)).body;
      return keys?.length === 2 && keys;
    });
    expect(both.map(({ kid }) => kid)).toEqual([rotated['public_key'], webhook['public_key']]);
    for (const { x } of both) expect(await fits(x, second)).toBe(true);
    const verified = await service.api
      .post(`/v1/webhooks/${webhook.id}/verify`, { body: second.body.toString(), headers: second.headers })
      .expect(200);
    expect(verified.body).toMatchObject({ data: { verified: true } });
    const rows = JSON.stringify(
      await service.deps.sql('SELECT signing_key, previous_signing_key FROM webhooks'),
    );
    expect(rows).not.toContain('MC4CAQAwBQYDK2Vw'); // a PKCS #8 of Ed25519 begins so
  });

  test('exist only for webhooks with the setting', async () => {
    const webhook = await registered(service, outside.url);
    expect((await keysOf(webhook.id)).status).toBe(404);
    expect((await keysOf('wh_none')).status).toBe(404);
    expect((await keysOf("'")).status).toBe(404);
    await commit(service, [event()]);
    expect((await outside.received(1))[0]!.headers['webhook-signature']).not.toContain('v1a');
    expect(await change(webhook.id, { asymmetric: true })).toMatchObject({ public_key: expect.any(String) });
    expect(await change(webhook.id, { asymmetric: false })).toMatchObject({ public_key: null });
  });
});
