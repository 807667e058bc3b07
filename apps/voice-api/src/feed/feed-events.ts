// Webhook events in an order without gaps: by writing transaction, then by
// sequence and id
// (libs/server/event-streams, docs/voice-api.md#feed). The feed and the streams of conversations
// read them.
import { readSnapshot, type HubEvent, type HubSource } from '@parley/server/event-streams';
import { scrubEvent } from '../retention/scrub.rules.ts';
import { countFitting, boundBytesSql, type SizedRow, type Sql } from '@parley/server/postgres';

/** NOTIFY channel; the payload is the organisation. */
export const FEED_CHANNEL = 'parley_feed';

/** An event with its position. */
export interface FeedRow extends SizedRow {
  readonly id: string;
  readonly organization_id: string;
  readonly conversation_id: string;
  readonly body: string;
  readonly place: string;
  readonly sequence: number;
  readonly created_at: Date;
}

/** Events after a position and before transaction $4. `more` are further conditions. */
export const buildFeedPage = (more: string, limit: string): string =>
  boundBytesSql(
    `SELECT id, organization_id, conversation_id, body, sequence, created_at, written_by, written_by::text AS place
     FROM webhook_events
     WHERE (written_by, sequence, id) > ($2::bigint, $5::int, $3::text) AND written_by < $4::bigint ${more}
     ORDER BY written_by, sequence, id LIMIT ${limit}`,
    'octet_length(body)',
    'written_by, sequence, id',
  );

/** A sequence before every event of a transaction. */
export const BEFORE_ALL = -1;

/** The conversation of a stream. */
export interface StreamedConversation {
  readonly organizationId: string;
  readonly conversationId: string;
  /** The reader gets scrubbed texts. */
  readonly isScrubbed: boolean;
}

export interface ConversationEvent extends HubEvent {
  readonly conversationId: string;
  readonly isScrubbed: boolean;
}

const PAGE_ROWS = 1_000;
/** Events that a reconnecting client may have missed. Clients read more from the transcript. */
const MISSED_EVENTS_MAX = 1_000;
/** Half of what a client may leave unread (libs/server/http). */
const MISSED_BYTES_MAX = 512 * 1024;
/** Events of one read, far above what arrives between two. */
const EVENTS_PER_LOOK_MAX = 50_000;
const LOOK_BYTES_MAX = 32 * 1024 * 1024;

export function conversationSource(sql: Sql): HubSource<StreamedConversation, ConversationEvent> {
  return {
    channel: FEED_CHANNEL,
    read: (readers, from) => readFrom(sql, readers, from, EVENTS_PER_LOOK_MAX, LOOK_BYTES_MAX),
    readMissed: (reader, from) => readFrom(sql, [reader], from, MISSED_EVENTS_MAX, MISSED_BYTES_MAX),
    isFor: ({ conversationId, isScrubbed }, event) =>
      event.conversationId === conversationId && event.isScrubbed === isScrubbed,
    getKey: ({ organizationId, conversationId, isScrubbed }) =>
      `${organizationId}\0${conversationId}\0${isScrubbed}`,
    opening: { name: 'ready', data: {} },
  };
}

const OF_CONVERSATIONS = buildFeedPage(
  'AND organization_id = ANY($1::text[]) AND conversation_id = ANY($6::text[])',
  String(PAGE_ROWS + 1),
);

/** Undefined: too many events for one read. */
async function readFrom(
  sql: Sql,
  readers: readonly StreamedConversation[],
  from: bigint,
  eventsMax: number,
  bytesMax: number,
): Promise<ConversationEvent[] | undefined> {
  const events: ConversationEvent[] = [];
  const organizations = [...new Set(readers.map(({ organizationId }) => organizationId))];
  const conversations = [...new Set(readers.map(({ conversationId }) => conversationId))];
  const forms = [...new Set(readers.map(({ isScrubbed }) => isScrubbed))];
  // Positions of a restored dump may be ahead of this cluster's transactions.
  const { next } = await readSnapshot(sql);
  let after = { place: String(from), sequence: BEFORE_ALL, id: '' };
  let bytes = 0;
  for (;;) {
    const rows = await sql<FeedRow>(OF_CONVERSATIONS, [
      organizations,
      after.place,
      after.id,
      String(next + 1n),
      after.sequence,
      conversations,
    ]);
    const page = rows.slice(0, countFitting(rows, PAGE_ROWS));
    for (const row of page) events.push(...forms.map((isScrubbed) => conversationEvent(row, isScrubbed)));
    bytes += page.at(-1)?.bytes_until ?? 0;
    if (events.length > eventsMax || bytes > bytesMax) return undefined;
    if (page.length === rows.length) return events;
    after = page.at(-1)!;
  }
}

function conversationEvent(row: FeedRow, isScrubbed: boolean): ConversationEvent {
  const sent = JSON.parse(row.body) as { event: string };
  const data = isScrubbed ? scrubEvent(sent) : sent;
  return {
    key: `${row.id} ${isScrubbed}`,
    position: BigInt(row.place),
    createdAtMs: row.created_at.getTime(),
    organizationId: row.organization_id,
    conversationId: row.conversation_id,
    isScrubbed,
    event: { name: data.event, data },
  };
}
