// The Redis users of docker/redis-users.acl on a real server: each service can do its work and
// touches nothing of another.
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { eventually } from '@parley/testing';
import { ackKind } from '../src/messages/acks.ts';
import {
  onJob,
  PARTIES,
  QUEUE_NAMES,
  listQueues,
  listAccessibleQueues,
  buildRedisRules,
  SERVICES,
  startOutboxSweeper,
  type JobKind,
  type Party,
  type QueueName,
} from '../src/index.ts';
import { conversationEvent, openBench, type Bench } from './bench.ts';

let bench: Bench;
let admin: Redis;
const password = randomBytes(16).toString('hex');
const userOf = (party: Party) => `${bench.prefix}-${party}`;
const urlOf = (party: Party) => Object.assign(new URL(bench.url), { username: userOf(party), password }).href;

beforeAll(async () => {
  bench = await openBench('redis');
  admin = new Redis(bench.url);
});
beforeEach(async () => {
  for (const party of PARTIES) {
    const rules = buildRedisRules(party, bench.prefix).split(' ');
    await admin.call('ACL', 'SETUSER', userOf(party), 'on', `>${password}`, ...rules);
  }
});
afterEach(async () => {
  const users = PARTIES.map(userOf);
  await bench.reset();
  await admin.call('ACL', 'DELUSER', ...users);
});
afterAll(async () => {
  admin.disconnect();
  await bench.close();
});

const jobOf = (queue: QueueName): JobKind<{ n: number }> => ({
  name: 'any',
  queue,
  payload: z.object({ n: z.number() }),
  attempts: 3,
  timeoutMs: 5_000,
});
const newJob = (n: number) => ({ row: `row-${n}`, attempt: 1, enqueueNumber: 0, payload: { n } });

test.each(SERVICES)('%s enqueues, looks up, counts and consumes its queues', async (service) => {
  const queues = await bench.openReadyQueues(urlOf(service));
  for (const queue of listAccessibleQueues(service)) {
    const producer = queues.producer(jobOf(queue));
    const many = [1, 2, 3].map(newJob);
    expect([await producer.enqueue([newJob(0)]), await producer.enqueue(many)]).toEqual([true, true]);
    expect(await producer.enqueue([{ ...newJob(4), delayMs: 200 }])).toBe(true);
    expect((await queues.findQueued(queue, ['row-0-1-0', 'row-9-1-0']))?.size).toBe(1);
    expect(await queues.readStats([queue])).toMatchObject([{ waiting: 4, delayed: 1 }]);
  }
  for (const queue of listQueues(service)) {
    let failed = false;
    const done: number[] = [];
    queues.worker(queue, [
      onJob(jobOf(queue), async ({ n }) => {
        if (n === 2 && !failed) {
          failed = true;
          throw new Error('comes again');
        }
        done.push(n);
      }),
    ]);
    await eventually(() => done.length === 5);
  }
  expect(bench.logged.text()).not.toContain('NOPERM');
});

test('a message reaches its consumer, and its acknowledgement the producer', async () => {
  const producing = await bench.openReadyQueues(urlOf('flow-builder'));
  bench.consume(await bench.openReadyQueues(urlOf('voice-api')));
  const { producing: pool, now: clock, log } = bench;
  const messageKeys = bench.messageKeys['flow-builder'];
  const tending = startOutboxSweeper({
    service: 'flow-builder',
    pool,
    queues: producing,
    messageKeys,
    clock,
    log,
  });
  bench.onClose(() => tending.close());
  const enqueued = await bench.commit(producing, [conversationEvent('a')]);
  expect(await bench.outbox(producing).enqueueJobs(enqueued)).toBe(true);
  await eventually(async () => (await bench.outboxRows()).length === 0);
  expect(await bench.effects()).toEqual(['a']);
});

test.each(SERVICES)('%s counts only its own limits', async (service) => {
  const redis = new Redis(urlOf(service));
  try {
    expect(await redis.incr(`${bench.prefix}:limits:${service}:{acme}:plan`)).toBe(1);
    await expect(redis.incr(`${bench.prefix}:limits:another:{acme}:plan`)).rejects.toThrow('NOPERM');
  } finally {
    redis.disconnect();
  }
});

describe.each(PARTIES)('%s', (party) => {
  test('cannot add to a queue of another service', async () => {
    const touched = new Set(listAccessibleQueues(party));
    const others = QUEUE_NAMES.filter((queue) => !touched.has(queue));
    expect(others.length).toBeGreaterThan(0);
    const queues = await bench.openReadyQueues(urlOf(party));
    for (const queue of others) {
      expect([queue, await queues.producer(jobOf(queue)).enqueue([newJob(1)])]).toEqual([queue, false]);
    }
    if (party !== 'flow-builder') return;
    const kind = ackKind('notifications');
    const ack = { row: 'ack', attempt: 1, enqueueNumber: 0, payload: { message_ids: ['a'] } };
    expect(await queues.producer(kind).enqueue([ack])).toBe(false); // it consumes nothing of theirs
  });

  test('can neither touch nor list keys of another service, nor administer', async () => {
    await admin.set(`${bench.prefix}:alien:wait`, 'kept');
    const redis = new Redis(urlOf(party));
    const commands = [
      ['GET', `${bench.prefix}:alien:wait`],
      ['DEL', `${bench.prefix}:alien:wait`],
      ['EVAL', 'return redis.call("GET", KEYS[1])', '1', `${bench.prefix}:alien:wait`],
      ['EVAL', 'return redis.call("GET", ARGV[1])', '0', `${bench.prefix}:alien:wait`],
      ['KEYS', '*'],
      ['SCAN', '0'],
      ['RANDOMKEY'],
      ['FLUSHALL'],
      ['FLUSHDB'],
      ['SCRIPT', 'FLUSH'],
      ['CONFIG', 'GET', '*'],
      ['CLIENT', 'LIST'],
      ['ACL', 'LIST'],
      ['MONITOR'],
      ['SHUTDOWN'],
      ['SUBSCRIBE', 'any'],
      ['PUBLISH', 'any', 'x'],
    ] as const;
    try {
      for (const [command, ...args] of commands) {
        await expect(redis.call(command, ...args)).rejects.toThrow(/NOPERM|can't access|No permissions/i);
      }
      expect(await admin.get(`${bench.prefix}:alien:wait`)).toBe('kept');
    } finally {
      redis.disconnect();
    }
  });
});
