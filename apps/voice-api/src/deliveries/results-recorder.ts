// Writes down what became of deliveries, in groups (docs/performance.md#group-commit), and sees to what follows: jobs for later attempts,
// webhooks that are disabled.
import { setTimeout as delay } from 'node:timers/promises';
import { inTransaction } from '@parley/postgres';
import { createGroupCommit, persist, type WorkInHand } from '@parley/queues';
import type { Deps } from '../deps.ts';
import type { DeferredBatches } from './pace/deferred-batches.ts';
import type { DeliveryEntry } from './delivery-receiver.ts';
import { recordResults, type Result } from './record-results.ts';

/** Results in one transaction: it ends within milliseconds, and what a failure has to repeat stays small. */
const RESULTS_MAX = 500;
/** Under load the next group gathers at least so long: a transaction costs the same for a hundred results as for ten. */
const GATHER_MS = 20;
/** Between tries while Postgres is away. */
const TRY_AGAIN_MS = 500;

export interface EntryResult extends Result {
  readonly entry: DeliveryEntry;
}

export interface ResultsRecorder {
  add(result: EntryResult): void;
  /** Waits until all is written, or `deadlineMs` (epoch) has passed. */
  close(deadlineMs: number): Promise<void>;
}

export function createResultsRecorder(
  deps: Pick<Deps, 'pool' | 'clock' | 'ids' | 'deliveryBell' | 'deliveryMetrics' | 'webhookCache' | 'log'>,
  deferred: DeferredBatches,
  inHand: () => WorkInHand<DeliveryEntry>,
): ResultsRecorder {
  const { pool, clock, log } = deps;
  const abandoned = new AbortController();
  const group = createGroupCommit<EntryResult>({ groupMax: RESULTS_MAX, pauseMs: GATHER_MS, write });

  async function write(results: readonly EntryResult[]): Promise<void> {
    const entries = results.map(({ entry }) => entry);
    const { lease, finishing, finished } = inHand();
    const done = finishing(entries);
    // Until they are written: the requests are made, and whoever claims the batches after us would make them again.
    const recorded = await persist(
      () => inTransaction(pool, (sql) => recordResults(deps, sql, results, done, lease)),
      {
        everyMs: TRY_AGAIN_MS,
        signal: abandoned.signal,
        onFailure: (error) =>
          log.warn({ err: error, results: results.length }, 'delivery.results_not_written'),
      },
    );
    if (!recorded) return;
    deps.deliveryBell.ring(recorded.batches);
    for (const { webhookId, organizationId, reason } of recorded.disabled) {
      deps.webhookCache.drop(webhookId);
      log.warn({ webhook_id: webhookId, organization_id: organizationId, reason }, 'webhook.disabled');
    }
    deps.deliveryMetrics.disabled(recorded.disabled.length);
    finished(entries);
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
