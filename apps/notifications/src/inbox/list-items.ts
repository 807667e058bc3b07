// GET /v1/notifications: the inbox of a user, newest first, from the user's own items and those for
// every user.
import { decodeCursor, toPage } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import { countFitting, boundBytesSql, type SizedRow } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import { countItems } from '../inbox-items/count-items.ts';
import {
  CONTENT_BYTES,
  ITEM_COLUMNS,
  toItem,
  SHARED,
  stateColumns,
  type ItemRow,
} from '../inbox-items/item.ts';
import { fillItemLinks } from '../inbox-items/item-links.ts';
import { getReader } from '../callers/reader.ts';
import type { LinkDeps } from '../people/message-links.ts';

export interface ListQuery {
  readonly user_id?: string | undefined;
  readonly status: 'unread' | 'read' | 'all';
  readonly state: 'inbox' | 'archived' | 'snoozed' | 'all';
  readonly category?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly created_after?: Date | undefined;
  readonly created_before?: Date | undefined;
}

export async function listItems(deps: LinkDeps & Pick<Deps, 'clock'>, caller: Caller, query: ListQuery) {
  const reader = getReader(caller, query.user_id);
  const nowMs = deps.clock();
  const before = query.cursor === undefined ? undefined : decodeCursor(query.cursor, 'time', 'text');
  const [rows, [counts]] = await Promise.all([
    deps.sql<ItemRow & SizedRow>(listStatement(query), [
      reader.organizationId,
      reader.userId,
      new Date(nowMs),
      query.created_after ?? '-infinity',
      query.created_before ?? 'infinity',
      before ? new Date(before[0]) : 'infinity',
      before ? before[1] : '',
      query.limit + 1,
      query.category ?? null,
    ]),
    countItems(deps.sql, [reader], nowMs),
  ]);
  const filled = reader.seesLinks ? await fillItemLinks(deps, rows) : rows;
  return {
    ...toPage(filled, countFitting(rows, query.limit), (row) => [row.created_at.getTime(), row.id], toItem),
    ...counts!,
  };
}

/** Absent filters are passed as infinite bounds. */
function listStatement({ status, state }: Pick<ListQuery, 'status' | 'state'>): string {
  const half = (seen: string, joined: string, userCondition: string) => `
    (SELECT ${ITEM_COLUMNS}, ${stateColumns(seen)}
     FROM in_app_items i ${SHARED} ${joined}
     WHERE i.organization_id = $1 AND ${userCondition} AND (i.expires_at IS NULL OR i.expires_at > $3)
       AND i.created_at > $4::timestamptz AND i.created_at < $5::timestamptz
       AND (i.created_at, i.id) < ($6::timestamptz, $7::text) AND ($9::text IS NULL OR i.category = $9::text)
       ${STATUS[status](seen)} ${STATE[state](seen)}
     ORDER BY i.created_at DESC, i.id DESC LIMIT $8::int)`;
  const receipts = `LEFT JOIN in_app_receipts r
      ON r.organization_id = $1 AND r.user_id = $2::text AND r.item_id = i.id`;
  const both = `
    ${half('i', '', 'i.user_id = $2::text')}
    UNION ALL
    ${half('r', receipts, 'i.user_id IS NULL AND r.deleted_at IS NULL')}
    ORDER BY created_at DESC, id DESC LIMIT $8::int`;
  return boundBytesSql(both, CONTENT_BYTES, 'created_at DESC, id DESC');
}

/** Conditions on the reader's state of an item. */
const STATUS: Readonly<Record<ListQuery['status'], (seen: string) => string>> = {
  all: () => '',
  unread: (seen) => `AND ${seen}.read_at IS NULL`,
  read: (seen) => `AND ${seen}.read_at IS NOT NULL`,
};
const STATE: Readonly<Record<ListQuery['state'], (seen: string) => string>> = {
  all: () => '',
  inbox: (seen) =>
    `AND ${seen}.archived_at IS NULL AND (${seen}.snoozed_until IS NULL OR ${seen}.snoozed_until <= $3)`,
  archived: (seen) => `AND ${seen}.archived_at IS NOT NULL`,
  snoozed: (seen) => `AND ${seen}.snoozed_until > $3`,
};
