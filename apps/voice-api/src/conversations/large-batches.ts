// Applies large batches of events in a thread with a database connection of its own. A batch of 8
// MiB takes half a second of CPU, which would delay other requests and deliveries
// (docs/performance.md#what-one-request-may-take).
import { join } from 'node:path';
import type { LargeInput } from '@parley/server/http';
import { createHeavyThreads } from '@parley/server/limits';
import { shippedPath } from '@parley/server/runtime';
import type { Deps } from './deps.ts';
import type { BatchJob } from './batches-thread.ts';
import { completeBatch, type AppliedBatch } from './accept-events.ts';

export interface LargeBatches {
  /**
   * Applies a batch and returns the answer.
   * @throws AppError what the batch is rejected for; concurrency_limited, unavailable;
   * request_too_costly when the thread runs out of memory
   */
  accept(input: LargeInput): Promise<AppliedBatch['answer']>;
  close(): Promise<void>;
}

/** A parsed batch of 8 MiB takes several times as much, but less than this. */
const HEAP_MB = 256;
/** Elapsed time, since the thread waits for Postgres. One statement may take half of it. */
const WITHIN_MS = 30_000;
const WAIT_MS = 20_000;
/** In units of the thread's CPU time; Postgres works about as long. */
const REST_FACTOR = 2;

export function createLargeBatches(
  deps: Pick<
    Deps,
    | 'secrets'
    | 'database'
    | 'databaseClock'
    | 'config'
    | 'outbox'
    | 'deliveryEnqueuer'
    | 'feedNotifier'
    | 'countEvents'
  >,
  withinMs = WITHIN_MS,
): LargeBatches {
  const { secrets, database, databaseClock, config } = deps;
  const threads = createHeavyThreads<BatchJob, AppliedBatch>({
    program: shippedPath('batches-thread.mjs', () => join(import.meta.dirname, 'batches-thread.ts')),
    threads: 1,
    heapMb: HEAP_MB,
    waitMs: WAIT_MS,
    restFactor: REST_FACTOR,
    withinMs,
  });
  return {
    accept: async ({ caller, body, request }) => {
      const job = {
        caller,
        body,
        trace: request,
        settleSeconds: config.TRANSCRIPT_SETTLE,
        database: { url: database.url.reveal(), statementMs: database.statementMs },
        clockAheadMs: databaseClock.aheadMs(),
        queueKey: (await secrets.resolve(config.QUEUE_KEY)).reveal(),
      };
      const transfer = [body.bytes.buffer as ArrayBuffer];
      return completeBatch(deps, await threads.run(caller.organizationId, job, withinMs, transfer));
    },
    close: () => threads.close(),
  };
}
