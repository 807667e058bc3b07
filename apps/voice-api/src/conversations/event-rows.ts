// Conversation events in the database: they make repeated events harmless and record which were
// ignored. The caller holds the transaction.
import type { Sql } from '@parley/server/postgres';
import type { Trace } from '@parley/jobs';
import type { ReportedEvent } from '../conversation-model/conversation.ts';
import { TURN_ROLES } from '../conversation-model/turn-roles.rules.ts';
import type { ConversationKey } from './conversation-rows.ts';

export interface ConversationEventRow {
  readonly organizationId: string;
  readonly event: ReportedEvent;
  /** As reported; stored for events about the state. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The request or message that reported it. */
  readonly trace: Trace;
}

/** Events whose text is stored in `turns`, or not at all. */
const STORED_ELSEWHERE = new Set(['speech.interim', ...Object.keys(TURN_ROLES)]);

/** Stores events and returns the keys of new ones. Waits for concurrent writers of the same. */
export async function insertEvents(
  sql: Sql,
  rows: readonly ConversationEventRow[],
  now: Date,
): Promise<Set<string>> {
  const inserted = await sql<{ organization_id: string; id: string }>(
    `INSERT INTO conversation_events
       (organization_id, id, conversation_id, type, occurred_at, received_at, ignored, data)
     SELECT e.o, e.i, e.c, e.t, e.a, $2, false, e.d
     FROM json_to_recordset($1) AS e(o text, i text, c text, t text, a timestamptz, d jsonb)
     ORDER BY e.o, e.i
     ON CONFLICT DO NOTHING RETURNING organization_id, id`,
    [
      JSON.stringify(
        rows.map(({ organizationId: o, event, data }) => ({
          o,
          i: event.id,
          c: event.conversationId,
          t: event.type,
          a: new Date(event.at),
          d: STORED_ELSEWHERE.has(event.type) ? null : data,
        })),
      ),
      now,
    ],
  );
  return new Set(inserted.map((row) => eventKey(row.organization_id, row.id)));
}

/** Marks events that changed nothing, so that a state can be explained. */
export async function markIgnored(
  sql: Sql,
  events: readonly { organizationId: string; id: string }[],
): Promise<void> {
  if (events.length === 0) return;
  await sql(
    `UPDATE conversation_events AS event SET ignored = true
     FROM unnest($1::text[], $2::text[]) AS gone (organization_id, id)
     WHERE event.organization_id = gone.organization_id AND event.id = gone.id`,
    [events.map((event) => event.organizationId), events.map((event) => event.id)],
  );
}

/** Removes rejected events (by eventKey), so that repetitions are rejected too. */
export async function deleteEvents(sql: Sql, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const named = keys.map((key) => JSON.parse(key) as [string, string]);
  await sql(
    `DELETE FROM conversation_events AS event USING unnest($1::text[], $2::text[]) AS gone (organization_id, id)
     WHERE event.organization_id = gone.organization_id AND event.id = gone.id`,
    [named.map(([organizationId]) => organizationId), named.map(([, id]) => id)],
  );
}

/**
 * Removes the interims of settled conversations. They are by far the most numerous events, and
 * repeated ones are ignored anyway.
 */
export async function deleteInterims(sql: Sql, conversations: readonly ConversationKey[]): Promise<void> {
  const keys = [
    conversations.map(({ organizationId }) => organizationId),
    conversations.map(({ conversationId }) => conversationId),
  ];
  await sql(
    `DELETE FROM conversation_events AS event USING unnest($1::text[], $2::text[]) AS key (o, c)
     WHERE event.organization_id = key.o AND event.conversation_id = key.c AND event.type = 'speech.interim'`,
    keys,
  );
  await sql(DELETE_FEED_INTERIMS, keys);
}

/** Their entries in the feed, unless a webhook received them. */
const DELETE_FEED_INTERIMS = `
  DELETE FROM webhook_events AS event USING unnest($1::text[], $2::text[]) AS key (o, c)
  WHERE event.organization_id = key.o AND event.conversation_id = key.c AND event.interim_turn IS NOT NULL
    AND cardinality(event.delivery_ids) = 0`;

/** Returns the interims whose turn is already in the transcript with a later time. */
export async function findOvertakenInterims(
  sql: Sql,
  rows: readonly ConversationEventRow[],
): Promise<Set<string>> {
  const interims = rows.flatMap(({ organizationId, event }) =>
    event.type === 'speech.interim' ? [{ organizationId, event }] : [],
  );
  if (interims.length === 0) return new Set();
  const found = await sql<{ organization_id: string; id: string }>(
    `SELECT interim.o AS organization_id, interim.i AS id
     FROM unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::timestamptz[]) AS interim (o, c, i, turn, at)
     JOIN turns AS turn ON turn.organization_id = interim.o AND turn.conversation_id = interim.c
       AND turn.turn_index = interim.turn AND turn.role = 'user' AND turn.occurred_at >= interim.at`,
    [
      interims.map(({ organizationId }) => organizationId),
      interims.map(({ event }) => event.conversationId),
      interims.map(({ event }) => event.id),
      interims.map(({ event }) => event.utterance.turnIndex),
      interims.map(({ event }) => new Date(event.at)),
    ],
  );
  return new Set(found.map((row) => eventKey(row.organization_id, row.id)));
}

/** Event ids are unique per organisation only. */
export function eventKey(organizationId: string, id: string): string {
  return JSON.stringify([organizationId, id]);
}
