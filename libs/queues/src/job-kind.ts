// What a job is, for the messages between services and for a service's own jobs alike.
import assert from 'node:assert/strict';
import type { JobsOptions } from 'bullmq';
import type { z } from 'zod';
import type { QueueName } from './queue-registry.ts';

/** One kind of job: a row of a service's own table, or (messages) derived from the table of contracts. */
export interface JobKind<Payload> {
  /** Told apart by name, since several kinds may share a queue: `delivery.attempt`. */
  readonly name: string;
  readonly queue: QueueName;
  readonly payload: z.ZodType<Payload>;
  /** How often BullMQ repeats it when *our* side fails. *Their* failure is data and never counts here. */
  readonly attempts: number;
  /** One attempt may take this long (ms). */
  readonly timeoutMs: number;
}

/**
 * `<row>-<attempt>-<ring>` (docs/platform.md#leases-and-rings): the same ring twice is one job, another ring is another job, because BullMQ
 * silently drops an `add` whose id still exists. `attempt` is the row's own counter (1 for a message), `ring` how often
 * the row was rung again.
 * @throws AssertionError when the row's id holds a colon, which BullMQ keeps for itself.
 */
export function jobIdOf(row: string, attempt: number, ring: number): string {
  assert(row !== '' && !row.includes(':'), `"${row}" cannot be part of a job id`);
  return `${row}-${attempt}-${ring}`;
}

/** Waits between BullMQ's repeats: 0.5, 1, 2, 4 … s, up to half of it less, so that a crowd does not come back at once. */
const BACKOFF = { type: 'exponential', delay: 500, jitter: 0.5 } as const;

/** Jobs leave no trace: the row they ring for knows how it went. A stack trace could hold a secret, so none is stored. */
/** `nowMs`: the database's time. BullMQ would take the machine's, and count the delay from it. */
export function jobOptions(
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

/** Malformed jobs are kept to be looked at: at most so many a queue, at most so long. */
export const MALFORMED_KEPT = { count: 1_000, age: 7 * 86_400 } as const;
