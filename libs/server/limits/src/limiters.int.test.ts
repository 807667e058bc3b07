// Both limiters, in Redis and in the process, with batches: all of a batch is admitted, or none.
import { setTimeout as rest } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createLog, Secret } from '@parley/server/runtime';
import { capturedLog, testRedisUrl } from '@parley/testing';
import { createLocalLimiter } from './local-limiter.ts';
import type { Policy, Reading } from './policy.rules.ts';
import { openRedisLimiter, type RedisLimiter } from './redis-limiter.ts';

const policy: Policy = { name: 'notify', unit: 'sends', requests: 5, windowMs: 3_000, concurrent: null };

let redis: RedisLimiter;
beforeAll(async () => {
  const log = createLog({ service: 'test', level: 'fatal', destination: capturedLog() });
  const url = new Secret(testRedisUrl());
  redis = await openRedisLimiter({ url, prefix: `limiters-${process.pid}`, log, leaseMs: 10_000 });
});
afterAll(() => redis.close());

const local = createLocalLimiter();
const ways: [string, (count: number) => Promise<Reading> | Reading][] = [
  ['in Redis', (count) => redis.admit('acme', 'notify', policy, '', count)],
  ['in the process', (count) => local.admit('acme', policy, count)],
];

describe.each(ways)('%s', (_way, admit) => {
  test('a batch fits, or waits until all of it does', async () => {
    expect(await admit(3)).toMatchObject({ refusedBy: null, counted: 3 });
    await rest(1_000);
    expect(await admit(3)).toMatchObject({ refusedBy: 'rate', counted: 3 });
    expect(await admit(2)).toMatchObject({ refusedBy: null, counted: 5 });
    const three = await admit(3);
    const four = await admit(4);
    expect([three.refusedBy, four.refusedBy]).toEqual(['rate', 'rate']);
    // three fit when the first batch expires, four when the second does
    expect(four.resetMs - three.resetMs).toBeGreaterThan(900);
    await rest(three.resetMs + 1);
    expect(await admit(3)).toMatchObject({ refusedBy: null, counted: 5 });
  });

  test('the largest possible batch', async () => {
    await rest(policy.windowMs);
    expect(await admit(5)).toMatchObject({ refusedBy: null, counted: 5 });
  });
});
