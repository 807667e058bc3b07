// Webhooks: ours from stored rows to written outcomes, a worker with one job each, and a bare loop.
import { inChild } from '../in-child.ts';
import { serverFile } from '../http-load.ts';
import { startPinned } from '../pinned-process.ts';
import type { Variant } from '../harness.ts';
import type { Part } from '../suites.ts';
import {
  BARE,
  CONCURRENCY,
  DELIVERIES,
  WINDOW_SECONDS,
  WORKERS,
  withDeliveries,
} from '../voice/deliveries.ts';
import { WEBHOOK_SECRET } from '../voice/receiver.ts';

const ONE_JOB = {
  fetch: 'one BullMQ job each, fetch',
  undici: 'one BullMQ job each, undici',
} as const;

export const oneJobPart: Part = {
  title: 'webhooks',
  open: (setting, measure) =>
    withDeliveries(setting, async ({ stack, receiver, samples, ours, bare }) => {
      const workers = Array.from({ length: WORKERS }, () =>
        startPinned({
          file: serverFile('one-job-worker'),
          args: [stack.queueUrl, WEBHOOK_SECRET],
          core: 0,
          pin: false,
          env: { PATH: setting.env['PATH'], NODE_ENV: 'production' },
          stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        }),
      );
      for (const worker of workers) stack.onStop(() => worker.stop());
      const oneJob = (posts: keyof typeof ONE_JOB): Variant => {
        const { origin } = receiver;
        const concurrency = CONCURRENCY / WORKERS;
        const parts = workers.map((worker) =>
          inChild(ONE_JOB[posts], worker, (seconds) => ({ origin, samples, seconds, concurrency, posts })),
        );
        return { name: ONE_JOB[posts], run: async (seconds) => together(parts, seconds) };
      };
      await measure({
        title: `Webhooks of 2 KB, ${WORKERS} worker processes, ${CONCURRENCY} calls at once`,
        operation: 'call',
        windowSeconds: WINDOW_SECONDS,
        variants: [ours, oneJob('fetch'), oneJob('undici'), bare],
        ratios: [
          { of: 'rate', over: DELIVERIES, under: BARE, atLeast: 0.5 },
          { of: 'rate', over: DELIVERIES, under: ONE_JOB.fetch, atLeast: 5 },
          { of: 'rate', over: DELIVERIES, under: ONE_JOB.undici },
          { of: 'rate', over: BARE, under: ONE_JOB.fetch },
        ],
        note:
          'ours: rows and outcomes in Postgres, wake-ups in Redis. One job each: signed, with retries, in the same Redis, and no log. ' +
          'The bare loop posts what was signed before and stores nothing',
      });
    }),
};

/** Windows of several processes that work side by side. */
async function together(parts: readonly Variant[], seconds: number) {
  const windows = await Promise.all(parts.map(async (part) => part.run(seconds)));
  return {
    operations: windows.reduce((sum, { operations }) => sum + operations, 0),
    seconds: Math.max(...windows.map((window) => window.seconds)),
    cpuSeconds: windows.reduce((sum, { cpuSeconds }) => sum + (cpuSeconds ?? 0), 0),
  };
}
