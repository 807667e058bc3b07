// Forgets notifications after NOTIFICATIONS_KEPT_DAYS, with their deliveries and attempts.
import type { Sql } from '@parley/postgres';
import { encodeTime } from 'ulid';

const DAY_MS = 24 * 60 * 60_000;
/** Rows in one statement: it takes milliseconds, and holds few locks. */
const BATCH_MAX = 1_000;
/** An hour's worth at 100 notifications a second is 360 batches. */
const BATCHES_MAX = 500;

/** Of a ULID: what comes first in an id is its time, so the primary key finds old rows without an index of their age. */
const TIME_CHARS = 10;

/** Gives how many went. What still waits for its time stays, however old. */
export async function deleteOldNotifications(sql: Sql, nowMs: number, keptDays: number): Promise<number> {
  const oldestKept = `ntf_${encodeTime(nowMs - keptDays * DAY_MS, TIME_CHARS).toLowerCase()}`;
  return inBatches((limit) =>
    sql(
      `DELETE FROM notifications WHERE id IN
         (SELECT id FROM notifications AS old WHERE id < $1
            AND NOT EXISTS (SELECT FROM deliveries WHERE notification_id = old.id AND next_ring_at IS NOT NULL)
          ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING 1 AS one`,
      [oldestKept, limit],
    ),
  );
}

/** `remove` deletes at most `limit` rows and gives them; repeated until there are no more. Gives how many went. */
export async function inBatches(remove: (limit: number) => Promise<readonly unknown[]>): Promise<number> {
  let gone = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const { length } = await remove(BATCH_MAX);
    gone += length;
    if (length < BATCH_MAX) break;
  }
  return gone;
}
