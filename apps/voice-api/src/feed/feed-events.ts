// Webhook events in an order without gaps: by writing transaction, then by
// sequence and id
// (libs/server/event-streams, docs/voice-api.md#feed). The feed and the streams of conversations
// read them.
import { readSnapshot, type HubEvent, type HubSource } from '@parley/server/event-streams';
import { resolveRedaction, type Redaction } from '../retention/redaction.ts';
import type { EventBody } from '../retention/scrub.rules.ts';
import { redactEvents } from '../retention/scrubbed-turns.ts';
import type { RulesCache } from '../retention/stored-rules.ts';
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
  /** Others get the texts that the rules of the moment show them. */
  readonly hasPii: boolean;
}

export interface ConversationEvent extends HubEvent {
  readonly conversationId: string;
  readonly hasPii: boolean;
}

const PAGE_ROWS = 1_000;
/** Events that a reconnecting client may have missed. Clients read more from the transcript. */
const MISSED_EVENTS_MAX = 1_000;
/** Half of what a client may leave unread (libs/server/http). */
const MISSED_BYTES_MAX = 512 * 1024;
/** Events of one read, far above what arrives between two. */
const EVENTS_PER_LOOK_MAX = 50_000;
const LOOK_BYTES_MAX = 32 * 1024 * 1024;

interface SourceDeps {
  readonly sql: Sql;
  readonly retentionRules: RulesCache;
}

export function conversationSource(deps: SourceDeps): HubSource<StreamedConversation, ConversationEvent> {
  return {
    channel: FEED_CHANNEL,
    read: (readers, from) => readFrom(deps, readers, from, EVENTS_PER_LOOK_MAX, LOOK_BYTES_MAX),
    readMissed: (reader, from) => readFrom(deps, [reader], from, MISSED_EVENTS_MAX, MISSED_BYTES_MAX),
    isFor: ({ conversationId, hasPii }, event) =>
      event.conversationId === conversationId && event.hasPii === hasPii,
    getKey: ({ organizationId, conversationId, hasPii }) => `${organizationId}\0${conversationId}\0${hasPii}`,
    opening: { name: 'ready', data: {} },
  };
}

const OF_CONVERSATIONS = buildFeedPage(
  'AND organization_id = ANY($1::text[]) AND conversation_id = ANY($6::text[])',
  String(PAGE_ROWS + 1),
);

/** Undefined: too many events for one read. */
async function readFrom(
  deps: SourceDeps,
  readers: readonly StreamedConversation[],
  from: bigint,
  eventsMax: number,
  bytesMax: number,
): Promise<ConversationEvent[] | undefined> {
  const events: ConversationEvent[] = [];
  const organizations = [...new Set(readers.map(({ organizationId }) => organizationId))];
  const conversations = [...new Set(readers.map(({ conversationId }) => conversationId))];
  const forms = [...new Set(readers.map(({ hasPii }) => hasPii))];
  const { sql } = deps;
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
    for (const hasPii of forms) events.push(...(await toConversationEvents(deps, page, hasPii)));
    bytes += page.at(-1)?.bytes_until ?? 0;
    if (events.length > eventsMax || bytes > bytesMax) return undefined;
    if (page.length === rows.length) return events;
    after = page.at(-1)!;
  }
}

async function toConversationEvents(
  { sql, retentionRules }: SourceDeps,
  rows: readonly FeedRow[],
  hasPii: boolean,
): Promise<ConversationEvent[]> {
  const redactions = new Map<string, Redaction>();
  for (const organizationId of new Set(rows.map((row) => row.organization_id)))
    redactions.set(organizationId, resolveRedaction(await retentionRules.get(organizationId), hasPii));
  const sent = rows.map(({ organization_id: organizationId, body }) => ({
    organizationId,
    redaction: redactions.get(organizationId)!,
    body: JSON.parse(body) as EventBody & { readonly event: string },
  }));
  const bodies = await redactEvents(sql, sent);
  return rows.map((row, at) => ({
    key: `${row.id} ${hasPii}`,
    position: BigInt(row.place),
    createdAtMs: row.created_at.getTime(),
    organizationId: row.organization_id,
    conversationId: row.conversation_id,
    hasPii,
    event: { name: bodies[at]!.event, data: bodies[at]! },
  }));
}
