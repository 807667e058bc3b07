// Writes inbox items in the transaction that accepts their notifications.
import { WRITTEN_BY } from '@parley/server/event-streams';
import type { Sql } from '@parley/server/postgres';
import type { ItemAction } from './item-content.ts';

export interface NewInAppItem {
  readonly organizationId: string;
  readonly notificationId: string;
  /** Null: for every user of the organisation. */
  readonly userId: string | null;
  readonly title: string;
  readonly body: string;
  readonly url?: string | null | undefined;
  /** The shared content with its text, link, data, actions and icon. */
  readonly contentId?: string | undefined;
  /** Any JSON. */
  readonly data?: unknown;
  readonly actions?: readonly ItemAction[] | undefined;
  readonly category?: string | undefined;
  readonly icon?: string | undefined;
  /** Null: the item stays until it is deleted or too old. */
  readonly expiresAt: Date | null;
}

/** The id derives from the notification's, so a repeated write finds the item. */
export function toItemId(notificationId: string): string {
  return `iap_${notificationId.slice(notificationId.indexOf('_') + 1)}`;
}

/** @returns the id of the item. */
export async function writeInAppItem(sql: Sql, item: NewInAppItem, nowMs: number): Promise<string> {
  await writeInAppItems(sql, [item], nowMs);
  return toItemId(item.notificationId);
}

/**
 * One statement and one row per notification, for any number of readers. Idempotent. Streams find
 * the items within a second of the commit; `deps.inboxBell.notify` after the commit delivers them
 * at once.
 */
export async function writeInAppItems(
  sql: Sql,
  items: readonly NewInAppItem[],
  nowMs: number,
): Promise<void> {
  await sql(INSERT, [
    new Date(nowMs),
    items.map(({ notificationId }) => toItemId(notificationId)),
    items.map(({ organizationId }) => organizationId),
    items.map(({ userId }) => userId),
    items.map(({ notificationId }) => notificationId),
    items.map(({ title }) => title),
    items.map(({ body }) => body),
    items.map(({ url }) => url ?? null),
    items.map(({ data }) => toJson(data)),
    items.map(({ actions }) => toJson(actions)),
    items.map(({ category }) => category ?? null),
    items.map(({ icon }) => icon ?? null),
    items.map(({ expiresAt }) => expiresAt),
    items.map(({ contentId }) => contentId ?? null),
  ]);
}

const toJson = (value: unknown) => (value === undefined ? null : JSON.stringify(value));

const INSERT = `
  INSERT INTO in_app_items
    (id, organization_id, user_id, notification_id, title, body, url, data, actions, category, icon, created_at, expires_at, content_id, written_by)
  SELECT id, organization_id, user_id, notification_id, title, body, url, data::jsonb, actions::jsonb, category, icon,
    $1::timestamptz, expires_at, content_id, ${WRITTEN_BY}
  FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
      $11::text[], $12::text[], $13::timestamptz[], $14::text[])
    AS item (id, organization_id, user_id, notification_id, title, body, url, data, actions, category, icon, expires_at,
      content_id)
  ON CONFLICT (id) DO NOTHING`;
