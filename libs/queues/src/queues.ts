// One process's access to the queues, on whichever engine the URL names.
import type { Job } from 'bullmq';
import { type Clock, type Log, type Secret, within } from '@parley/runtime';
import { COMMAND_TIMEOUT_MS } from './engine/engine.ts';
import type { JobKind } from './job-kind.ts';
import type { QueueName } from './queue-registry.ts';
import { openEngine } from './engine/open-engine.ts';
import { createProducer, type Producer } from './producer.ts';
import type { QueueRecorder } from './recorder.ts';
import { readQueueStats, type QueueStats } from './stats.ts';
import { occasionally } from './timing.ts';
import { createCompany, type Company } from './work/company.ts';
import { startWorker, type QueueWorker, type Route, type WorkerOptions } from './worker.ts';

export interface Queues {
  readonly engine: 'redis' | 'postgres';
  /** Who works beside whom in this process. */
  readonly company: Company;
  /** Whether the engine answers at present. A service serves without it: this is a fact to report, not to wait for. */
  ready(): Promise<boolean>;
  /** False when a worker is stuck and new connections did not help: the process is to be replaced. */
  isAlive(): boolean;
  producer<Payload>(kind: JobKind<Payload>): Producer<Payload>;
  /**
   * Starts to work off a queue. Every kind of job that the queue carries needs its route here: BullMQ gives a worker
   * whatever comes next, and a job without a route is malformed.
   */
  worker(queue: QueueName, routes: readonly Route[], options?: WorkerOptions): QueueWorker;
  /** Which of these jobs somebody will still do: they wait, run or are delayed. Undefined while the engine is away. */
  findQueued(queue: QueueName, jobIds: readonly string[]): Promise<ReadonlySet<string> | undefined>;
  /** For /metrics. Queues that cannot be read are left out. */
  readStats(names: readonly QueueName[]): Promise<QueueStats[]>;
  /** Closes the workers that are still open, then the connections. To be closed before the database. */
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

/** @throws Error when the URL names no engine. Never because the engine is away: it is found when it comes. */
export function openQueues({ url, prefix, clock, log, recorder = {} }: QueuesOptions): Queues {
  const engine = openEngine({ url, prefix, log });
  const producers = new Map<string, Producer<never>>();
  const workers = new Set<QueueWorker>();
  const report = occasionally((error: unknown) => log.warn({ err: error }, 'queue.look_up_failed'));

  async function findQueued(
    name: string,
    jobIds: readonly string[],
  ): Promise<ReadonlySet<string> | undefined> {
    const queue = await engine.queue(name);
    if (!queue) return undefined;
    const jobs = await Promise.all(jobIds.map((id) => queue.getJob(id)));
    const lateMs = clock() - OVERDUE_MS;
    return new Set(jobIds.filter((_, index) => jobs[index] && willBeDone(jobs[index], lateMs)));
  }

  return {
    engine: engine.kind,
    company: createCompany(),
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

/** BullMQ moves a delayed job when the clock of its worker says so. One that is so late has a worker with a slow clock. */
const OVERDUE_MS = 5_000;

/**
 * A finished job that is still there is a malformed one, kept for inspection. A delay that BullMQ gave for a repeat is not
 * counted from the job's own time.
 */
function willBeDone({ finishedOn, delay, attemptsMade, timestamp }: Job, lateMs: number): boolean {
  const isOverdue = delay > 0 && attemptsMade === 0 && timestamp + delay < lateMs;
  return finishedOn === undefined && !isOverdue;
}
