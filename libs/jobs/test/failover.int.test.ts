// A worker whose fetch never gets an answer, on both engines, and the quick scenarios of `npm run
// failover`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { eventually, loopbackCertificate, tcpProxy } from '@parley/testing';
import { z } from 'zod';
import { WatchedWorker } from '../src/engine/engine.ts';
import { onJob, type JobKind } from '../src/index.ts';
import { ENGINES, openBench, type Bench } from './bench.ts';
import { QUICK } from './failover/scenarios.ts';

const kind: JobKind<{ n: number }> = {
  name: 'delivery.attempt',
  queue: 'webhook-deliveries',
  payload: z.object({ n: z.number() }),
  attempts: 3,
  timeoutMs: 5_000,
};
const MINUTE_MS = 60_000;
/** Jobs in flight would get as long (../src/worker.ts); here there are none. */
const GRACE_MS = 10_000;

describe.each(ENGINES)('on %s', (engine) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench(engine);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await bench.reset();
  });
  afterAll(() => bench.close());

  /** As when a client's command never settles (BullMQ issues 4138, 3088). */
  const neverAnswered = () =>
    jest
      .spyOn(WatchedWorker.prototype as unknown as { moveToActive(): Promise<never> }, 'moveToActive')
      .mockImplementation(() => new Promise(() => undefined));

  test(
    'a worker without an answer is replaced, and its jobs are done',
    async () => {
      const queues = await bench.openReadyQueues();
      const asked = neverAnswered();
      const seen: number[] = [];
      queues.worker(kind.queue, [onJob(kind, async ({ n }) => void seen.push(n))]);
      await eventually(() => asked.mock.calls.length > 0);
      const job = { row: 'a', attempt: 1, enqueueNumber: 0, payload: { n: 1 } };
      await eventually(() => queues.producer(kind).enqueue([job]));
      jest.restoreAllMocks();
      await eventually(() => seen.length === 1);
      expect(new Set(bench.restarts)).toEqual(new Set([kind.queue]));
      expect(queues.isAlive()).toBe(true);
    },
    2 * MINUTE_MS,
  );

  test(
    'a worker without an answer stops in time',
    async () => {
      const queues = await bench.openReadyQueues();
      const asked = neverAnswered();
      const worker = queues.worker(kind.queue, [onJob(kind, async () => undefined)]);
      await eventually(() => asked.mock.calls.length > 0);
      const beganAtMs = performance.now();
      await worker.close();
      expect(performance.now() - beganAtMs).toBeLessThan(GRACE_MS);
    },
    2 * MINUTE_MS,
  );
});

/** What a worker calls when the engine answered its fetch. */
const answers = () =>
  jest.spyOn(
    WatchedWorker.prototype as unknown as { nextJobFromJobData(...args: unknown[]): Promise<unknown> },
    'nextJobFromJobData',
  );

test(
  'a worker on Postgres recovers from lost packets before the watchdog replaces it',
  async () => {
    const bench = await openBench('postgres');
    const proxy = await tcpProxy(bench.url);
    try {
      const queues = await bench.openReadyQueues(proxy.url);
      const seen = new Set<number>();
      queues.worker(kind.queue, [onJob(kind, async ({ n }) => void seen.add(n))]);
      const ring = (n: number) =>
        queues.producer(kind).enqueue([{ row: `row-${n}`, attempt: 1, enqueueNumber: 0, payload: { n } }]);
      await eventually(() => ring(1));
      await eventually(() => seen.has(1));
      // A job whose end got lost would be due again: nothing may be, or the watchdog has a reason.
      await eventually(async () => {
        const [stats] = await queues.readStats([kind.queue]);
        return stats && stats.waiting + stats.active + stats.delayed === 0;
      });
      proxy.swallow();
      await delay(3_000);
      proxy.restore();
      const fetched = answers();
      await eventually(() => fetched.mock.calls.length > 0);
      expect(bench.restarts).toEqual([]);
      // The pool may still hold lost connections: who ends these is left open.
      await eventually(() => ring(2));
      await eventually(() => seen.has(2));
    } finally {
      jest.restoreAllMocks();
      await bench.reset();
      await proxy.close();
      await bench.close();
    }
  },
  4 * MINUTE_MS,
);

describe('a store is taken away and comes back', () => {
  /** Each has servers of its own and mostly waits for them: they run side by side. */
  let results: ReadonlyMap<string, Promise<string>>;
  beforeAll(() => {
    results = new Map(Object.keys(QUICK).map((name) => [name, runScenario(name)]));
  });

  test.each(Object.keys(QUICK))(
    '%s',
    async (name) => {
      const line = await results.get(name)!;
      expect(JSON.parse(line)).toMatchObject({ name, lost: 0, is_well: true });
    },
    4 * MINUTE_MS,
  );
});

/** @returns a line of JSON */
async function runScenario(name: string): Promise<string> {
  const script = join(import.meta.dirname, 'failover', 'main.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: import.meta.dirname,
    env: { ...process.env, NODE_EXTRA_CA_CERTS: loopbackCertificate.ca },
  });
  const [line] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return line;
}
