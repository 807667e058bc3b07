// Plans and limits (docs/platform.md#plans-and-limits) as clients see them: two replicas with one
// database and one Redis.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { eventually, testRedisUrl } from '@parley/testing';
import type { Caller } from '@parley/server/http';
import { startReplica, type TimedAnswer, type Replica } from '../replicas.ts';

/** A busy machine takes ten times as long as an idle one. */
jest.setTimeout(120_000);

/** A lease longer than a slow machine's pauses, and an intake window for a burst. */
const TIMES = { leaseMs: 3_000, intakeWindowMs: 20_000 };
/** The minute of tests that wait for windows to pass. */
const WINDOW_MS = 2_000;

let one: Replica;
let other: Replica;
/** Two replicas with short windows. */
let quick: readonly [Replica, Replica];
let redis: Redis;
beforeAll(async () => {
  one = await startReplica(TIMES);
  other = await startReplica(TIMES, one.env);
  const short = { ...TIMES, windowMs: WINDOW_MS };
  quick = [await startReplica(short, one.env), await startReplica(short, one.env)];
  redis = new Redis(testRedisUrl());
});
afterAll(async () => {
  redis.disconnect();
  for (const replica of quick) await replica.stop();
  await other.stop();
  await one.stop();
});

const admitted = (answers: readonly TimedAnswer[]) => answers.filter(({ status }) => status === 200);
const refused = (answers: readonly TimedAnswer[]) => answers.filter(({ status }) => status === 429);
const keysOf = (organizationId: string) =>
  redis.keys(`${one.deps.config.QUEUE_PREFIX}:limits:voice-api:{${organizationId}}:*`);

/** Concurrent requests, alternating between both replicas. */
function burst(
  key: string,
  count: number,
  replicas: readonly Replica[] = [one, other],
): Promise<TimedAnswer[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) => replicas[index % replicas.length]!.ask(key)),
  );
}

/** A set of `limit` + 1 requests that were certainly admitted within one window. */
function findExcess(answers: readonly TimedAnswer[], limit: number, windowMs: number): string | undefined {
  const all = admitted(answers);
  for (const { sentAtMs } of all) {
    const inside = all.filter(
      (answer) => answer.sentAtMs >= sentAtMs && answer.answeredAtMs < sentAtMs + windowMs,
    );
    if (inside.length > limit) return `${inside.length} in the window from ${sentAtMs}`;
  }
  return undefined;
}

/** A rejection although fewer than `limit` can have been admitted in the window before it. */
function findUnfoundedRejection(
  answers: readonly TimedAnswer[],
  limit: number,
  windowMs: number,
): string | undefined {
  const all = admitted(answers);
  for (const { sentAtMs, answeredAtMs } of refused(answers)) {
    const before = all.filter(
      (answer) => answer.answeredAtMs > sentAtMs - windowMs && answer.sentAtMs < answeredAtMs,
    );
    if (before.length < limit) return `refused at ${sentAtMs} after ${before.length}`;
  }
  return undefined;
}

