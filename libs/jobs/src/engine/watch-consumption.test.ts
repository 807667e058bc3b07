import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createLog } from '@parley/server/runtime';
import { capturedLog } from '@parley/testing';
import type { Engine } from './engine.ts';
import { watchConsumption, type ConsumptionWatch } from './watch-consumption.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(async () => {
  await watched.stop();
  jest.useRealTimers();
});

let watched: ConsumptionWatch;

/** A queue with `waiting` jobs, and workers that get an answer only when the test says so. */
function watch({ waiting = 1, delayed = [] as { timestamp: number; opts: { delay?: number } }[] } = {}) {
  const facts = {
    waiting,
    isAway: false,
    inFlight: 0,
    fetchedAtMs: 0,
    started: [] as boolean[],
    abandoned: 0,
    restarts: 0,
  };
  const queue = {
    getJobCounts: async () => (facts.isAway ? new Promise(() => undefined) : { waiting: facts.waiting }),
    getJobs: async () => delayed,
  };
  const logged = capturedLog();
  watched = watchConsumption({
    queue: 'email-jobs',
    engine: { queue: async () => queue } as unknown as Engine,
    log: createLog({ service: 'test', level: 'info', destination: logged }),
    recorder: { onRestart: () => void (facts.restarts += 1) },
    start: (isReplacement) => {
      facts.started.push(isReplacement);
      return {
        fetchedAtMs: () => facts.fetchedAtMs,
        close: async () => undefined,
        abandon: () => void (facts.abandoned += 1),
      };
    },
    countInFlight: () => facts.inFlight,
  });
  return { facts, logged };
}

const seconds = (count: number) => jest.advanceTimersByTimeAsync(count * 1_000);

test('a worker without an answer is replaced after 8 s while jobs wait', async () => {
  const { facts, logged } = watch();
  await seconds(7);
  expect(facts.restarts).toBe(0);
  await seconds(2);
  expect(facts).toMatchObject({ restarts: 1, abandoned: 1, started: [false, true] });
  expect(logged.lines()).toMatchObject([
    { event: 'queue.worker_restarted', queue: 'email-jobs', restarts: 1 },
  ]);
});

test.each([
  ['the queue is empty', { waiting: 0 }],
  ['jobs are delayed', { waiting: 0, delayed: [{ timestamp: Date.now(), opts: { delay: 3_600_000 } }] }],
])('never while %s', async (_what, queue) => {
  const { facts } = watch(queue);
  await seconds(120);
  expect(facts.restarts).toBe(0);
});

test('an overdue delayed job counts as waiting', async () => {
  const { facts } = watch({ waiting: 0, delayed: [{ timestamp: Date.now() - 1_000, opts: {} }] });
  await seconds(9);
  expect(facts.restarts).toBe(1);
});

test('never while jobs are in flight or the engine is away; the 8 s start at its return', async () => {
  const { facts } = watch();
  facts.inFlight = 1;
  await seconds(60);
  Object.assign(facts, { inFlight: 0, isAway: true });
  await seconds(60);
  expect(facts.restarts).toBe(0);
  facts.isAway = false;
  await seconds(14);
  expect(facts.restarts).toBe(1);
});

test('never while it gets answers', async () => {
  const { facts } = watch();
  for (let round = 1; round <= 20; round += 1) {
    facts.fetchedAtMs = round;
    await seconds(4);
  }
  expect(facts.restarts).toBe(0);
});

test('not alive after three useless restarts in five minutes, until it gets an answer or five minutes pass', async () => {
  const { facts, logged } = watch();
  await seconds(27);
  expect([facts.restarts, watched.isAlive()]).toEqual([3, true]);
  await seconds(20);
  expect([facts.restarts, watched.isAlive()]).toEqual([3, false]);
  expect(logged.lines().filter(({ event }) => event === 'queue.worker_beyond_help')).toHaveLength(1);
  await seconds(300);
  expect(facts.restarts).toBeGreaterThan(3);
  facts.fetchedAtMs = 1;
  await seconds(3);
  expect(watched.isAlive()).toBe(true);
});
