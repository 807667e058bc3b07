// Housekeeping of the in-app inbox: expired and old items, old changes, used tickets.
import { OLD_TICKETS } from '@parley/server/event-streams';
import { inBatches, type Sql } from '@parley/server/postgres';
import type { Clock } from '@parley/server/runtime';
import { EVENTS_KEPT_MS } from '../inbox-items/stream-events.ts';

/** A normal minute is far below one round. After a long pause several rounds catch up. */
const LIMITS = { rowsMax: 5_000, batchesMax: 20 };
const DAY_MS = 24 * 60 * 60_000;

/** Deletes invisible rows; receipts go with their item. @returns the number of rows. */
export async function cleanInbox(
  { sql, clock }: { readonly sql: Sql; readonly clock: Clock },
  keptDays: number,
): Promise<number> {
  const nowMs = clock();
  const rounds: [string, Date][] = [
    [EXPIRED_ITEMS, new Date(nowMs)],
    [OLD_ITEMS, new Date(nowMs - keptDays * DAY_MS)],
    [OLD_CHANGES, new Date(nowMs - EVENTS_KEPT_MS)],
    [OLD_TICKETS, new Date(nowMs)],
  ];
  let deleted = 0;
  for (const [statement, until] of rounds) {
    deleted += await inBatches(LIMITS, (limit) => sql(statement, [until, limit]));
  }
  return deleted;
}

const EXPIRED_ITEMS = `
  DELETE FROM in_app_items WHERE id IN (SELECT id FROM in_app_items WHERE expires_at <= $1 LIMIT $2::int) RETURNING 1`;
/** Ids begin with their time, so the oldest come first without an index on created_at. */
const OLD_ITEMS = `
  DELETE FROM in_app_items WHERE id IN (
    SELECT id FROM (SELECT id, created_at FROM in_app_items ORDER BY id LIMIT $2::int) AS oldest WHERE created_at < $1
  ) RETURNING 1`;
const OLD_CHANGES = `
  DELETE FROM in_app_changes WHERE id IN (
    SELECT id FROM (SELECT id, created_at FROM in_app_changes ORDER BY id LIMIT $2::int) AS oldest WHERE created_at < $1
  ) RETURNING 1`;
