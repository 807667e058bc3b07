// Receivers that redirect, hang, drip, never end, compress or disconnect; a dead one among a
// hundred; addresses that resolve to private ones at connect time.
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { eventually, receiver, type Receiver } from '@parley/testing';
import { startVoiceApi, type VoiceApi } from './service.ts';
import { commit, deliveries, detail, event, LOOPBACK, registered } from './webhooks.ts';

/** A busy machine takes ten times as long as an idle one. */
jest.setTimeout(120_000);

const TIMEOUT_MS = 700;

let service: VoiceApi;
let closes: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  service = await startVoiceApi({
    workers: true,
    // The real schedule: the test sees one attempt.
    env: { ...LOOPBACK, DELIVERY_TIMEOUT_MS: String(TIMEOUT_MS) },
  });
});
afterAll(() => service.stop());
afterEach(async () => {
  await Promise.all(closes.map((close) => close()));
  closes = [];
  await service.deps.sql(
    'TRUNCATE webhooks, webhook_events, webhook_deliveries, webhook_delivery_attempts, webhook_delivery_batches',
  );
});

/** A raw server that answers after the head of a request. */
async function raw(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined); // the disconnect is part of the test
    socket.once('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closes.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function outside(fallback: Parameters<typeof receiver>[0]): Promise<Receiver> {
  const made = await receiver(fallback);
  closes.push(() => made.close());
  return made;
}

/** The first attempt of a receiver's delivery in the log. */
async function firstAttempt(url: string) {
  const webhook = await registered(service, url);
  await commit(service, [event()]);
  const [one] = await eventually(async () => {
    const all = await deliveries(service, webhook.id);
    return all[0]!.attempts === 1 && all;
  });
  const { attempt_log: log, status } = await detail(service, webhook.id, one!.id);
  return { ...log[0]!, delivery: status };
}

test('a redirect is a failure and is not followed', async () => {
  const target = await outside({});
  const redirecting = await outside({ fallback: { status: 307, headers: { location: target.url } } });
  expect(await firstAttempt(redirecting.url)).toMatchObject({
    status: 307,
    error_class: 'http_status',
    delivery: 'pending',
  });
  expect(target.requests).toHaveLength(0);
});

test('a receiver that never answers times out', async () => {
  const hanging = await outside({ fallback: 'hang' });
  expect(await firstAttempt(hanging.url)).toMatchObject({ status: null, error_class: 'timeout' });
});

test('a receiver that drips its answer times out', async () => {
  const url = await raw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
    const timer = setInterval(() => socket.write('.'), 50);
    socket.once('close', () => clearInterval(timer));
  });
  expect(await firstAttempt(url)).toMatchObject({ status: 200, error_class: 'timeout', delivery: 'pending' });
});

test('an endless answer is read up to 64 KiB, stored up to 4 KiB, and its status counts', async () => {
  const url = await raw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    const more = () => {
      while (!socket.destroyed && socket.write(`4000\r\n${'y'.repeat(0x4000)}\r\n`));
    };
    socket.on('drain', more);
    more();
  });
  const attempt = await firstAttempt(url);
  expect(attempt).toMatchObject({ status: 200, error_class: null, delivery: 'delivered' });
  expect(attempt.answer).toBe('y'.repeat(4_096));
});

test('a compressed answer is not decompressed', async () => {
  const bomb = gzipSync(Buffer.alloc(1024 * 1024));
  const packed = await outside({
    fallback: { status: 200, headers: { 'content-encoding': 'gzip' }, body: bomb },
  });
  expect(await firstAttempt(packed.url)).toMatchObject({ status: 200, answer: null, delivery: 'delivered' });
});

test('a connection that breaks is a failure', async () => {
  const breaking = await outside({ fallback: 'reset' });
  expect(await firstAttempt(breaking.url)).toMatchObject({
    error_class: 'connection_lost',
    delivery: 'pending',
  });
});

test('an answer that is not HTTP is a failure', async () => {
  const url = await raw((socket) => socket.end('220 mail.example.com ESMTP\r\n'));
  expect(await firstAttempt(url)).toMatchObject({ error_class: 'connection_lost', delivery: 'pending' });
});

test('an address that became private is blocked at connect time and not logged', async () => {
  const webhook = await registered(service, 'https://hooks.example.com/');
  await service.deps.sql(`UPDATE webhooks SET url = 'https://169.254.169.254/latest' WHERE id = $1`, [
    webhook.id,
  ]);
  await commit(service, [event()]);
  const [one] = await eventually(async () => {
    const all = await deliveries(service, webhook.id);
    return all[0]!.attempts === 1 && all;
  });
  const { attempt_log: log } = await detail(service, webhook.id, one!.id);
  expect(log[0]).toMatchObject({ error_class: 'blocked_address', status: null, answer: null });
  expect(log[0]!.message).not.toContain('169.254');
});

