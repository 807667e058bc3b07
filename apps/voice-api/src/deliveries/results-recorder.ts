// Writes results of deliveries in groups (docs/performance.md#group-commit), then enqueues later
// attempts and drops disabled webhooks from the cache.
import { setTimeout as delay } from 'node:timers/promises';
import { inTransaction } from '@parley/server/postgres';
import { createGroupCommit, retryUntilSuccess } from '@parley/server/runtime';
import { type WorkInFlight } from '@parley/jobs';
import type { Deps } from './deps.ts';
import type { DeferredBatches } from './pace/deferred-batches.ts';
import type { DeliveryEntry } from './delivery-receiver.ts';
import { recordResults, type DeliveryResult } from './record-results.ts';

/** Results of one transaction: it takes milliseconds, and a failure repeats little. */
const RESULTS_MAX = 500;
/** Under load a group gathers for this long: large transactions cost little more. */
const GATHER_MS = 20;
/** Pause between attempts while Postgres is unavailable. */
const TRY_AGAIN_MS = 500;

export interface EntryResult extends DeliveryResult {
  readonly entry: DeliveryEntry;
}

export interface ResultsRecorder {
  add(result: EntryResult): void;
  /** Waits until all results are written, or until `deadlineMs` (epoch). */
  close(deadlineMs: number): Promise<void>;
}

export function createResultsRecorder(
  deps: Pick<
    Deps,
    'pool' | 'clock' | 'ids' | 'deliveryEnqueuer' | 'deliveryMetrics' | 'webhookCache' | 'log'
  >,
  deferred: DeferredBatches,
  inHand: () => WorkInFlight<DeliveryEntry>,
): ResultsRecorder {
  const { pool, clock, log } = deps;
  const abandoned = new AbortController();
  const group = createGroupCommit<EntryResult>({ groupMax: RESULTS_MAX, pauseMs: GATHER_MS, write });

  async function write(results: readonly EntryResult[]): Promise<void> {
    const entries = results.map(({ entry }) => entry);
    const { lease, closeEntries, freePlaces } = inHand();
    const done = closeEntries(entries);
    // Retries until written: the requests were made, and the next holder of the batches would
    // repeat them.
    const recorded = await retryUntilSuccess(
      () => inTransaction(pool, (sql) => recordResults(deps, sql, results, done, lease)),
      {
        everyMs: TRY_AGAIN_MS,
        signal: abandoned.signal,
        onFailure: (error) =>
          log.warn({ err: error, results: results.length }, 'delivery.results_not_written'),
      },
    );
    if (!recorded) return;
    deps.deliveryEnqueuer.enqueue(recorded.batches);
    for (const { webhookId, organizationId, reason } of recorded.disabled) {
      deps.webhookCache.drop(webhookId);
      log.warn({ webhook_id: webhookId, organization_id: organizationId, reason }, 'webhook.disabled');
    }
    deps.deliveryMetrics.disabled(recorded.disabled.length);
    freePlaces(entries);
    for (const batch of recorded.batches)
      if (batch.deferredLane !== null) deferred.keep(batch.deferredLane, batch);
  }

  return {
    add: (result) => void group.add(result),
    close: async (deadlineMs) => {
      const late = delay(Math.max(0, deadlineMs - clock()), undefined, { ref: false });
      await Promise.race([group.close(), late]);
      abandoned.abort();
    },
  };
}
