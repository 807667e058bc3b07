// Batches of events that are large, applied by a thread with a connection of its own: eight megabytes keep one busy for half a second, and
// whoever else is answered or delivered to goes on meanwhile (docs/performance.md#what-one-request-may-take).
import { join } from 'node:path';
import type { LargeInput } from '@parley/http';
import { createHeavyThreads } from '@parley/limits';
import { shippedPath } from '@parley/runtime';
import type { Deps } from '../deps.ts';
import type { BatchJob } from './batches-thread.ts';
import { told, type AppliedBatch } from './take-events.ts';

export interface LargeBatches {
  /** The answer, as `takeEvents` gives it. @throws AppError what it refuses; concurrency_limited, unavailable, and request_too_costly where it has no room */
  take(input: LargeInput): Promise<AppliedBatch['answer']>;
  close(): Promise<void>;
}

/** What is read out of a batch of 8 MiB is some times as much, and less than this. */
const HEAP_MB = 256;
/** On the clock, since it waits for Postgres and for everybody's small requests: one statement may take half as long. */
const WITHIN_MS = 30_000;
const WAIT_MS = 20_000;
/** Of the thread's processor time, beside which Postgres works as long. */
const REST_FACTOR = 2;

export function createLargeBatches(
  deps: Pick<
    Deps,
    | 'secrets'
    | 'database'
    | 'databaseClock'
    | 'config'
    | 'outbox'
    | 'deliveryBell'
    | 'feedBell'
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
    take: async ({ caller, body, request }) => {
      const job = {
        ...{ caller, body, trace: request, settleSeconds: config.TRANSCRIPT_SETTLE },
        database: { url: database.url.reveal(), statementMs: database.statementMs },
        clockAheadMs: databaseClock.aheadMs(),
        queueKey: (await secrets.resolve(config.QUEUE_KEY)).reveal(),
      };
      const transfer = [body.bytes.buffer as ArrayBuffer];
      return told(deps, await threads.run(caller.organizationId, job, withinMs, transfer));
    },
    close: () => threads.close(),
  };
}
