// An item of the in-app inbox, from its row to the wire.
import { AppError, notificationsDialect } from '@parley/envelopes';
import type { Sql } from '@parley/server/postgres';
import type { ItemAction } from './item-content.ts';
import type { Reader } from '../callers/reader.ts';

const { time } = notificationsDialect;

/** Changes other than deletion, named like the events of the stream. */
export type Change = 'read' | 'unread' | 'archived' | 'unarchived' | 'snoozed' | 'unsnoozed';

/** The reader's state. For an item for everybody it comes from the reader's receipt. */
export interface ItemRow {
  readonly id: string;
  readonly notification_id: string;
  readonly organization_id: string;
  readonly user_id: string | null;
  readonly title: string;
  readonly body: string;
  readonly url: string | null;
  readonly data: unknown;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly seen_at: Date | null;
  readonly read_at: Date | null;
  readonly archived_at: Date | null;
  readonly snoozed_until: Date | null;
  readonly category: string | null;
  readonly icon: string | null;
  readonly actions: readonly ItemAction[] | null;
}

/** Of `in_app_items` as `i` joined with SHARED. */
export const ITEM_COLUMNS = `i.id, i.notification_id, i.organization_id, i.user_id,
  COALESCE(shared.plans #>> '{in_app,of_send,words,subject}', shared.subject, i.title) AS title,
  COALESCE(shared.plans #>> '{in_app,of_send,words,message}', shared.message, i.body) AS body,
  COALESCE(i.url, shared.plans #>> '{in_app,url}') AS url, COALESCE(i.data, shared.plans #> '{in_app,data}') AS data,
  i.created_at, i.expires_at, i.category, COALESCE(i.icon, shared.plans #>> '{in_app,icon}') AS icon,
  COALESCE(i.actions, shared.plans #> '{in_app,actions}') AS actions`;
export const SHARED = 'LEFT JOIN shared_contents AS shared ON shared.id = i.content_id';

/** State columns of `in_app_items` or `in_app_receipts`. */
export const stateColumns = (table: string) =>
  ['seen_at', 'read_at', 'archived_at', 'snoozed_until'].map((column) => `${table}.${column}`).join(', ');

/** Bytes of the columns that senders fill; the others are short. */
export const CONTENT_BYTES =
  'octet_length(body) + COALESCE(octet_length(data::text), 0) + COALESCE(octet_length(actions::text), 0)';

/** The record of the API (docs/notifications.md#in-app-inbox). */
export function toItem(row: ItemRow) {
  const at = (date: Date | null) => (date === null ? null : time(date));
  return {
    id: row.id,
    notification_id: row.notification_id,
    organization_id: row.organization_id,
    user_id: row.user_id,
    title: row.title,
    body: row.body,
    url: row.url,
    data: row.data ?? null,
    actions: row.actions ?? [],
    category: row.category,
    icon: row.icon,
    status: row.read_at === null ? ('unread' as const) : ('read' as const),
    seen_at: at(row.seen_at),
    read_at: at(row.read_at),
    archived_at: at(row.archived_at),
    snoozed_until: at(row.snoozed_until),
    created_at: time(row.created_at),
    expires_at: at(row.expires_at),
  };
}

/**
 * The item with the reader's state. Without a user: any item of the organisation.
 * @throws AppError not_found when it does not exist, belongs to another user, was deleted or has
 * expired.
 */
export async function getItem(sql: Sql, reader: Reader, id: string, nowMs: number): Promise<ItemRow> {
  const [row] = await sql<ItemRow>(FIND, [reader.organizationId, id, reader.userId, new Date(nowMs)]);
  if (!row) throw new AppError('not_found', `there is no notification "${id}"`);
  return row;
}

const FIND = `
  SELECT ${ITEM_COLUMNS}, COALESCE(i.seen_at, r.seen_at) AS seen_at, COALESCE(i.read_at, r.read_at) AS read_at,
    COALESCE(i.archived_at, r.archived_at) AS archived_at, COALESCE(i.snoozed_until, r.snoozed_until) AS snoozed_until
  FROM in_app_items i ${SHARED}
  LEFT JOIN in_app_receipts r ON r.organization_id = $1 AND r.user_id = $3::text AND r.item_id = i.id
  WHERE i.id = $2 AND i.organization_id = $1 AND r.deleted_at IS NULL
    AND (i.user_id IS NULL OR $3::text IS NULL OR i.user_id = $3::text)
    AND (i.expires_at IS NULL OR i.expires_at > $4)`;
