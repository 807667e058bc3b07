// What the two queue engines behind BullMQ have in common: Redis (engine-redis.ts), and BullMQ's own PostgreSQL backend
// where there is no Redis (engine-postgres.ts). producer.ts, worker.ts and stats.ts work on either.
import { Worker, type Job, type Processor, type Queue } from 'bullmq';
import type { Log, Secret } from '@parley/runtime';
import pg from 'pg';
import { occasionally } from '../timing.ts';

export interface EngineOptions {
  /** `redis(s)://…` or `postgres(ql)://…`. */
  readonly url: Secret;
  /** The same in all services of an installation; two prefixes never see each other. */
  readonly prefix: string;
  readonly log: Log;
}

export interface WorkOptions {
  /** Jobs at once in this process. */
  readonly concurrency: number;
  /** A worker that was killed loses its job after this long (renewed while it lives). */
  readonly leaseMs: number;
  /** It takes the place of one that was abandoned: it shares no connection with it. */
  readonly isReplacement: boolean;
}

/** A running BullMQ worker. */
export interface EngineWorker {
  /** When the engine last answered a fetch, with a job, without one, or with an error (`performance.now()`). */
  fetchedAtMs(): number;
  /** Takes no further job and ends when those in hand are done. May wait for ever while the engine is away. */
  close(): Promise<void>;
  /** Closes its connections, whatever still waits for them. */
  abandon(): void;
}

/** Producers fail fast and workers are patient: both recover by themselves when the engine comes back. */
export interface Engine {
  readonly kind: 'redis' | 'postgres';
  /** Whether it answers, within a few seconds. */
  ready(): Promise<boolean>;
  /** A queue to add to and to read from; undefined, within a second, while the engine is away. */
  queue(name: string): Promise<Queue | undefined>;
  /** Starts to take jobs as soon as the engine can be reached. */
  work(name: string, processor: Processor, options: WorkOptions): EngineWorker;
  /** Breaks off whatever still waits for the engine. */
  close(): Promise<void>;
}

/** How long a producer may wait for the very first answer of the engine; once it is known to be away nobody waits. */
export const FIRST_ANSWER_MS = 1_000;
/** A command of a producer that takes longer has failed: nobody may hang on a bell. Long enough for 500 jobs at once. */
export const COMMAND_TIMEOUT_MS = 2_000;
/** Pause between two tries to reach the engine. */
export const RECONNECT_AFTER_MS = 1_000;
/** BullMQ's event streams, which nothing here reads, are kept this short (its default is 10,000 entries a queue). */
export const EVENTS_KEPT = 100;
/**
 * How often a job may lose its worker before BullMQ drops it (its default, once, is too little for a rolling restart).
 * A job that kills its worker every time must end: the outbox rings it again later, with growing waits.
 */
export const STALLS_MAX = 5;

/** Data of the jobs that a worker has in hand, together: 200 messages of a mebibyte would be more than a process has. */
const JOB_BYTES_MAX = 16 * 1024 * 1024;

/** Takes no further job while those in hand hold more than JOB_BYTES_MAX (docs/platform.md#byte-budgets). */
export function withinBytes(processor: Processor, concurrency: number, worker: () => Worker): Processor {
  let bytes = 0;
  let jobs = 0;
  const count = (size: number, by: 1 | -1) => {
    bytes += by * size;
    jobs += by;
    const atOnce = bytes < JOB_BYTES_MAX ? concurrency : Math.max(1, jobs);
    if (worker().concurrency !== atOnce) worker().concurrency = atOnce;
  };
  return async (job, token) => {
    const size = JSON.stringify(job.data).length;
    count(size, 1);
    try {
      return (await processor(job, token)) as unknown;
    } finally {
      count(size, -1);
    }
  };
}

/** How long a fetch may wait for a job. Until then a worker misses a connection that died silently, or a marker that the server lost. */
export const BLOCK_SECONDS = 3;

/** A BullMQ worker that knows when the engine last answered it. */
export class WatchedWorker extends Worker {
  fetchedAtMs = performance.now();

  protected override async moveToActive(token: string, name?: string): Promise<Job> {
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      if (isAnswer(error)) this.fetchedAtMs = performance.now();
      throw error;
    }
  }

  /** BullMQ calls it for whatever a fetch, or the end of a job, brought. */
  protected override nextJobFromJobData(...args: Parameters<Worker['nextJobFromJobData']>): Promise<Job> {
    this.fetchedAtMs = performance.now();
    return super.nextJobFromJobData(...args);
  }

  /** BullMQ would wait up to ten seconds for a delayed job. */
  protected override getBlockTimeout(blockUntil: number): number {
    return Math.min(super.getBlockTimeout(blockUntil), BLOCK_SECONDS);
  }
}

/** Whether a server said no (full, read-only, not allowed): new connections would not help. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && (error.name === 'ReplyError' || error instanceof pg.DatabaseError);
}

/** So many errors without a second of peace between them, and the worker rests. */
const ERRORS_MAX = 10;

/**
 * Logs a worker's errors, now and then, and lets it rest when they do not stop: after an error that is no lost connection
 * (Redis out of memory, a replica that became read-only) BullMQ asks again at once, a thousand times a second.
 */
export function watchWorker(worker: Worker, log: Log): void {
  const report = occasionally((error: Error) =>
    log.warn({ err: error, queue: worker.name }, 'queue.worker_error'),
  );
  let errors = 0;
  let lastAtMs = -Infinity;
  worker.on('error', (error) => {
    report(error);
    const nowMs = performance.now();
    errors = nowMs - lastAtMs < RECONNECT_AFTER_MS ? errors + 1 : 1;
    lastAtMs = nowMs;
    if (errors < ERRORS_MAX || worker.isPaused()) return;
    errors = 0;
    void worker.pause(true).then(() => {
      setTimeout(() => void worker.resume(), RECONNECT_AFTER_MS).unref(); // a worker that is closed stays closed
    });
  });
}
