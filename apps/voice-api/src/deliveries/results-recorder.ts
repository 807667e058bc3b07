// Collects what became of deliveries and writes it in groups: while one transaction is under way the next one gathers, so groups
// grow with the load and a single result waits for nobody. Made by send-deliveries.ts.
import { setTimeout as delay } from 'node:timers/promises';
import { inTransaction } from '@parley/postgres';
import type { Deps } from '../deps.ts';
import { recordResults, type LaterBatch, type Recorded, type Result } from './record-results.ts';

/** Results in one transaction: it ends within milliseconds, and what a failure has to repeat stays small. */
const RESULTS_MAX = 500;
/** Under load the next group gathers at least so long: a transaction costs the same for a hundred results as for ten. */
const GATHER_MS = 20;
/** Between tries while Postgres is away. */
const TRY_AGAIN_MS = 500;

export interface ResultsRecorder<R extends Result> {
  add(result: R): void;
  /** Waits until all is written, or `deadlineMs` (epoch) has passed. */
  close(deadlineMs: number): Promise<void>;
}

export interface RecorderHooks<R extends Result> {
  /** The batches of which these are the last results. Called when they are about to be written. */
  readonly finishedBy: (results: readonly R[]) => readonly string[];
  /** They are committed, and with them the batches that some of them go on in. */
  readonly recorded: (results: readonly R[], later: readonly LaterBatch[]) => void;
}

export function createResultsRecorder<R extends Result>(
  deps: Pick<
    Deps,
    'pool' | 'clock' | 'ids' | 'outbox' | 'deliveryBell' | 'deliveryMetrics' | 'knownWebhooks' | 'log'
  >,
  lease: string,
  hooks: RecorderHooks<R>,
): ResultsRecorder<R> {
  const gathered: R[] = [];
  let writing: Promise<void> | undefined;
  let abandoned = false;

  async function write(): Promise<void> {
    // One turn of the event loop: answers that came in together are written together.
    await new Promise((resolve) => setImmediate(resolve));
    while (gathered.length > 0 && !abandoned) {
      const group = gathered.splice(0, RESULTS_MAX);
      const finished = hooks.finishedBy(group);
      const recorded = await persistGroup(group, finished);
      if (!recorded) return;
      deps.deliveryBell.ring(recorded.batches);
      for (const { webhookId, organizationId, reason } of recorded.disabled) {
        deps.knownWebhooks.drop(webhookId);
        deps.log.warn({ webhook_id: webhookId, organization_id: organizationId, reason }, 'webhook.disabled');
      }
      deps.deliveryMetrics.disabled(recorded.disabled.length);
      if (recorded.notices) void deps.outbox.ring(recorded.notices);
      hooks.recorded(group, recorded.batches);
      if (gathered.length > 0 && gathered.length < RESULTS_MAX) await delay(GATHER_MS);
    }
  }

  /** Tries until it is written: the requests are made, and whoever claims the batch after us would make them again. */
  async function persistGroup(group: readonly R[], finished: readonly string[]): Promise<Recorded | null> {
    while (!abandoned) {
      try {
        return await inTransaction(deps.pool, (sql) => recordResults(deps, sql, group, finished, lease));
      } catch (error) {
        deps.log.warn({ err: error, results: group.length }, 'delivery.results_not_written');
        await delay(TRY_AGAIN_MS, undefined, { ref: false });
      }
    }
    return null;
  }

  function start(): void {
    writing ??= write().finally(() => {
      writing = undefined;
      if (gathered.length > 0 && !abandoned) start();
    });
  }

  return {
    add: (result) => {
      gathered.push(result);
      start();
    },
    close: async (deadlineMs) => {
      while (writing && deps.clock() < deadlineMs) {
        await Promise.race([
          writing,
          delay(Math.max(0, deadlineMs - deps.clock()), undefined, { ref: false }),
        ]);
      }
      abandoned = true;
    },
  };
}
