// A service's own jobs on a queue, and how a worker stops.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '@parley/testing';
import { z } from 'zod';
import { onJob, type JobContext, type JobKind, type Queues, type WorkerOptions } from '../src/index.ts';
import { ENGINES, openBench, openGate, type Bench } from './bench.ts';

interface Attempt {
  delivery_id: string;
}
const attemptDelivery: JobKind<Attempt> = {
  name: 'delivery.attempt',
  queue: 'webhook-deliveries',
  payload: z.object({ delivery_id: z.string() }),
  attempts: 3,
  timeoutMs: 500,
};

describe.each(ENGINES)('on %s', (engine) => {
  let bench: Bench;
  let queues: Queues;
  beforeAll(async () => {
    bench = await openBench(engine);
  });
  beforeEach(async () => {
    queues = await bench.openReadyQueues();
  });
  afterEach(() => bench.reset());
  afterAll(() => bench.close());

  const ring = (row: string, delayMs = 0, at = queues) =>
    at
      .producer(attemptDelivery)
      .enqueue([{ row, attempt: 1, enqueueNumber: 0, payload: { delivery_id: row }, delayMs }]);
  const work = (
    run: (payload: Attempt, context: JobContext) => Promise<void>,
    options: Partial<WorkerOptions> = {},
    at = queues,
  ) => at.worker('webhook-deliveries', [onJob(attemptDelivery, run)], { concurrency: 2, ...options });
  const stats = async () => (await queues.readStats(['webhook-deliveries']))[0];

  test('jobs run with their payload and leave nothing behind', async () => {
    const seen: [string, string, number][] = [];
    await ring('dlv_1');
    expect(await bench.readEngine()).toContain('delivery_id');
    work(async ({ delivery_id: id }, { jobId, attempt }) => void seen.push([id, jobId, attempt]));
    await eventually(() => seen.length === 1);
    expect(seen).toEqual([['dlv_1', 'dlv_1-1-0', 1]]);
    await eventually(async () => (await stats())?.active === 0);
    expect(await queues.findQueued('webhook-deliveries', ['dlv_1-1-0'])).toEqual(new Set());
    expect(await bench.readEngine()).not.toContain('delivery_id');
  });

  test('a job may be delayed', async () => {
    const ranAtMs: number[] = [];
    work(async () => void ranAtMs.push(performance.now()));
    const rungAtMs = performance.now();
    await ring('dlv_1', 300);
    expect((await stats())?.delayed).toBe(1);
    await eventually(() => ranAtMs.length === 1);
    expect(ranAtMs[0]! - rungAtMs).toBeGreaterThanOrEqual(295);
  });

  test('a failed job is retried, and dropped after its last attempt', async () => {
    const attempts: number[] = [];
    work(async (_, { attempt }) => {
      attempts.push(attempt);
      throw new Error('our side is broken');
    });
    await ring('dlv_1');
    await eventually(() => attempts.length === 3);
    await eventually(async () => (await queues.findQueued('webhook-deliveries', ['dlv_1-1-0']))?.size === 0);
    expect([attempts, (await stats())?.failed]).toEqual([[1, 2, 3], 0]);
  });

  test('a job that takes too long is aborted and counts as failed', async () => {
    const stopped: boolean[] = [];
    work(async (_, { signal, attempt }) => {
      if (attempt > 1) return;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      stopped.push(signal.aborted);
    });
    await ring('dlv_1');
    await eventually(() => bench.outcomes.includes('done'));
    expect([stopped, bench.outcomes]).toEqual([[true], ['failed', 'done']]);
  });

  test('stopping waits for the job in flight and fetches no other', async () => {
    const done: string[] = [];
    const begun: string[] = [];
    const worker = work(
      async ({ delivery_id: id }) => {
        begun.push(id);
        await new Promise((resolve) => setTimeout(resolve, 200));
        done.push(id);
      },
      { concurrency: 1 },
    );
    await ring('dlv_1');
    await ring('dlv_2');
    await eventually(() => begun.length === 1);
    await worker.close();
    expect([begun, done]).toEqual([['dlv_1'], ['dlv_1']]);
    expect((await stats())?.waiting).toBe(1);
  });

  test('a job that does not end in time is released, and another worker takes it immediately', async () => {
    const begun: string[] = [];
    const worker = work(
      async (_, { signal }) => {
        begun.push('one');
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
      { graceMs: 100 },
    );
    await ring('dlv_1');
    await eventually(() => begun.length === 1);
    await worker.close();
    expect(bench.outcomes).toEqual(['handed_back']);
    const attempts: number[] = [];
    work(async (_, { attempt }) => void attempts.push(attempt));
    await eventually(() => attempts.length === 1, { timeoutMs: 8_000 });
    expect(attempts).toEqual([1]); // a release is not a failure
  });

  test('stopping ends in time while the engine is away', async () => {
    const gate = await openGate(bench);
    const gated = bench.openQueues(gate.url);
    const begun: string[] = [];
    const ended: string[] = [];
    const worker = work(
      async ({ delivery_id: id }, { signal }) => {
        begun.push(id);
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        ended.push(id);
      },
      { graceMs: 100 },
      gated,
    );
    await ring('dlv_1');
    await eventually(() => begun.length === 1);
    await gate.shut();
    const startedAtMs = performance.now();
    await worker.close();
    await gated.close();
    expect(performance.now() - startedAtMs).toBeLessThan(6_000);
    expect(ended).toEqual(['dlv_1']);
  });

  test('reports the length and age of a queue', async () => {
    expect(await stats()).toEqual({
      queue: 'webhook-deliveries',
      waiting: 0,
      active: 0,
      delayed: 0,
      failed: 0,
      oldestMs: 0,
    });
    await ring('dlv_1');
    await ring('dlv_2');
    await ring('dlv_3', 60_000);
    await ring('dlv_4');
    bench.aheadMs = 5_000;
    const read = await stats();
    expect(read).toMatchObject({ waiting: 3, delayed: 1 });
    expect(read?.oldestMs).toBeGreaterThanOrEqual(5_000);
    expect(read?.oldestMs).toBeLessThan(8_000);
  });

  test('two prefixes are separate', async () => {
    await ring('dlv_1');
    const mine = bench.prefix;
    bench.prefix = `${mine}-b`;
    const [theirs] = await (await bench.openReadyQueues()).readStats(['webhook-deliveries']);
    bench.prefix = mine;
    expect([theirs?.waiting, (await stats())?.waiting]).toEqual([0, 1]);
  });

  test('a route of another queue fails immediately', () => {
    const route = onJob(attemptDelivery, async () => undefined);
    expect(() => queues.worker('push-sends', [route], { concurrency: 1 })).toThrow('not of "push-sends"');
  });
});
