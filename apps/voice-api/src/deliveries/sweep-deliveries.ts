// Background tasks of deliveries in every worker: re-enqueues batches whose job was lost and
// deletes old rows.
import { repeat, type RepeatedTask } from '@parley/server/runtime';
import { inBatches, inTransaction, type Sql } from '@parley/server/postgres';
import type { Deps } from './deps.ts';
import { deliveryBatches } from './delivery-batches.ts';
import { firstIdAt } from '../lists.ts';
import { advanceForgottenQueues } from './pace/ordered-deliveries.ts';
import { quarantineDeliveries } from './quarantine-deliveries.ts';

/** As documented (docs/platform.md#leases-and-rings). */
const SWEEP_EVERY_MS = 5_000;
const TRIM_EVERY_MS = 60_000;

const DAY_MS = 86_400_000;
/** Retention of the delivery log; events can be replayed as long. */
export const DELIVERIES_KEPT_MS = 30 * DAY_MS;
/** Retention of skipped events (docs/voice-api.md#schedule), counted from the event. */
export const SKIPPED_KEPT_MS = 7 * DAY_MS;
const TRIM_LIMITS = { rowsMax: 5_000, batchesMax: 20 };
/** Events outlive their deliveries, so that a replay on the last day finds the body. */
const EVENTS_LONGER_MS = DAY_MS;

export function startDeliveryTasks(
  deps: Pick<Deps, 'pool' | 'sql' | 'queues' | 'clock' | 'log' | 'ids' | 'deliveryEnqueuer'>,
): readonly RepeatedTask[] {
  const { log } = deps;
  const cursor = { skipped: '' };
  return [
    repeat({ everyMs: SWEEP_EVERY_MS, firstAfterMs: SWEEP_EVERY_MS, name: 'deliveries.sweep', log }, () =>
      sweepDeliveries(deps),
    ),
    repeat({ everyMs: TRIM_EVERY_MS, firstAfterMs: TRIM_EVERY_MS, name: 'deliveries.trim', log }, () =>
      trimDeliveries(deps.sql, deps.clock(), cursor),
    ),
    repeat(
      { everyMs: TRIM_EVERY_MS, firstAfterMs: TRIM_EVERY_MS, name: 'deliveries.orders', log },
      async () =>
        deps.deliveryEnqueuer.enqueue(
          await inTransaction(deps.pool, (sql) => advanceForgottenQueues(deps, sql)),
        ),
    ),
  ];
}

/** Re-enqueues batches that no worker claimed in time. Returns their number. */
export async function sweepDeliveries(
  deps: Pick<Deps, 'pool' | 'queues' | 'clock' | 'log'>,
): Promise<number> {
  const table = deliveryBatches(deps, {
    onQuarantine: (sql, rows) =>
      quarantineDeliveries(
        deps,
        sql,
        rows.map(({ id }) => id),
      ),
  });
  return (await table.sweep()).enqueued;
}

/**
 * Deletes rows past their retention. Ids of deliveries grow with time, so old rows are a range of
 * the primary key. Skipped deliveries lie between rows that stay: `cursor.skipped` is how far this
 * process has looked.
 */
export async function trimDeliveries(sql: Sql, nowMs: number, cursor: { skipped: string }): Promise<number> {
  const keptFrom = firstIdAt('dlv', nowMs - DELIVERIES_KEPT_MS);
  let deletedCount = await inBatches(TRIM_LIMITS, (limit) =>
    sql(
      `WITH old AS (
         DELETE FROM webhook_deliveries WHERE id IN (
           SELECT id FROM webhook_deliveries WHERE id < $1 ORDER BY id LIMIT ${limit}
         ) RETURNING id
       ), attempt AS (
         DELETE FROM webhook_delivery_attempts WHERE delivery_id IN (SELECT id FROM old)
       )
       SELECT 1 AS one FROM old`,
      [keptFrom],
    ),
  );
  const eventsKeptFrom = new Date(nowMs - DELIVERIES_KEPT_MS - EVENTS_LONGER_MS);
  await inBatches(TRIM_LIMITS, (limit) =>
    sql(
      `DELETE FROM webhook_events WHERE id IN (
         SELECT id FROM webhook_events WHERE created_at < $1 ORDER BY created_at LIMIT ${limit}
       ) RETURNING 1 AS one`,
      [eventsKeptFrom],
    ),
  );
  const skippedKeptFrom = firstIdAt('dlv', nowMs - SKIPPED_KEPT_MS);
  await inBatches(TRIM_LIMITS, async (limit) => {
    const page = await sql<{ id: string; deleted: boolean }>(
      `WITH page AS (
         SELECT id, status FROM webhook_deliveries WHERE id > $1 AND id < $2 ORDER BY id LIMIT ${limit}
       ), old AS (
         DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM page WHERE status = 'skipped') RETURNING id
       ), attempt AS (
         DELETE FROM webhook_delivery_attempts WHERE delivery_id IN (SELECT id FROM old)
       )
       SELECT page.id, old.id IS NOT NULL AS deleted FROM page LEFT JOIN old ON old.id = page.id ORDER BY page.id`,
      [cursor.skipped, skippedKeptFrom],
    );
    cursor.skipped = page.at(-1)?.id ?? cursor.skipped;
    deletedCount += page.filter((row) => row.deleted).length;
    return page;
  });
  return deletedCount;
}
