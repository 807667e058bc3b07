// What both queue engines share: Redis (engine-redis.ts) and BullMQ's PostgreSQL backend
// (engine-postgres.ts). producer.ts, worker.ts and stats.ts work on either.
import { Worker, type Job, type Processor, type Queue } from 'bullmq';
import { throttleLog, type Log, type Secret } from '@parley/server/runtime';
import pg from 'pg';

export interface EngineOptions {
  readonly url: Secret;
  /**
   * The same in all services of an installation. Installations with different prefixes are
   * separate.
   */
  readonly prefix: string;
  readonly log: Log;
}

export interface WorkOptions {
  /** Concurrent jobs in this process. */
  readonly concurrency: number;
  /** The lease of a job, renewed while its worker lives. A killed worker loses its job after it. */
  readonly leaseMs: number;
  /** Replaces an abandoned worker: shares no connection with it. */
  readonly isReplacement: boolean;
}

export interface EngineWorker {
  /** When the engine last answered a fetch, also with no job or an error (`performance.now()`). */
  fetchedAtMs(): number;
  /**
   * Fetches no more jobs and ends when those in flight are done. Waits forever while the engine is
   * away.
   */
  close(): Promise<void>;
  /** Closes its connections and breaks off what waits for them. */
  abandon(): void;
}

/** Producers fail fast, workers wait. Both recover when the engine comes back. */
export interface Engine {
  readonly kind: 'redis' | 'postgres';
  /** Whether the engine answers within a few seconds. */
  ready(): Promise<boolean>;
  /** A queue to add to and read from; undefined, within a second, while the engine is away. */
  queue(name: string): Promise<Queue | undefined>;
  /** Starts to take jobs as soon as the engine is reachable. */
  work(name: string, processor: Processor, options: WorkOptions): EngineWorker;
  /** Breaks off what still waits for the engine. */
  close(): Promise<void>;
}

/**
 * How long a producer waits for the engine's first answer. Once the engine is known to be away,
 * nothing waits.
 */
export const FIRST_ANSWER_MS = 1_000;
/**
 * Timeout of a producer's command, so that no caller hangs. Long enough for 500 jobs in one
 * command.
 */
export const COMMAND_TIMEOUT_MS = 2_000;
/** Pause between two connection attempts. */
export const RECONNECT_AFTER_MS = 1_000;
/**
 * Maximum length of BullMQ's event streams, which nothing here reads (BullMQ's default: 10,000 a
 * queue).
 */
export const EVENT_STREAM_LENGTH_MAX = 100;
/**
 * How often a job may lose its worker before BullMQ drops it. BullMQ's default, once, is too little
 * for a rolling restart. A job that kills its worker must end: the outbox re-enqueues it with
 * growing waits.
 */
export const STALLS_MAX = 5;

/**
 * Total bytes of the jobs that a worker has in flight: 200 messages of 1 MiB would exhaust the
 * process.
 */
const JOB_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Pauses a worker while its jobs in flight hold more than JOB_BYTES_MAX
 * (docs/platform.md#byte-budgets).
 */
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

/**
 * How long a fetch blocks. It bounds how long a worker misses a dead connection or a lost marker.
 */
export const BLOCK_SECONDS = 3;

/** A BullMQ worker that records when the engine last answered it. */
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

  /** BullMQ calls it with the result of each fetch and of each finished job. */
  protected override nextJobFromJobData(...args: Parameters<Worker['nextJobFromJobData']>): Promise<Job> {
    this.fetchedAtMs = performance.now();
    return super.nextJobFromJobData(...args);
  }

  /** BullMQ would wait up to 10 s for a delayed job. */
  protected override getBlockTimeout(blockUntil: number): number {
    return Math.min(super.getBlockTimeout(blockUntil), BLOCK_SECONDS);
  }
}

/** Whether a server refused (full, read-only, no permission): new connections would not help. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && (error.name === 'ReplyError' || error instanceof pg.DatabaseError);
}

/** After this many errors without a quiet second the worker pauses. */
const ERRORS_MAX = 10;

/**
 * Logs a worker's errors at a limited rate and pauses the worker when they persist. After an error
 * other than a lost connection (Redis out of memory, a replica) BullMQ retries a thousand times a
 * second.
 */
export function watchWorker(worker: Worker, log: Log): void {
  const report = throttleLog((error: Error) =>
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
      // a closed worker stays closed
      setTimeout(() => void worker.resume(), RECONNECT_AFTER_MS).unref();
    });
  });
}
