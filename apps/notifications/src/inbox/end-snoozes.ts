// Sends stream events for items whose snooze has ended. Lists need no update, since every query
// compares the time.
import { WRITTEN_BY } from '@parley/server/event-streams';
import { inBatches, type Sql } from '@parley/server/postgres';
import type { Clock } from '@parley/server/runtime';

/** A normal minute is far below one round. After a long pause several rounds catch up. */
const LIMITS = { rowsMax: 5_000, batchesMax: 20 };

/** @returns the number of ended snoozes. */
export async function endSnoozes({
  sql,
  clock,
}: {
  readonly sql: Sql;
  readonly clock: Clock;
}): Promise<number> {
  const now = new Date(clock());
  let ended = 0;
  for (const statement of [OWN, SHARED])
    ended += await inBatches(LIMITS, (limit) => sql(statement, [now, limit]));
  return ended;
}

const INSERT_CHANGES = `
  INSERT INTO in_app_changes (organization_id, user_id, kind, item_id, notification_id, created_at, written_by)
  SELECT organization_id, user_id, 'unsnoozed', item_id, notification_id, $1::timestamptz, ${WRITTEN_BY}
  FROM ended RETURNING 1`;

const OWN = `
  WITH ended AS (
    UPDATE in_app_items AS item SET snoozed_until = NULL
    FROM (SELECT id FROM in_app_items WHERE snoozed_until <= $1::timestamptz ORDER BY snoozed_until LIMIT $2::int
          FOR UPDATE SKIP LOCKED) AS due
    WHERE item.id = due.id RETURNING item.organization_id, user_id, item.id AS item_id, notification_id)
  ${INSERT_CHANGES}`;

const SHARED = `
  WITH ended AS (
    UPDATE in_app_receipts AS receipt SET snoozed_until = NULL
    FROM (SELECT organization_id, user_id, item_id FROM in_app_receipts WHERE snoozed_until <= $1::timestamptz
          ORDER BY snoozed_until LIMIT $2::int FOR UPDATE SKIP LOCKED) AS due, in_app_items AS item
    WHERE receipt.organization_id = due.organization_id AND receipt.user_id = due.user_id AND receipt.item_id = due.item_id
      AND item.id = due.item_id
    RETURNING receipt.organization_id, receipt.user_id, receipt.item_id, item.notification_id)
  ${INSERT_CHANGES}`;
