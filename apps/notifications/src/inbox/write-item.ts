// Writes items of the in-app store, in the transaction that accepts their notifications.
import type { Sql } from '@parley/postgres';
import type { ItemAction } from './item-content.ts';

export interface NewInAppItem {
  readonly organizationId: string;
  readonly notificationId: string;
  /** Null: for every user of the organisation. */
  readonly userId: string | null;
  readonly title: string;
  readonly body: string;
  readonly url?: string | null | undefined;
  /** The shared content that has its text, address, data, actions and icon. */
  readonly contentId?: string | undefined;
  /** Anything JSON. */
  readonly data?: unknown;
  readonly actions?: readonly ItemAction[] | undefined;
  readonly category?: string | undefined;
  readonly icon?: string | undefined;
  /** Null: it stays until it is deleted, or as long as items are kept. */
  readonly expiresAt: Date | null;
}

/** An item is called like its notification, so that a repeated write finds it there. */
export function itemIdOf(notificationId: string): string {
  return `iap_${notificationId.slice(notificationId.indexOf('_') + 1)}`;
}

/** @returns the id of the item. */
export async function writeInAppItem(sql: Sql, item: NewInAppItem, nowMs: number): Promise<string> {
  await writeInAppItems(sql, [item], nowMs);
  return itemIdOf(item.notificationId);
}

/**
 * One statement, one row each whatever the number of readers; writing the same notification again changes nothing. Streams find
 * the items by themselves within a second of the commit; ring `deps.inboxBell` after the commit and they have them at once.
 */
export async function writeInAppItems(
  sql: Sql,
  items: readonly NewInAppItem[],
  nowMs: number,
): Promise<void> {
  await sql(INSERT, [
    new Date(nowMs),
    items.map(({ notificationId }) => itemIdOf(notificationId)),
    items.map(({ organizationId }) => organizationId),
    items.map(({ userId }) => userId),
    items.map(({ notificationId }) => notificationId),
    items.map(({ title }) => title),
    items.map(({ body }) => body),
    items.map(({ url }) => url ?? null),
    items.map(({ data }) => jsonOf(data)),
    items.map(({ actions }) => jsonOf(actions)),
    items.map(({ category }) => category ?? null),
    items.map(({ icon }) => icon ?? null),
    items.map(({ expiresAt }) => expiresAt),
    items.map(({ contentId }) => contentId ?? null),
  ]);
}

const jsonOf = (value: unknown) => (value === undefined ? null : JSON.stringify(value));

const INSERT = `
  INSERT INTO in_app_items
    (id, organization_id, user_id, notification_id, title, body, url, data, actions, category, icon, created_at, expires_at, content_id, written_by)
  SELECT id, organization_id, user_id, notification_id, title, body, url, data::jsonb, actions::jsonb, category, icon,
    $1::timestamptz, expires_at, content_id, pg_current_xact_id()::text::bigint
  FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
      $11::text[], $12::text[], $13::timestamptz[], $14::text[])
    AS item (id, organization_id, user_id, notification_id, title, body, url, data, actions, category, icon, expires_at,
      content_id)
  ON CONFLICT (id) DO NOTHING`;
