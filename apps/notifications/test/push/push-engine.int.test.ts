// The sending engine of web push against a push service that decrypts and verifies with other
// libraries: transport, tokens and outcomes. No database.
import { afterEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { createAddressPolicy, createOutbound } from '@parley/outbound';
import { eventually, pushService, type PushService, type TestSubscription } from '@parley/testing';
import { createEncrypt, encryptOne } from '../../src/push-engine/encrypt.ts';
import { createPushOrigins } from '../../src/push-engine/push-origins.ts';
import { createPushSender, computeTopic } from '../../src/push-engine/push-sender.ts';
import { readDeviceKeys } from '../../src/push-engine/subscription-keys.ts';
import { createVapidTokens, parseVapidKeys } from '../../src/push-engine/vapid-keys.ts';
import { newVapidKey } from './vapid.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const OPTIONS = { ttlSeconds: 60, urgency: 'normal' } as const;

function engine(service: PushService, options: { timeoutMs?: number; inFlightMax?: number } = {}) {
  const log = pino({ level: 'silent' });
  let nowMs = Date.now();
  const clock = () => nowMs;
  const outbound = createOutbound({
    policy: createAddressPolicy({ allow: ['127.0.0.1'] }),
    log,
    ca: service.ca,
  });
  const origins = createPushOrigins({
    outbound,
    clock,
    log,
    timeoutMs: 10_000,
    pauseFirstMs: 5_000,
    inFlightMax: 100,
    random: () => 0,
    ...options,
  });
  stops.push(async () => {
    await origins.close();
    await outbound.close();
  });
  const tokens = createVapidTokens({ subject: 'mailto:ops@example.com', clock });
  const sender = createPushSender({ origins, tokens });
  const keys = parseVapidKeys(`k1:${newVapidKey()},k2:${newVapidKey()}`);
  const encrypt = createEncrypt();
  return {
    keys,
    later: (ms: number) => void (nowMs += ms),
    send: (subscription: TestSubscription, text: string, key = keys.current) => {
      const read = readDeviceKeys(subscription.keys);
      if (!read.ok) throw new Error('the test service gives good keys');
      const body = encryptOne(encrypt, Buffer.from(text), read.keys);
      return sender.send(
        subscription.endpoint,
        body,
        key,
        computeTopic('ntf_1', subscription.endpoint),
        OPTIONS,
      );
    },
  };
}

async function opened(options?: Parameters<typeof pushService>[0]): Promise<PushService> {
  const service = await pushService(options);
  stops.push(() => service.close());
  return service;
}

describe.each([
  ['HTTP/2', false, '2.0'],
  ['HTTP/1.1', true, '1.1'],
] as const)('over %s', (_, http1, httpVersion) => {
  test('a message arrives unchanged, with everything that the RFCs require', async () => {
    const service = await opened({ http1 });
    const { send, keys } = engine(service);
    const device = service.subscribe({ vapidKey: keys.current.publicKey });
    expect(await send(device, 'Grüße 👋')).toMatchObject({ kind: 'sent' });
    expect(service.problems).toEqual([]);
    expect(service.pushes).toMatchObject([
      {
        device: service.getDevice(device),
        text: 'Grüße 👋',
        ttl: 60,
        urgency: 'normal',
        vapidKey: keys.current.publicKey,
        vapidSubject: 'mailto:ops@example.com',
        httpVersion,
      },
    ]);
    expect(service.pushes[0]!.topic).toMatch(/^[A-Za-z0-9_-]{32}$/);
  });

  const gone = { kind: 'gone' };
  const throttled = { kind: 'throttled' };
  test.each([
    [201, { kind: 'sent' }],
    [202, { kind: 'sent' }],
    [404, gone],
    [410, gone],
    [413, { kind: 'rejected', errorClass: 'too_large' }],
    [400, { kind: 'rejected', errorClass: 'http_status' }],
    [{ status: 400, body: '{"reason":"VapidPkHashMismatch"}' }, { kind: 'key_mismatch' }],
    [
      { status: 403, body: '{"reason":"BadJwtToken"}' },
      { kind: 'rejected', errorClass: 'http_status' },
    ],
    [
      { status: 429, headers: { 'retry-after': '7' } },
      { ...throttled, waitMs: 7_000 },
    ],
    [406, throttled],
    [503, throttled],
    [500, { kind: 'unavailable', errorClass: 'http_status' }],
    ['hang', { kind: 'unavailable', errorClass: 'timeout' }],
    ['reset', { kind: 'unavailable', errorClass: 'connection_lost' }],
    ['cut', { kind: 'unavailable', errorClass: 'connection_lost' }],
  ] as const)('%j is %j', async (answer, outcome) => {
    const service = await opened({ http1 });
    const { send } = engine(service, { timeoutMs: answer === 'hang' ? 300 : 10_000 });
    service.script(answer);
    expect(await send(service.subscribe(), 'x')).toMatchObject(outcome);
  });

  test('401 is retried with a fresh token; a second one is a mismatch', async () => {
    const service = await opened({ http1 });
    const { send, later } = engine(service);
    const device = service.subscribe();
    await send(device, 'warm');
    service.script(401);
    later(1_000);
    expect(await send(device, 'once')).toMatchObject({ kind: 'sent' });
    service.script(401, 401);
    expect(await send(device, 'twice')).toMatchObject({ kind: 'key_mismatch' });
    expect(service.pushes.map(({ status }) => status)).toEqual([201, 401, 201, 401, 401]);
  });

  test('a subscription of another key is a mismatch', async () => {
    const service = await opened({ http1 });
    const { send, keys } = engine(service);
    const old = service.subscribe({ vapidKey: keys.byId.get('k2')!.publicKey });
    expect(await send(old, 'x')).toMatchObject({ kind: 'key_mismatch' });
    expect(await send(old, 'x', keys.byId.get('k2'))).toMatchObject({ kind: 'sent' });
  });

  test('a throttling service is paused for the requested time, then retried', async () => {
    const service = await opened({ http1 });
    const { send, later } = engine(service);
    service.script({ status: 429, headers: { 'retry-after': '30' } });
    await send(service.subscribe(), 'a');
    expect(await send(service.subscribe(), 'b')).toEqual({ kind: 'deferred', waitMs: 30_000 });
    later(29_999);
    expect(await send(service.subscribe(), 'c')).toMatchObject({ kind: 'deferred' });
    later(1);
    expect(await send(service.subscribe(), 'd')).toMatchObject({ kind: 'sent' });
    expect(service.pushes.map(({ text }) => text)).toEqual(['a', 'd']);
  });
});

test('one connection carries hundreds of requests, within the limit in flight', async () => {
  const service = await opened({ latencyMs: 5 });
  const { send } = engine(service, { inFlightMax: 20 });
  const devices = Array.from({ length: 200 }, () => service.subscribe());
  const results = await Promise.all(devices.map((device, index) => send(device, `to ${index}`)));
  expect(results.every(({ kind }) => kind === 'sent')).toBe(true);
  expect(service.connections()).toBe(1);
  expect(new Set(service.pushes.map(({ device }) => device)).size).toBe(200);
});

test('obeys the number of streams that the service allows', async () => {
  const service = await opened({ latencyMs: 5, maxConcurrentStreams: 3 });
  const { send } = engine(service);
  await send(service.subscribe(), 'first'); // its settings have arrived with the answer
  const results = await Promise.all(Array.from({ length: 30 }, () => send(service.subscribe(), 'x')));
  expect(results.every(({ kind }) => kind === 'sent')).toBe(true);
});

test('GOAWAY: requests in flight are answered, later ones use a new connection', async () => {
  const service = await opened({ latencyMs: 100 });
  const { send } = engine(service);
  const first = send(service.subscribe(), 'first');
  await service.received(1);
  service.goAway();
  expect(await first).toMatchObject({ kind: 'sent' });
  expect(await send(service.subscribe(), 'second')).toMatchObject({ kind: 'sent' });
  expect(service.connections()).toBe(2);
});

test('replaces a lost connection, and reports it for its requests', async () => {
  const service = await opened({ latencyMs: 200 });
  const { send } = engine(service);
  const inFlight = Array.from({ length: 5 }, () => send(service.subscribe(), 'x'));
  await service.received(5);
  service.script('cut');
  void send(service.subscribe(), 'cuts');
  expect((await Promise.all(inFlight)).map(({ kind }) => kind)).toEqual(Array(5).fill('unavailable'));
  expect(await send(service.subscribe(), 'after')).toMatchObject({ kind: 'sent' });
});

test('a service that accepts everything and answers nothing is paused, and its connection closed', async () => {
  const service = await opened();
  const { send } = engine(service, { timeoutMs: 200 });
  service.always('hang');
  const results = await Promise.all(Array.from({ length: 12 }, () => send(service.subscribe(), 'x')));
  expect(results.every(({ kind }) => kind === 'unavailable')).toBe(true);
  expect(await send(service.subscribe(), 'x')).toMatchObject({ kind: 'deferred' });
});

test('an unreachable service is paused after the first failure', async () => {
  const service = await pushService();
  const device = service.subscribe();
  const { send } = engine(service);
  await service.close();
  expect(await send(device, 'x')).toMatchObject({ kind: 'unavailable', errorClass: 'connect_refused' });
  expect(await send(device, 'x')).toMatchObject({ kind: 'deferred' });
});

test('an untrusted certificate is refused, and an internal address is never called', async () => {
  const service = await opened();
  const { send } = engine({ ...service, ca: '' });
  expect(await send(service.subscribe(), 'x')).toMatchObject({
    kind: 'unavailable',
    errorClass: 'tls_error',
  });
  const inside = { ...service.subscribe(), endpoint: 'https://10.0.0.1/push/x' };
  expect(await send(inside, 'x')).toMatchObject({ kind: 'rejected', errorClass: 'blocked_address' });
  await eventually(() => service.pushes.length === 0);
});

describe('tokens', () => {
  test('one per origin and key, until half of its lifetime', () => {
    let nowMs = 1_700_000_000_000;
    const keys = parseVapidKeys(`k1:${newVapidKey()},k2:${newVapidKey()}`);
    const tokens = createVapidTokens({ subject: 'https://example.com/push', clock: () => nowMs });
    const first = tokens.authorization('https://a.example', keys.current);
    nowMs += 6 * 3_600_000 - 1;
    expect(tokens.authorization('https://a.example', keys.current)).toBe(first);
    expect(tokens.authorization('https://b.example', keys.current)).not.toBe(first);
    expect(tokens.authorization('https://a.example', keys.byId.get('k2')!)).not.toBe(first);
    nowMs += 1;
    expect(tokens.authorization('https://a.example', keys.current)).not.toBe(first);
  });

  test.each(['', 'k1', 'k1:AAAA', `k1:${Buffer.alloc(32).toString('base64url')}`])(
    'an invalid entry %j is reported by its position, never by its value',
    (entry) => {
      const good = newVapidKey();
      expect(() => parseVapidKeys(`k0:${good},${entry}`)).toThrow('entry 2 of the VAPID keys');
      expect(() => parseVapidKeys(`k0:${good},k0:${good}`)).toThrow('repeats the id "k0"');
    },
  );
});
