// Opens a process's access to the queues, on the engine that the URL names.
import type { Job } from 'bullmq';
import { within, throttleLog, type Clock, type Log, type Secret } from '@parley/server/runtime';
import { COMMAND_TIMEOUT_MS } from './engine/engine.ts';
import type { JobKind } from './job-kind.ts';
import type { QueueName } from './queue-registry.ts';
import { openEngine } from './engine/open-engine.ts';
import { createProducer, type Producer } from './producer.ts';
import type { QueueRecorder } from './recorder.ts';
import { readQueueStats, type QueueStats } from './stats.ts';
import { createCrashIsolation, type CrashIsolation } from './isolation/crash-isolation.ts';
import { startWorker, type QueueWorker, type Route, type WorkerOptions } from './worker.ts';

export interface Queues {
  readonly engine: 'redis' | 'postgres';
  /** Crash isolation of the work in this process. */
  readonly isolation: CrashIsolation;
  /** Whether the engine answers now. A service serves without it: report it, do not wait for it. */
  ready(): Promise<boolean>;
  /**
   * False when a worker is stuck and new connections did not help: the process must be replaced.
   */
  isAlive(): boolean;
  producer<Payload>(kind: JobKind<Payload>): Producer<Payload>;
  /**
   * Starts to consume a queue. Pass a route for every kind of job on the queue: BullMQ delivers any
   * of them, and a job without a route counts as malformed.
   */
  worker(queue: QueueName, routes: readonly Route[], options?: WorkerOptions): QueueWorker;
  /**
   * Which of these jobs are still pending: waiting, active or delayed. Undefined while the engine
   * is away.
   */
  findQueued(queue: QueueName, jobIds: readonly string[]): Promise<ReadonlySet<string> | undefined>;
  /** For /metrics. Omits queues that cannot be read. */
  readStats(names: readonly QueueName[]): Promise<QueueStats[]>;
  /** Closes open workers, then the connections. Close it before the database. */
  close(): Promise<void>;
}

export interface QueuesOptions {
  readonly url: Secret;
  /** QUEUE_PREFIX, the same in all services of an installation. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly recorder?: QueueRecorder;
}

/** @throws Error when the scheme of the URL is unknown; not when the engine is away. */
export function openQueues({ url, prefix, clock, log, recorder = {} }: QueuesOptions): Queues {
  const engine = openEngine({ url, prefix, log });
  const producers = new Map<string, Producer<never>>();
  const workers = new Set<QueueWorker>();
  const report = throttleLog((error: unknown) => log.warn({ err: error }, 'queue.look_up_failed'));

  async function findQueued(
    name: string,
    jobIds: readonly string[],
  ): Promise<ReadonlySet<string> | undefined> {
    const queue = await engine.queue(name);
    if (!queue) return undefined;
    const jobs = await Promise.all(jobIds.map((id) => queue.getJob(id)));
    const lateMs = clock() - OVERDUE_MS;
    return new Set(jobIds.filter((_, index) => jobs[index] && isPending(jobs[index], lateMs)));
  }

  return {
    engine: engine.kind,
    isolation: createCrashIsolation(),
    ready: () => engine.ready(),
    isAlive: () => [...workers].every((worker) => worker.isAlive()),
    producer: <Payload>(kind: JobKind<Payload>): Producer<Payload> => {
      const key = `${kind.queue} ${kind.name}`;
      const known = producers.get(key);
      if (known) return known;
      const made = createProducer({ engine, clock, log, recorder }, kind);
      producers.set(key, made);
      return made;
    },
    worker: (queue, routes, options = {}) => {
      const worker = startWorker({ engine, log, recorder }, queue, routes, options);
      workers.add(worker);
      return worker;
    },
    findQueued: (queue, jobIds) =>
      within(findQueued(queue, jobIds), COMMAND_TIMEOUT_MS).catch((error: unknown) => void report(error)),
    readStats: (names) => readQueueStats(engine, names, clock),
    close: async () => {
      await Promise.all([...workers].map((worker) => worker.close()));
      await engine.close();
    },
  };
}

/**
 * BullMQ moves a delayed job by the clock of its worker. A job this late has a worker with a slow
 * clock.
 */
const OVERDUE_MS = 5_000;

/**
 * A finished job that still exists is malformed and stored for inspection. The delay of a retry
 * does not start at the job's timestamp.
 */
function isPending({ finishedOn, delay, attemptsMade, timestamp }: Job, lateMs: number): boolean {
  const isOverdue = delay > 0 && attemptsMade === 0 && timestamp + delay < lateMs;
  return finishedOn === undefined && !isOverdue;
}
