// Deletes notifications after RETENTION_DAYS, with their deliveries and attempts.
import { inBatches, type Sql } from '@parley/server/postgres';
import { firstIdAt } from '@parley/server/runtime';

const DAY_MS = 24 * 60 * 60_000;
/** An hour at 100 notifications a second is 360 batches. */
export const HOURLY_LIMITS = { rowsMax: 1_000, batchesMax: 500 };

/** Deletes expired throttles, which reject nothing. */
export async function deleteOldThrottles(sql: Sql, nowMs: number): Promise<number> {
  return inBatches(HOURLY_LIMITS, (limit) =>
    sql(
      `DELETE FROM throttles WHERE (organization_id, key_hash) IN
         (SELECT organization_id, key_hash FROM throttles WHERE until <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING 1 AS one`,
      [new Date(nowMs), limit],
    ),
  );
}

/** Returns the number of deleted rows. Keeps what still waits for its time, however old. */
export async function deleteOldNotifications(sql: Sql, nowMs: number, keptDays: number): Promise<number> {
  const oldestKept = firstIdAt('ntf', nowMs - keptDays * DAY_MS);
  return inBatches(HOURLY_LIMITS, (limit) =>
    sql(
      `DELETE FROM notifications WHERE id IN
         (SELECT id FROM notifications AS old WHERE id < $1
            AND NOT EXISTS (SELECT FROM deliveries WHERE notification_id = old.id AND next_ring_at IS NOT NULL)
            AND NOT EXISTS (SELECT FROM topic_sends WHERE id = old.id AND next_ring_at IS NOT NULL)
            AND NOT EXISTS (SELECT FROM recurring_sends WHERE id = old.id AND due_at IS NOT NULL)
          ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING 1 AS one`,
      [oldestKept, limit],
    ),
  );
}
