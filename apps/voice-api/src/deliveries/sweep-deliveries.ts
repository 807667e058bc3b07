// Background tasks of deliveries in every worker: re-enqueues batches whose job was lost and
// deletes old rows.
import { firstIdAt, type Every } from '@parley/server/runtime';
import { inBatches, inTransaction, keepPartitions, trimEarlier, type Sql } from '@parley/server/postgres';
import type { Deps } from './deps.ts';
import { deliveryBatches } from './delivery-batches.ts';
import { DELIVERY_TABLES } from './delivery-tables.ts';
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
  every: Every,
): void {
  const cursor = { skipped: '' };
  every('deliveries.sweep', SWEEP_EVERY_MS, () => sweepDeliveries(deps));
  every('deliveries.trim', TRIM_EVERY_MS, () => trimDeliveries(deps, deps.clock(), cursor));
  every('deliveries.orders', TRIM_EVERY_MS, async () =>
    deps.deliveryEnqueuer.enqueue(await inTransaction(deps.pool, (sql) => advanceForgottenQueues(deps, sql))),
  );
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
 * Drops weeks of deliveries past their retention, and deletes old events. Skipped deliveries lie
 * between rows that stay: `cursor.skipped` is how far this process has looked. Returns the number
 * of deleted rows.
 */
export async function trimDeliveries(
  deps: Pick<Deps, 'pool' | 'sql' | 'log'>,
  nowMs: number,
  cursor: { skipped: string },
): Promise<number> {
  const keptFromMs = nowMs - DELIVERIES_KEPT_MS;
  let deletedCount = 0;
  for (const table of DELIVERY_TABLES) {
    await keepPartitions(deps, table, { nowMs, keptFromMs });
    deletedCount += await trimEarlier(deps.sql, table, keptFromMs, TRIM_LIMITS);
  }
  await trimEvents(deps.sql, nowMs);
  return deletedCount + (await trimSkipped(deps.sql, nowMs, cursor));
}

async function trimEvents(sql: Sql, nowMs: number): Promise<void> {
  const eventsKeptFrom = new Date(nowMs - DELIVERIES_KEPT_MS - EVENTS_LONGER_MS);
  await inBatches(TRIM_LIMITS, (limit) =>
    sql(
      `DELETE FROM webhook_events WHERE id IN (
         SELECT id FROM webhook_events WHERE created_at < $1 ORDER BY created_at LIMIT ${limit}
       ) RETURNING 1 AS one`,
      [eventsKeptFrom],
    ),
  );
}

async function trimSkipped(sql: Sql, nowMs: number, cursor: { skipped: string }): Promise<number> {
  let deletedCount = 0;
  const skippedKeptFrom = firstIdAt('dlv', nowMs - SKIPPED_KEPT_MS);
  await inBatches(TRIM_LIMITS, async (limit) => {
    const page = await sql<{ id: string; deleted: boolean }>(
      `WITH page AS (
         SELECT id, status FROM webhook_deliveries WHERE id > $1 AND id < $2 ORDER BY id LIMIT ${limit}
       ), old AS (
         DELETE FROM webhook_deliveries
         WHERE id IN (SELECT id FROM page WHERE status = 'skipped') AND id > $1 AND id < $2 RETURNING id
       ), attempt AS (
         DELETE FROM webhook_delivery_attempts
         WHERE delivery_id IN (SELECT id FROM old) AND delivery_id > $1 AND delivery_id < $2
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