test('Retry-After extends the wait, at most to twice', async () => {
  const asking = await outside({ fallback: { status: 503, headers: { 'retry-after': '90' } } });
  const webhook = await registered(service, asking.url);
  await commit(service, [event()]);
  const [one] = await eventually(async () => {
    const all = await deliveries(service, webhook.id);
    return all[0]?.next_attempt_at != null && all;
  });
  const { attempt_log: log } = await detail(service, webhook.id, one!.id);
  const at = Date.parse((log[0] as unknown as { at: string }).at);
  const waitMs = Date.parse(one!.next_attempt_at!) - at;
  expect(waitMs).toBeGreaterThanOrEqual(90_000);
  expect(waitMs).toBeLessThan(100_000);
});

test('a dead receiver among a hundred does not delay the others', async () => {
  const patient = await startVoiceApi({ workers: true, env: LOOPBACK }); // 15 s for an answer
  closes.push(() => patient.stop());
  const dead = await outside({ fallback: 'hang' });
  const alive = await outside({});
  const clients = [patient.api, patient.as(await patient.issueKey('second'))];
  const webhooks: { organizationId: string; id: string }[] = [];
  for (const [index, api] of clients.entries()) {
    for (let count = 0; count < 50; count += 1) {
      const url = index === 0 && count === 0 ? dead.url : `${alive.url}/${index}/${count}`;
      const { id } = await registered({ api }, url);
      webhooks.push({ organizationId: index === 0 ? 'acme' : 'second', id });
    }
  }
  // Every batch of 50 contains one delivery to the dead receiver.
  const rounds = 40;
  for (let round = 0; round < rounds; round += 1)
    await commit(patient, [event(), event({ organizationId: 'second' })]);
  await eventually(() => alive.requests.length === 99 * rounds, { timeoutMs: 60_000 });
  expect(patient.log.with('delivery.attempted').filter((line) => line['error_class'] === 'timeout')).toEqual(
    [],
  );
  expect(dead.requests.length).toBeGreaterThan(0);
  expect(dead.requests.length).toBeLessThanOrEqual(10);
  const alivePaths = new Map<string, number>();
  for (const { path } of alive.requests) alivePaths.set(path, (alivePaths.get(path) ?? 0) + 1);
  expect([...alivePaths.values()].every((count) => count === rounds)).toBe(true);
  const ofTheDead = await deliveries(patient, webhooks[0]!.id);
  expect(ofTheDead.every(({ status, attempts }) => status === 'pending' && attempts === 0)).toBe(true);
}, 120_000);

test('after a timeout a receiver pauses, then gets one attempt at a time until it answers', async () => {
  const hanging = await outside({ fallback: 'hang' });
  const webhook = await registered(service, hanging.url);
  await commit(
    service,
    Array.from({ length: 40 }, () => event()),
  );
  await eventually(async () => {
    const all = await deliveries(service, webhook.id);
    return all.filter(({ attempts }) => attempts === 1).length >= 10;
  });
  const waiting = await eventually(async () => {
    const all = (await deliveries(service, webhook.id)).filter(({ attempts }) => attempts === 0);
    return all.every((one) => one.next_attempt_at !== null) && all;
  });
  expect(waiting.length).toBeGreaterThan(20); // deferred without an attempt
  expect(hanging.requests.length).toBeLessThanOrEqual(14);
});

test('a receiver that answers again immediately gets its deferred deliveries', async () => {
  let hangs = true;
  const outage = await outside({ fallback: () => (hangs ? 'hang' : 200) });
  const webhook = await registered(service, outage.url);
  await commit(
    service,
    Array.from({ length: 90 }, () => event()),
  );
  // In doubt; most deliveries are due within a minute.
  await eventually(async () => {
    const due = (await deliveries(service, webhook.id)).filter(({ attempts }) => attempts === 0);
    const late = due.filter((one) => Date.parse(one.next_attempt_at ?? '') > Date.now() + 25_000);
    return late.length > 20;
  });
  hangs = false;
  await eventually(async () => {
    const open = (await deliveries(service, webhook.id)).filter(({ status, attempts }) => {
      // Attempted deliveries follow the schedule.
      return status === 'pending' && attempts === 0;
    });
    return open.length === 0;
  });
});
