// Defines kinds of jobs, for messages between services and for a service's own jobs.
import assert from 'node:assert/strict';
import type { JobsOptions } from 'bullmq';
import type { z } from 'zod';
import type { QueueName } from './queue-registry.ts';

/** One kind of job. Kinds of messages derive from the table of contracts. */
export interface JobKind<Payload> {
  /** Unique in its queue, which several kinds may share, for example `delivery.attempt`. */
  readonly name: string;
  readonly queue: QueueName;
  readonly payload: z.ZodType<Payload>;
  /**
   * How often BullMQ retries it when *our* side fails. *Their* failure is data and never counts
   * here.
   */
  readonly attempts: number;
  /** Timeout of one attempt (ms). */
  readonly timeoutMs: number;
}

/**
 * `<row>-<attempt>-<enqueue>` (docs/platform.md#leases-and-rings). BullMQ silently drops an `add`
 * whose id still exists, so each re-enqueue needs another id. `attempt` is the row's counter (1 for
 * a message); `enqueueNumber` counts its re-enqueues.
 * @throws AssertionError when the row's id holds a colon, which BullMQ reserves.
 */
export function buildJobId(row: string, attempt: number, enqueueNumber: number): string {
  assert(row !== '' && !row.includes(':'), `"${row}" cannot be part of a job id: it must not hold a colon`);
  return `${row}-${attempt}-${enqueueNumber}`;
}

/** Waits between BullMQ's retries: 0.5, 1, 2, 4 … s, minus up to half of it as jitter. */
const BACKOFF = { type: 'exponential', delay: 500, jitter: 0.5 } as const;

/**
 * Finished jobs leave no trace: the row stores the outcome. A stack trace could hold a secret, so
 * none is stored.
 */
/**
 * `nowMs` is the database's time. BullMQ would use the machine's clock and count the delay from it.
 */
export function buildJobOptions(
  kind: JobKind<unknown>,
  jobId: string,
  delayMs: number,
  nowMs: number,
): JobsOptions {
  return {
    timestamp: nowMs,
    jobId,
    attempts: kind.attempts,
    backoff: BACKOFF,
    removeOnComplete: true,
    removeOnFail: true,
    stackTraceLimit: 0,
    ...(delayMs > 0 ? { delay: delayMs } : {}),
  };
}

/**
 * Malformed jobs are stored for inspection: the maximum number in a queue, and the maximum age (s).
 */
export const MALFORMED_RETENTION = { count: 1_000, age: 7 * 86_400 } as const;
