// The worker side of web push: broadcasts, retries and housekeeping. Starts nothing where web push
// is off.
import { inBatches, inTransaction, type Sql } from '@parley/server/postgres';
import { onJob } from '@parley/jobs';
import type { Every, Lifecycle } from '@parley/server/runtime';
import type { BaseDeps } from '../../base-deps.ts';
import { chunkJob, chunkTable } from './chunk-table.ts';
import { HOURLY_LIMITS } from '../../housekeeping.ts';
import { quarantineParts } from '../../outcomes/quarantine.ts';
import { settleIfDone } from './fanout.ts';
import { retryDevices } from './retry-devices.ts';
import { createChunkSender } from './send-chunk.ts';
import type { PushDeps } from './send-devices.ts';

/** Retries wait for seconds at least, and a round costs one index read. */
const RETRY_EVERY_MS = 1_000;
const HOUSEKEEPING_EVERY_MS = 60 * 60_000;

/** Starts the worker of broadcasts. Returns the function that stops it. */
export function startPushWorker(deps: BaseDeps): () => Promise<void> {
  const { push, queues } = deps;
  if (push === null) return async () => undefined;
  const chunks = createChunkSender({ ...deps, push });
  const route = onJob(chunkJob, ({ id }, { signal }) => chunks.accept([id], signal));
  const worker = queues.worker(chunkJob.queue, [route]);
  return async () => {
    await worker.close();
    await chunks.close();
  };
}

/** Starts the periodic work: retries, sweeper, housekeeping. */
export function startPushRepeats(all: BaseDeps, life: Lifecycle, every: Every): void {
  const { push, config, clock, sql, sweepMs } = all;
  if (push === null) return;
  const deps: PushDeps = { ...all, push };
  const stopping = new AbortController();
  every('push.sweep', sweepMs, async () => {
    await sweepChunks(deps);
    await settleOpen(deps);
  });
  every('push.retry', Math.min(sweepMs, RETRY_EVERY_MS), () => retryDevices(deps, stopping.signal));
  life.onStop('push retries', () => stopping.abort());
  every('push.housekeeping', HOUSEKEEPING_EVERY_MS, () => deleteOldPush(sql, clock(), config.RETENTION_DAYS));
}

/** Re-enqueues due chunks that no worker claimed, and quarantines those that workers died with. */
export async function sweepChunks(deps: BaseDeps): Promise<void> {
  const options: Parameters<typeof chunkTable>[1] = {
    onQuarantine: async (sql, rows) => {
      const found = await sql<{ id: string }>(
        'SELECT DISTINCT delivery_id AS id FROM push_chunks WHERE id = ANY($1::text[])',
        [rows.map(({ id }) => id)],
      );
      await quarantineParts(
        deps,
        sql,
        'push_chunks',
        found.map(({ id }) => id),
      );
    },
  };
  await chunkTable(deps, options).sweep();
}

/** Of one round. They exist only when a process died before it settled them. */
const SETTLED_MAX = 100;

/** Settles fan-outs whose devices are all recorded. */
async function settleOpen(deps: PushDeps): Promise<void> {
  const done = await deps.sql<{ delivery_id: string }>(
    `SELECT delivery_id FROM push_fanouts WHERE settled_at IS NULL AND chunks_open = 0
       AND NOT EXISTS (SELECT FROM push_retries WHERE push_retries.delivery_id = push_fanouts.delivery_id)
     ORDER BY created_at LIMIT $1`,
    [SETTLED_MAX],
  );
  for (const { delivery_id: id } of done)
    await inTransaction(deps.pool, (sql) => settleIfDone(deps, sql, id));
}

const DAY_MS = 24 * 60 * 60_000;
/** A gone subscription can be restored this long (docs/notifications.md#web-push). */
const GONE_RETENTION_MS = 30 * DAY_MS;

/** Deletes gone subscriptions, and fan-outs of deleted notifications with their history. */
export async function deleteOldPush(sql: Sql, nowMs: number, keptDays: number): Promise<void> {
  await inBatches(HOURLY_LIMITS, (limit) =>
    sql(
      `DELETE FROM push_subscriptions WHERE id IN
         (SELECT id FROM push_subscriptions WHERE gone_at < $1 ORDER BY gone_at LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING 1 AS one`,
      [new Date(nowMs - GONE_RETENTION_MS), limit],
    ),
  );
  const old = new Date(nowMs - keptDays * DAY_MS);
  // A broadcast has as many rows as users. They go in batches before the fan-out.
  await inBatches(HOURLY_LIMITS, (limit) =>
    sql(
      `DELETE FROM push_history WHERE (organization_id, user_id, notification_id) IN
         (SELECT history.organization_id, user_id, notification_id FROM push_history AS history
          WHERE delivery_id IN (SELECT delivery_id FROM push_fanouts WHERE settled_at < $1 AND created_at < $1) LIMIT $2)
       RETURNING 1 AS one`,
      [old, limit],
    ),
  );
  await inBatches(HOURLY_LIMITS, (limit) =>
    sql(
      `DELETE FROM push_fanouts WHERE delivery_id IN
         (SELECT delivery_id FROM push_fanouts WHERE settled_at < $1 AND created_at < $1 LIMIT $2)
       RETURNING 1 AS one`,
      [old, limit],
    ),
  );
}
