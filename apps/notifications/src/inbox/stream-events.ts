// What happened in inboxes, read from the tables in an order that misses nothing (docs/notifications.md#event-stream): by the
// transaction that wrote it (libs/event-streams).
import { readSnapshot, type HubEvent, type HubSource, type StreamEvent } from '@parley/event-streams';
import type { Sql } from '@parley/postgres';
import type { Reader } from './reader.ts';
import { countsAfter, readerKey } from './tell-counts.ts';
import type { Change } from './change-item.ts';
import { CONTENT_BYTES, itemOf, ITEM_COLUMNS, SHARED, stateColumns, type ItemRow } from './item.ts';

/** Changes are kept so long, and new items are new for so long: who was away for longer reads the list. */
export const EVENTS_KEPT_MS = 24 * 60 * 60_000;
/** Rows read at once, and bytes of what they say, unless one has more (docs/platform.md#byte-budgets). */
const PAGE_ROWS = 1_000;
/** Half of what a client may leave unread (libs/http): it is written at once, and JSON says it in more bytes. */
const PAGE_BYTES = 512 * 1024;
/** What a client that reconnects may have missed; more is read from the list. */
const MISSED_EVENTS_MAX = 1_000;
/** One reading never tells more; far above what arrives between two. */
const EVENTS_PER_LOOK_MAX = 100_000;
const LOOK_BYTES_MAX = 32 * 1024 * 1024;
const ROW_BYTES = 1_000;

/** NOTIFY channel of inboxes. */
export const INBOX_CHANNEL = 'parley_inbox';

export interface InboxEvent extends HubEvent {
  /** Null: of every user of the organisation. */
  readonly userId: string | null;
}

/** `seen` changes the counts only, and is not told itself. */
export function inboxSource(sql: Sql): HubSource<Reader, InboxEvent> {
  return {
    channel: INBOX_CHANNEL,
    read: (readers, from, nowMs) => {
      const organizationIds = [...new Set(readers.map(({ organizationId }) => organizationId))];
      const most = { eventsMax: EVENTS_PER_LOOK_MAX, bytesMax: LOOK_BYTES_MAX };
      return readEvents(sql, { organizationIds, from, ...most }, nowMs);
    },
    readMissed: ({ organizationId, userId }, from, nowMs) =>
      readEvents(
        sql,
        {
          organizationIds: [organizationId],
          userId,
          from,
          eventsMax: MISSED_EVENTS_MAX,
          bytesMax: PAGE_BYTES,
        },
        nowMs,
      ),
    isFor: ({ userId }, event) => event.userId === null || event.userId === userId,
    getKey: readerKey,
    after: (readers, nowMs) => countsAfter(sql, readers, nowMs),
  };
}

/** Which events: of whole organisations (the hub), or what one reader is told (who reconnects). */
export interface Wanted {
  readonly organizationIds: readonly string[];
  /** Undefined: of all users. Null: only what is for every user. */
  readonly userId?: string | null;
  readonly from: bigint;
  readonly eventsMax: number;
  readonly bytesMax?: number;
}

/** Events from `wanted.from` on, in order; undefined when there are more than `eventsMax`, or they have more than `bytesMax`. */
export async function readEvents(sql: Sql, wanted: Wanted, nowMs: number): Promise<InboxEvent[] | undefined> {
  const events: InboxEvent[] = [];
  const { bytesMax = Infinity } = wanted;
  let bytes = 0;
  const { next } = await readSnapshot(sql);
  let after = { position: wanted.from, key: '' };
  for (;;) {
    const rows = await sql<InboxEventRow>(EVENTS, [
      wanted.organizationIds,
      wanted.userId === undefined,
      wanted.userId ?? null,
      String(after.position),
      after.key,
      // Rows of another cluster (a restored dump) have ids that this one has not reached.
      String(next),
      new Date(nowMs - EVENTS_KEPT_MS),
      PAGE_ROWS,
      new Date(nowMs),
    ]);
    for (const row of rows) events.push(eventOf(row));
    bytes += rows.at(-1)?.until ?? 0;
    if (events.length > wanted.eventsMax || bytes > bytesMax) return undefined;
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
  /** The page ends with it, and there are others. */
  readonly more: boolean;
}

function eventOf(row: InboxEventRow): InboxEvent {
  return {
    key: row.key,
    position: BigInt(row.position),
    createdAtMs: row.happened_at.getTime(),
    organizationId: row.organization_id,
    userId: row.user_id,
    event: streamEventOf(row),
  };
}

function streamEventOf(row: InboxEventRow): StreamEvent | null {
  switch (row.kind) {
    case 'created':
      return { name: 'created', data: itemOf(row) };
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

/** The page before ended at ($4, $5). Both halves are read in their index on (organization_id, written_by). */
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
