// Reads inbox events from the tables in the order of their transactions, which misses none
// (docs/notifications.md#event-stream, libs/server/event-streams).
import { readSnapshot, type HubEvent, type HubSource, type StreamEvent } from '@parley/server/event-streams';
import type { Sql } from '@parley/server/postgres';
import type { Reader } from '../callers/reader.ts';
import { hasLinks, type LinkDeps } from '../people/message-links.ts';
import { fillItemLinks } from './item-links.ts';
import { countAfterEvents, readerKey } from './reader-counts.ts';
import {
  CONTENT_BYTES,
  type Change,
  ITEM_COLUMNS,
  type ItemRow,
  SHARED,
  stateColumns,
  toItem,
} from './item.ts';

/** How long changes are stored and items count as new. Later clients read the list. */
export const EVENTS_KEPT_MS = 24 * 60 * 60_000;
/** Rows and bytes of one page; a single larger row is allowed (docs/platform.md#byte-budgets). */
const PAGE_ROWS = 1_000;
/** Half of what a client may leave unread (libs/server/http), since JSON adds bytes. */
const PAGE_BYTES = 512 * 1024;
/** Events that a reconnecting client gets; beyond this it reads the list. */
const MISSED_EVENTS_MAX = 1_000;
/** Limit of one read, far above what arrives between two. */
const EVENTS_PER_LOOK_MAX = 100_000;
const LOOK_BYTES_MAX = 32 * 1024 * 1024;
const ROW_BYTES = 1_000;

/** NOTIFY channel of inboxes. */
export const INBOX_CHANNEL = 'parley_inbox';

export interface InboxEvent extends HubEvent {
  /** Null: for every user of the organisation. */
  readonly userId: string | null;
  /** Of an item with links: whether they are written, for readers who may see them. */
  readonly hasLinks?: boolean;
}

/** `seen` changes only the counts and sends no event of its own. */
export function inboxSource(deps: LinkDeps): HubSource<Reader, InboxEvent> {
  const { sql } = deps;
  return {
    channel: INBOX_CHANNEL,
    read: async (readers, from, nowMs) => {
      const organizationIds = [...new Set(readers.map(({ organizationId }) => organizationId))];
      const limits = { eventsMax: EVENTS_PER_LOOK_MAX, bytesMax: LOOK_BYTES_MAX };
      const events = await readEvents(sql, { organizationIds, from, ...limits }, nowMs);
      return events && addLinkedEvents(deps, readers, events);
    },
    readMissed: async (reader, from, nowMs) => {
      const { organizationId, userId, seesLinks } = reader;
      const events = await readEvents(
        sql,
        {
          organizationIds: [organizationId],
          userId,
          from,
          eventsMax: MISSED_EVENTS_MAX,
          bytesMax: PAGE_BYTES,
        },
        nowMs,
      );
      const all = events && (await addLinkedEvents(deps, [reader], events));
      return all?.filter(({ hasLinks = seesLinks }) => hasLinks === seesLinks);
    },
    isFor: ({ userId, seesLinks }, { userId: to, hasLinks = seesLinks }) =>
      (to === null || to === userId) && hasLinks === seesLinks,
    getKey: readerKey,
    after: (readers, nowMs) => countAfterEvents(sql, readers, nowMs),
  };
}

/** An item with links that a reader may see becomes two events: without and with them. */
async function addLinkedEvents(
  deps: LinkDeps,
  readers: readonly Reader[],
  events: readonly InboxEvent[],
): Promise<InboxEvent[]> {
  const owners = new Set(readers.filter(({ seesLinks }) => seesLinks).map(readerKey));
  const linked = new Map<string, { event: InboxEvent; item: ReturnType<typeof toItem> }[]>();
  for (const event of events) {
    const { organizationId, event: sent } = event;
    if (sent?.name !== 'created' || !owners.has(readerKey(event))) continue;
    const item = sent.data as ReturnType<typeof toItem>;
    if (item.user_id === null || !hasLinks(item.body)) continue;
    linked.set(organizationId, [...(linked.get(organizationId) ?? []), { event, item }]);
  }
  if (linked.size === 0) return [...events];
  const filled = new Map<InboxEvent, InboxEvent>();
  for (const group of linked.values()) {
    const items = await fillItemLinks(
      deps,
      group.map(({ item }) => item),
    );
    for (const [index, { event }] of group.entries()) {
      const sent = { name: 'created', data: items[index] };
      filled.set(event, { ...event, key: `${event.key} links`, event: sent, hasLinks: true });
    }
  }
  return events.flatMap((event) => {
    const withLinks = filled.get(event);
    return withLinks ? [{ ...event, hasLinks: false }, withLinks] : [event];
  });
}