describe('requests', () => {
  test('are limited exactly to the plan, over all replicas and keys', async () => {
    const keys = [await one.issueKey('exact'), await one.issueKey('exact')];
    await one.describe('exact', { concurrentConnections: 1_000 });
    const answers = (await Promise.all(keys.map((key) => burst(key, 60)))).flat();
    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 429)).toEqual(
      [],
    );
    expect([admitted(answers).length, refused(answers).length]).toEqual([60, 60]);
    const remaining = admitted(answers).map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, index) => index));
  });

  test('never exceed the plan in any window and are never rejected without reason', async () => {
    const key = await one.issueKey('bursty');
    await one.describe('bursty', { requestsPerMinute: 20, concurrentConnections: 1_000 });
    const answers: TimedAnswer[] = [];
    // A fixed window would admit bursts around its end twice.
    const rests = [0.95, 0.1, 0.4, 0.9, 0.15, 0.5, 0.5, 0.97, 0.05];
    for (const rest of rests) {
      answers.push(...(await burst(key, 17, quick)));
      await new Promise((resolve) => setTimeout(resolve, rest * WINDOW_MS));
    }
    expect(findExcess(answers, 20, WINDOW_MS)).toBeUndefined();
    expect(findUnfoundedRejection(answers, 20, WINDOW_MS)).toBeUndefined();
    expect(admitted(answers).length).toBeGreaterThan(60);
    expect(refused(answers).length).toBeGreaterThan(20);
  }, 40_000);

  test('succeed after Retry-After', async () => {
    const key = await one.issueKey('patient');
    await one.describe('patient', { requestsPerMinute: 2 });
    await burst(key, 2, quick);
    const { status, headers, body } = await quick[0].ask(key);
    expect(status).toBe(429);
    expect(body.error).toMatchObject({
      code: 'RATE_LIMITED',
      details: { policy: 'starter', limit: 2, retry_after_seconds: Number(headers.get('retry-after')) },
    });
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    await new Promise((resolve) => setTimeout(resolve, Number(headers.get('retry-after')) * 1000));
    expect((await quick[1].ask(key)).status).toBe(200);
  });

  test('follow a change of plan on every replica', async () => {
    const key = await one.issueKey('growing');
    expect((await one.ask(key)).headers.get('x-ratelimit-limit')).toBe('60');
    expect((await other.ask(key)).headers.get('x-ratelimit-limit')).toBe('60');
    await one.describe('growing', { plan: 'pro' });
    for (const replica of [one, other]) {
      await eventually(async () => (await replica.ask(key)).headers.get('x-ratelimit-limit') === '300', {
        timeoutMs: 3_000,
        intervalMs: 200,
      });
    }
  });

  test('survive a Redis clock that is set back', async () => {
    const key = await one.issueKey('clock');
    await one.describe('clock', { requestsPerMinute: 1 });
    const admittedIn = async (seconds: number) => {
      const [now] = await redis.time();
      await redis.del(one.logKey('clock'));
      await redis.rpush(one.logKey('clock'), String((Number(now) + seconds) * 1_000_000));
      return one.ask(key);
    };
    const little = await admittedIn(30);
    expect([little.status, little.headers.get('retry-after')]).toEqual([429, '60']);
    expect((await admittedIn(3_600)).status).toBe(200);
  });

  test('are unlimited on enterprise, without any Redis command', async () => {
    const key = await one.issueKey('large');
    await one.describe('large', { plan: 'enterprise' });
    expect(admitted(await burst(key, 400)).length).toBe(400);
    expect(await keysOf('large')).toEqual([]);
    const { headers } = await one.ask(key);
    expect(headers.get('ratelimit-policy')).toBe('"enterprise";q=999999999999999;w=60');
  });
});

describe('headers', () => {
  const LIMIT_FIELDS = [
    'ratelimit',
    'ratelimit-policy',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
  ];

  test('are in every authenticated answer', async () => {
    const admin = await one.issueKey('told');
    const reader = await one.issueKey('told', ['read']);
    const answers = [
      await one.ask(admin),
      await one.ask(admin, '/v1/api-keys/key_none', { method: 'DELETE' }),
      await one.ask(reader, '/v1/api-keys'),
      await one.ask(admin, '/v1/api-keys?limit=none'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 403, 400]);
    answers.forEach(({ headers }, index) => {
      expect(LIMIT_FIELDS.filter((name) => !headers.has(name))).toEqual([]);
      expect(headers.get('ratelimit-policy')).toBe(
        '"starter";q=60;w=60, "concurrency";q=10;qu="concurrent-requests"',
      );
      expect(headers.get('ratelimit')).toMatch(
        new RegExp(`^"starter";r=${59 - index};t=[56]\\d, "concurrency";r=9$`),
      );
      expect(headers.has('x-ratelimit-mode')).toBe(false);
    });
  });

  test('are absent without a valid credential', async () => {
    const { status, headers } = await one.ask('nonsense');
    expect(status).toBe(401);
    expect(LIMIT_FIELDS.filter((name) => headers.has(name))).toEqual([]);
  });
});

