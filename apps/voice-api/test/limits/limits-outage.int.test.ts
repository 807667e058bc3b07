// Limits while Redis is unavailable, hangs or comes back empty; and without Redis.
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { eventually, tcpProxy, testPostgresUrl, testRedisUrl, type TcpProxy } from '@parley/testing';
import { startReplica, type TimedAnswer, type Replica } from '../replicas.ts';

/** A busy machine takes ten times as long as an idle one. */
jest.setTimeout(120_000);

/** For the test that waits for windows to pass; elsewhere a minute is a minute. */
const WINDOW_MS = 3_000;
const LIMIT = 20;
/** The timeout of one command and the pauses of a loaded machine. */
const ANSWER_WITHIN_MS = 2_000;
/** For rounds that would each wait 0.5 s if they still queried Redis; 20 rounds. */
const ROUNDS = 20;
const ROUNDS_WITHIN_MS = 5_000;

let proxy: TcpProxy;
let replica: Replica;
let redis: Redis;
beforeAll(async () => {
  proxy = await tcpProxy(testRedisUrl());
  replica = await startReplica({}, { QUEUE_URL: proxy.url });
  redis = new Redis(testRedisUrl());
});
afterEach(async () => {
  proxy.restore();
  await eventually(async () => !(await isDegraded()));
});
afterAll(async () => {
  redis.disconnect();
  await replica.stop();
  await proxy.close();
});

async function isDegraded(of: Replica = replica): Promise<boolean> {
  return /^limits_degraded\S* 1$/m.test(await of.deps.metrics.text());
}

async function organization(id: string): Promise<string> {
  const key = await replica.issueKey(id);
  await replica.describe(id, { requestsPerMinute: LIMIT, concurrentConnections: 1_000 });
  return key;
}

const isDegradedAnswer = ({ headers }: TimedAnswer) => headers.get('x-ratelimit-mode') === 'degraded';
const statuses = (answers: readonly TimedAnswer[]) =>
  [...new Set(answers.map(({ status }) => status))].sort();
const slowest = (answers: readonly TimedAnswer[]) =>
  Math.max(...answers.map(({ sentAtMs, answeredAtMs }) => answeredAtMs - sentAtMs));
const burst = (key: string, count: number, of: Replica = replica) =>
  Promise.all(Array.from({ length: count }, () => of.ask(key)));

test.each(['cut', 'freeze'] as const)(
  'Redis is %s: every answer in time, limited all the same',
  async (how) => {
    const key = await organization(`away-${how}`);
    const before = await burst(key, 5);
    expect(before.some(isDegradedAnswer)).toBe(false);

    proxy[how]();
    const during = await burst(key, 10);
    const startedAtMs = performance.now();
    for (let round = 0; round < ROUNDS; round += 1) during.push(...(await burst(key, 4)));
    // Only the first ones wait.
    expect(performance.now() - startedAtMs).toBeLessThan(ROUNDS_WITHIN_MS);
    expect(statuses(during)).toEqual([200, 429]); // never a 500
    expect(slowest(during)).toBeLessThan(ANSWER_WITHIN_MS);
    // Earlier requests still count.
    expect(during.filter(({ status }) => status === 200).length).toBe(LIMIT - 5);
    expect(during.every(isDegradedAnswer)).toBe(true);
    expect(during.at(-1)!.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  },
);

test('repeated restarts of an empty Redis never admit more than the plan in a window', async () => {
  const quick = await startReplica({ windowMs: WINDOW_MS }, replica.env);
  const key = await organization('flaky');
  const answers: TimedAnswer[] = [];
  const ask = async (count: number) => void answers.push(...(await burst(key, count, quick)));
  const wait = (part: number) => new Promise((resolve) => setTimeout(resolve, part * WINDOW_MS));
  for (let round = 0; round < 3; round += 1) {
    await ask(8);
    if (round % 2 === 0) proxy.cut();
    else proxy.freeze();
    await ask(8);
    await wait(0.2);
    await forget('flaky');
    proxy.restore();
    await eventually(async () => !(await isDegraded(quick)));
    await ask(8);
    await wait(0.3);
    await ask(8);
  }
  expect(statuses(answers)).toEqual([200, 429]);
  const all = answers.filter(({ status }) => status === 200);
  for (const { sentAtMs } of all) {
    const inside = all.filter(
      (answer) => answer.sentAtMs >= sentAtMs && answer.answeredAtMs < sentAtMs + WINDOW_MS,
    );
    expect(inside.length).toBeLessThanOrEqual(LIMIT);
  }
  expect(all.length).toBeGreaterThan(LIMIT);
  expect(answers.some(isDegradedAnswer)).toBe(true);
  await quick.stop();
}, 30_000);

/** The state of a Redis without persistence after a restart. */
async function forget(organizationId: string): Promise<void> {
  const keys = await redis.keys(`${replica.deps.config.QUEUE_PREFIX}:limits:{${organizationId}}:*`);
  if (keys.length > 0) await redis.del(...keys);
}

test('requests that end while Redis is unavailable free their place in Redis', async () => {
  const key = await replica.issueKey('held');
  await replica.describe('held', { requestsPerMinute: 1_000, concurrentConnections: 2 });
  const uploads = [replica.upload(key), replica.upload(key)];
  await eventually(async () => (await redis.zcard(replica.inFlightKey('held'))) === 2);
  proxy.cut();
  await eventually(() => isDegraded());
  // They are in flight here.
  expect((await replica.ask(key)).body.error?.code).toBe('CONCURRENCY_LIMITED');
  for (const upload of uploads) upload.finish();
  expect(await Promise.all(uploads.map(({ status }) => status))).toEqual([201, 201]);
  proxy.restore();
  await eventually(async () => !(await isDegraded()));
  // Long before the leases of 10 s end.
  await eventually(async () => (await replica.ask(key)).status === 200, { timeoutMs: 8_000 });
});

test('with the queue on Postgres each process counts by itself, exactly', async () => {
  const alone = await startReplica(
    {},
    { ...replica.env, QUEUE_URL: testPostgresUrl(), QUEUE_PREFIX: `l${replica.env['QUEUE_PREFIX']}` },
  );
  const key = await organization('alone');
  const answers = await Promise.all(Array.from({ length: 2 * LIMIT }, () => alone.ask(key)));
  expect(answers.filter(({ status }) => status === 200).length).toBe(LIMIT);
  expect(answers.every(isDegradedAnswer)).toBe(true);
  await alone.stop();
});

test('a service starts without Redis and uses it as soon as it is available', async () => {
  proxy.cut();
  const early = await startReplica({}, { ...replica.env, QUEUE_URL: proxy.url });
  const key = await organization('early');
  expect(isDegradedAnswer(await early.ask(key))).toBe(true);
  proxy.restore();
  await eventually(async () => !isDegradedAnswer(await early.ask(key)), { intervalMs: 300 });
  await early.stop();
});
