// Counts unread and unseen items of inboxes. Counts the rows each time, so the result is right
// under concurrent writes. One index holds everything needed.
import type { Sql } from '@parley/server/postgres';
import type { Reader } from '../callers/reader.ts';

export interface InboxCounts {
  readonly unread_count: number;
  readonly unseen_count: number;
}

/** Counts for each reader, in order, optionally of one category. Excludes snoozed items. */
export async function countItems(
  sql: Sql,
  readers: readonly Reader[],
  nowMs: number,
  category: string | null = null,
): Promise<readonly InboxCounts[]> {
  return sql<InboxCounts & Record<string, unknown>>(COUNT, [
    readers.map(({ organizationId }) => organizationId),
    readers.map(({ userId }) => userId),
    new Date(nowMs),
    category,
  ]).then((rows) => rows.map(({ unread_count, unseen_count }) => ({ unread_count, unseen_count })));
}

/** Archived implies read and read implies seen: one scan yields both numbers. */
const COUNT = `
  SELECT (own.unread + shared.unread)::int AS unread_count, (own.unseen + shared.unseen)::int AS unseen_count
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS reader (organization_id, user_id, place)
  CROSS JOIN LATERAL (
    SELECT count(*) AS unread, count(*) FILTER (WHERE i.seen_at IS NULL) AS unseen
    FROM in_app_items i
    WHERE i.organization_id = reader.organization_id AND i.user_id = reader.user_id AND i.read_at IS NULL
      AND (i.expires_at IS NULL OR i.expires_at > $3) AND (i.snoozed_until IS NULL OR i.snoozed_until <= $3)
      AND ($4::text IS NULL OR i.category = $4)
  ) own
  CROSS JOIN LATERAL (
    SELECT count(*) AS unread, count(*) FILTER (WHERE r.seen_at IS NULL) AS unseen
    FROM in_app_items i
    LEFT JOIN in_app_receipts r
      ON r.organization_id = reader.organization_id AND r.user_id = reader.user_id AND r.item_id = i.id
    WHERE i.organization_id = reader.organization_id AND i.user_id IS NULL AND i.read_at IS NULL
      AND (i.expires_at IS NULL OR i.expires_at > $3) AND r.read_at IS NULL AND r.deleted_at IS NULL
      AND (r.snoozed_until IS NULL OR r.snoozed_until <= $3) AND ($4::text IS NULL OR i.category = $4)
  ) shared
  ORDER BY reader.place`;