/** Selects events: of whole organisations (for the hub) or of one reader (who reconnects). */
export interface EventQuery {
  readonly organizationIds: readonly string[];
  /** Undefined: of all users. Null: only events for every user. */
  readonly userId?: string | null;
  readonly from: bigint;
  readonly eventsMax: number;
  readonly bytesMax?: number;
}

/** Events from `query.from` on, in order; undefined when they exceed `eventsMax` or `bytesMax`. */
export async function readEvents(
  sql: Sql,
  query: EventQuery,
  nowMs: number,
): Promise<InboxEvent[] | undefined> {
  const events: InboxEvent[] = [];
  const { bytesMax = Infinity } = query;
  let bytes = 0;
  const { next } = await readSnapshot(sql);
  let after = { position: query.from, key: '' };
  for (;;) {
    const rows = await sql<InboxEventRow>(EVENTS, [
      query.organizationIds,
      query.userId === undefined,
      query.userId ?? null,
      String(after.position),
      after.key,
      // Rows of another cluster (a restored dump) have ids that this one has not reached.
      String(next),
      new Date(nowMs - EVENTS_KEPT_MS),
      PAGE_ROWS,
      new Date(nowMs),
    ]);
    for (const row of rows) events.push(toInboxEvent(row));
    bytes += rows.at(-1)?.until ?? 0;
    if (events.length > query.eventsMax || bytes > bytesMax) return undefined;
    const last = events.at(-1);
    if (rows.at(-1)?.more !== true || last === undefined) return events;
    after = { position: last.position, key: last.key };
  }
}

interface InboxEventRow extends ItemRow {
  readonly key: string;
  readonly kind: 'created' | 'seen' | Change | 'unsnoozed' | 'deleted';
  readonly position: string;
  readonly happened_at: Date;
  readonly item_id: string | null;
  /** Bytes of the page up to this row. */
  readonly until: number;
  /** The page ends with this row, and more rows follow. */
  readonly more: boolean;
}

function toInboxEvent(row: InboxEventRow): InboxEvent {
  return {
    key: row.key,
    position: BigInt(row.position),
    createdAtMs: row.happened_at.getTime(),
    organizationId: row.organization_id,
    userId: row.user_id,
    event: toStreamEvent(row),
  };
}

function toStreamEvent(row: InboxEventRow): StreamEvent | null {
  switch (row.kind) {
    case 'created':
      return { name: 'created', data: toItem(row) };
    case 'seen':
      return null;
    default: {
      const read = row.kind === 'read' ? { read_at: row.happened_at.getTime() / 1000 } : {};
      const until = row.kind === 'snoozed' ? { snoozed_until: row.snoozed_until!.getTime() / 1000 } : {};
      const which =
        row.item_id === null ? { all: true } : { id: row.item_id, notification_id: row.notification_id };
      return { name: row.kind, data: { ...which, ...read, ...until } };
    }
  }
}

/** The previous page ended at ($4, $5). */
const EVENTS = `
  SELECT * FROM (SELECT page.*, nth < count(*) OVER () OR nth = $8::int AS more,
    (sum(${CONTENT_BYTES} + ${ROW_BYTES}) OVER (ORDER BY nth))::float8 AS until
  FROM (SELECT *, row_number() OVER (ORDER BY place, key) AS nth FROM (
    SELECT 'item-' || i.id AS key, 'created' AS kind, i.written_by AS place, i.created_at AS happened_at, i.id AS item_id,
      ${ITEM_COLUMNS}, ${stateColumns('i')}
    FROM in_app_items i ${SHARED}
    WHERE i.organization_id = ANY($1::text[]) AND i.written_by BETWEEN $4::bigint AND $6::bigint
      AND i.created_at > $7 AND (i.expires_at IS NULL OR i.expires_at > $9) AND ($2::boolean OR i.user_id IS NULL OR i.user_id = $3::text)
    UNION ALL
    SELECT 'change-' || lpad(c.id::text, 19, '0'), c.kind, c.written_by, c.created_at, c.item_id,
      '', c.notification_id, c.organization_id, c.user_id, '', '', NULL, NULL, c.created_at, NULL, NULL, NULL, NULL,
      NULL, NULL, NULL, c.snoozed_until
    FROM in_app_changes c
    WHERE c.organization_id = ANY($1::text[]) AND c.written_by BETWEEN $4::bigint AND $6::bigint
      AND c.created_at > $7 AND ($2::boolean OR c.user_id = $3::text)
  ) AS happened
  CROSS JOIN LATERAL (SELECT happened.place::text AS position) AS text_of_place
  WHERE (place, key) > ($4::bigint, $5::text)
  ORDER BY place, key
  LIMIT $8::int) AS page) AS sized
  WHERE until <= ${PAGE_BYTES} OR nth = 1 ORDER BY nth`;
