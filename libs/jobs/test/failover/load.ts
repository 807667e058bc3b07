// Loads every queue of Parley while a scenario takes Redis away. Rows are enqueued until a worker
// took them, as by the services' sweepers.
import { createLog, Secret, SERVICES, systemClock, type ServiceName } from '@parley/server/runtime';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { onJob, openQueues, listQueues, type JobKind, type QueueName, type Queues } from '../../src/index.ts';

export interface Load {
  /**
   * Waits until every queue was consumed again. Returns the longest wait and its queue; null where
   * one was too late.
   */
  consumedSince(sinceMs: number, withinMs: number): Promise<{ queue: string; ms: number | null }>;
  /** Counts accepted rows, and those that no worker took in time. */
  settle(withinMs: number): Promise<{ accepted: number; lost: string[] }>;
  restarts(): Readonly<Record<string, number>>;
  /** Duration of closing everything (ms). */
  stop(): Promise<number>;
}

interface Row {
  readonly id: string;
  readonly queue: QueueName;
  enqueues: number;
  enqueuedAtMs: number;
  isEnqueued: boolean;
}

const ROW_EVERY_MS = 100;
const SWEEP_EVERY_MS = 1_000;
const RING_AGAIN_MS = { refused: 2_500, unseen: 4_000 };

const kindOf = (queue: QueueName): JobKind<{ id: string }> => ({
  name: 'failover.row',
  queue,
  payload: z.object({ id: z.string() }),
  attempts: 3,
  timeoutMs: 5_000,
});

export function startLoad(urlOf: (service: ServiceName) => string): Load {
  const log = createLog({ service: 'failover', level: process.env['LOG_LEVEL'] ?? 'fatal' });
  const restarts: Record<string, number> = {};
  const recorder = {
    onRestart: ({ queue }: { queue: string }) => void (restarts[queue] = (restarts[queue] ?? 0) + 1),
  };
  const opened = SERVICES.map((service): [ServiceName, Queues] => [
    service,
    openQueues({ url: new Secret(urlOf(service)), prefix: 'parley', clock: systemClock, log, recorder }),
  ]);
  const unseen = new Map<string, Row>();
  const consumedAtMs = new Map<QueueName, number[]>();
  let count = 0;
  let isProducing = true;

  const ring = async (queues: Queues, queue: QueueName, rows: readonly Row[]) => {
    for (const row of rows) Object.assign(row, { enqueuedAtMs: Date.now(), isEnqueued: false });
    const newJobs = rows.map(({ id, enqueues: number }) => ({
      row: id,
      attempt: 1,
      enqueueNumber: number,
      payload: { id },
    }));
    const isEnqueued = await queues.producer(kindOf(queue)).enqueue(newJobs);
    for (const row of rows) row.isEnqueued = isEnqueued;
  };
  /** As a sweeper does: all rows together. */
  const sweep = async (queues: Queues, queue: QueueName) => {
    const isDue = ({ isEnqueued, enqueuedAtMs }: Row) =>
      Date.now() - enqueuedAtMs > (isEnqueued ? RING_AGAIN_MS.unseen : RING_AGAIN_MS.refused);
    const due = [...unseen.values()].filter((row) => row.queue === queue && isDue(row));
    for (const row of due) if (row.isEnqueued) row.enqueues += 1;
    if (due.length > 0) await ring(queues, queue, due);
  };
  const timers = opened.flatMap(([service, queues]) =>
    listQueues(service).flatMap((queue) => {
      consumedAtMs.set(queue, []);
      const take = async ({ id }: { id: string }) => {
        unseen.delete(id);
        consumedAtMs.get(queue)!.push(Date.now());
      };
      queues.worker(queue, [onJob(kindOf(queue), take)]);
      const produce = () => {
        if (!isProducing) return;
        const row = { id: `row-${(count += 1)}`, queue, enqueues: 0, enqueuedAtMs: 0, isEnqueued: false };
        unseen.set(row.id, row);
        void ring(queues, queue, [row]);
      };
      return [
        setInterval(produce, ROW_EVERY_MS),
        setInterval(() => void sweep(queues, queue), SWEEP_EVERY_MS),
      ];
    }),
  );

  return {
    consumedSince: async (sinceMs, withinMs) => {
      const firstAtMs = () =>
        [...consumedAtMs].map(([queue, times]) => ({ queue, atMs: times.find((atMs) => atMs >= sinceMs) }));
      while (firstAtMs().some(({ atMs }) => atMs === undefined) && Date.now() - sinceMs < withinMs)
        await delay(50);
      const last = firstAtMs().reduce((a, b) => ((b.atMs ?? Infinity) > (a.atMs ?? Infinity) ? b : a));
      return { queue: last.queue, ms: last.atMs === undefined ? null : last.atMs - sinceMs };
    },
    settle: async (withinMs) => {
      isProducing = false;
      const until = Date.now() + withinMs;
      while (unseen.size > 0 && Date.now() < until) await delay(50);
      return { accepted: count, lost: [...unseen.values()].map(({ id, queue }) => `${queue} ${id}`) };
    },
    restarts: () => restarts,
    stop: async () => {
      timers.forEach(clearInterval);
      const startedAtMs = Date.now();
      await Promise.all(opened.map(([, queues]) => queues.close()));
      return Date.now() - startedAtMs;
    },
  };
}
