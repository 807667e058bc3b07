// Writes one item of the in-app store, in the transaction that accepts its notification.
import type { Sql } from '@parley/postgres';

export interface NewInAppItem {
  readonly organizationId: string;
  readonly notificationId: string;
  /** Null: for every user of the organisation. */
  readonly userId: string | null;
  readonly title: string;
  readonly body: string;
  readonly url?: string | null;
  /** Anything JSON. */
  readonly data?: unknown;
  /** Null: it stays until it is deleted, or as long as items are kept. */
  readonly expiresAt: Date | null;
}

/** An item is called like its notification, so that a repeated write finds it there. */
export function itemIdOf(notificationId: string): string {
  return `iap_${notificationId.slice(notificationId.indexOf('_') + 1)}`;
}

/**
 * One statement, one row whatever the number of readers; writing the same notification again changes nothing. Streams find
 * the item by itself within a second of the commit; ring `deps.inboxBell` after the commit and they have it at once.
 * @returns the id of the item.
 */
export async function writeInAppItem(sql: Sql, item: NewInAppItem, nowMs: number): Promise<string> {
  const id = itemIdOf(item.notificationId);
  await sql(INSERT, [
    id,
    item.organizationId,
    item.userId,
    item.notificationId,
    item.title,
    item.body,
    item.url ?? null,
    item.data === undefined ? null : JSON.stringify(item.data),
    new Date(nowMs),
    item.expiresAt,
  ]);
  return id;
}

const INSERT = `
  INSERT INTO in_app_items
    (id, organization_id, user_id, notification_id, title, body, url, data, created_at, expires_at, written_by)
  VALUES
    ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::jsonb, $9::timestamptz, $10::timestamptz,
     pg_current_xact_id()::text::bigint)
  ON CONFLICT (id) DO NOTHING`;