describe('requests in flight', () => {
  test('are limited exactly to the plan; rejected ones do not count as requests', async () => {
    const key = await one.issueKey('busy');
    await one.describe('busy', { requestsPerMinute: 1_000 });
    const uploads = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? one : other).upload(key));
    await eventually(() => uploads.filter(({ answered }) => answered() === 429).length === 30);
    const { status, body, headers } = await other.ask(key);
    expect(status).toBe(429);
    expect(body.error).toMatchObject({ code: 'CONCURRENCY_LIMITED', details: { limit: 10 } });
    expect(headers.get('retry-after')).toBe('1');
    expect(headers.get('ratelimit')).toMatch(/"concurrency";r=0$/);

    const running = uploads.filter(({ answered }) => answered() === undefined);
    expect(running.length).toBe(10);
    for (const upload of running) upload.finish();
    expect(await Promise.all(running.map((upload) => upload.status))).toEqual(Array(10).fill(201));
    // Immediately: the place is freed before the answer is sent.
    expect((await one.ask(key)).status).toBe(200);
  });

  test('end when the client disconnects', async () => {
    const key = await one.issueKey('fickle');
    await one.describe('fickle', { requestsPerMinute: 1_000 });
    for (let round = 0; round < 10; round += 1) {
      const uploads = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? one : other).upload(key));
      await eventually(() => uploads.filter(({ answered }) => answered() === 429).length === 10);
      for (const upload of uploads) upload.abort();
      await eventually(async () => (await redis.zcard(one.inFlightKey('fickle'))) === 0, { intervalMs: 5 });
    }
    // Some disconnect before they are admitted.
    const hasty = Array.from({ length: 200 }, () => one.upload(key));
    for (const upload of hasty) setTimeout(() => upload.abort(), Math.random() * 20);
    await Promise.all(hasty.map(({ status }) => status));
    await eventually(async () => (await redis.zcard(one.inFlightKey('fickle'))) === 0);
    expect((await one.ask(key)).status).toBe(200);
  }, 30_000);

  test('keep their place while they last; those of a killed replica lose it', async () => {
    const key = await one.issueKey('long');
    await one.describe('long', { requestsPerMinute: 1_000, concurrentConnections: 1 });
    const doomed = await startReplica(TIMES, one.env);
    const upload = doomed.upload(key);
    await eventually(async () => (await redis.zcard(one.inFlightKey('long'))) === 1);
    const until = performance.now() + 2 * TIMES.leaseMs;
    while (performance.now() < until) expect((await one.ask(key)).status).toBe(429); // renewed
    doomed.deps.limits.close(); // renews no more, and gives nothing back: as after SIGKILL
    await eventually(async () => (await one.ask(key)).status === 200, { timeoutMs: 3 * TIMES.leaseMs });
    upload.abort();
    await doomed.stop();
  }, 30_000);
});

describe('intake', () => {
  const caller = (organizationId: string): Caller => ({
    organizationId,
    kind: 'api_key',
    principal: 'key_1',
    scopes: new Set(['write']),
  });
  const outcome = async (organizationId: string, limitClass?: string) => {
    try {
      await one.deps.limits.limit.admit(caller(organizationId), limitClass ? { limitClass } : {});
      return 'admitted';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  test.each(['starter', 'enterprise'] as const)(
    'allows 100 requests a second outside the plan, on %s',
    async (plan) => {
      const organizationId = `intake-${plan}`;
      await one.describe(organizationId, { plan });
      const outcomes = await Promise.all(
        Array.from({ length: 150 }, () => outcome(organizationId, 'intake')),
      );
      expect(outcomes.filter((word) => word === 'rate_limited').length).toBe(50);
      expect(await outcome(organizationId)).toBe('admitted'); // the plan's own limit is untouched
    },
  );
});

test('served requests count in the analytics', async () => {
  const key = await one.issueKey('counted');
  await one.describe('counted', { concurrentConnections: 1_000 });
  await burst(key, 70);
  await eventually(async () => {
    const [row] = await one.deps.sql<{ requests: number }>(
      'SELECT sum(api_requests)::int AS requests FROM analytics_facts WHERE organization_id = $1',
      ['counted'],
    );
    return row?.requests === 60;
  });
});

test('rejected credentials are limited by address, which TRUST_PROXY determines', async () => {
  const proxied = await startReplica({}, { ...one.env, TRUST_PROXY: '1' });
  const from = (address: string) =>
    proxied.ask('va_test_nonsense', '/v1/api-keys', { headers: { 'x-forwarded-for': address } });
  for (let count = 0; count < 300; count += 20) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => from('203.0.113.7')));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(401));
  }
  const blocked = await from('203.0.113.7');
  expect(blocked.status).toBe(429);
  expect(blocked.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect((await from('203.0.113.8')).status).toBe(401);
  await proxied.stop();
});
