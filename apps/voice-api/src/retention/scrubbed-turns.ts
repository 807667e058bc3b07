// Utterances for readers without the scope `pii`: every answer, stream, feed and file uses these.
// Where the flow redacts values, the recorded turn has the text without them
// (docs/voice-api.md#scrubbed-transcripts).
import type { Sql } from '@parley/server/postgres';
import type { Role } from '../conversation-model/turn-roles.rules.ts';
import type { Redaction } from './redaction.ts';
import { listSpoken, scrubEvent, scrubTurn, type EventBody } from './scrub.rules.ts';

interface Utterance {
  readonly index: number;
  readonly role: Role;
  readonly text: string;
}

/** The turns of one conversation. */
export async function scrubTurns<Turn extends Utterance>(
  sql: Sql,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
  turns: readonly Turn[],
): Promise<Turn[]> {
  const places = turns.map(({ index, role }) => ({ organizationId, id, index, role }));
  const redacted = await readRedactedTexts(sql, places);
  return turns.map((turn, at) => scrubTurn(turn, redacted.get(toKey(places[at]!))));
}

/** A webhook event, and what its reader gets scrubbed. */
export interface ReadEvent<Body extends EventBody> {
  readonly organizationId: string;
  readonly redaction: Pick<Redaction, 'hides'>;
  readonly body: Body;
}

/** The events as their readers may read them. */
export async function redactEvents<Body extends EventBody>(
  sql: Sql,
  events: readonly ReadEvent<Body>[],
): Promise<Body[]> {
  const isHidden = ({ redaction, body }: ReadEvent<Body>) => redaction.hides(body.data?.bot_id ?? null);
  const places = events
    .filter(isHidden)
    .flatMap(({ organizationId, body }) => listSpoken(body).map((place) => ({ organizationId, ...place })));
  const redacted = await readRedactedTexts(sql, places);
  return events.map((event) =>
    isHidden(event)
      ? scrubEvent(event.body, (place) => redacted.get(toKey({ ...place, ...event })))
      : event.body,
  );
}

export interface TurnKey {
  readonly organizationId: string;
  readonly id: string;
  readonly index: number;
  readonly role: Role;
}

export const toKey = ({ organizationId, id, index, role }: TurnKey): string =>
  JSON.stringify([organizationId, id, index, role]);

/** Texts without the values that a flow redacts, of turns that have such values. */
export async function readRedactedTexts(
  sql: Sql,
  places: readonly TurnKey[],
): Promise<ReadonlyMap<string, string>> {
  if (places.length === 0) return new Map();
  const rows = await sql<TurnKey & { text: string | null }>(REDACTED, [
    places.map(({ organizationId }) => organizationId),
    places.map(({ id }) => id),
    places.map(({ index }) => index),
    places.map(({ role }) => role),
  ]);
  return new Map(rows.flatMap((row) => (row.text === null ? [] : [[toKey(row), row.text]])));
}

const REDACTED = `
  SELECT turn.organization_id AS "organizationId", turn.conversation_id AS id, turn.turn_index AS index, turn.role,
    CASE turn.role WHEN 'user' THEN recorded.data -> 'input' ->> 'user_input' WHEN 'bot' THEN (
      SELECT string_agg(message ->> 'text', ' ') FROM json_array_elements(
        CASE json_typeof(recorded.data -> 'messages') WHEN 'array' THEN recorded.data -> 'messages' ELSE '[]' END) AS message
      WHERE turn.node_id IS NULL OR message ->> 'node_id' = turn.node_id) END AS text
  FROM unnest($1::text[], $2::text[], $3::int[], $4::text[]) AS place (o, c, i, r)
  JOIN turns AS turn ON turn.organization_id = place.o AND turn.conversation_id = place.c
    AND turn.turn_index = place.i AND turn.role = place.r
  JOIN conversation_turns AS recorded ON recorded.organization_id = place.o AND recorded.conversation_id = place.c
    AND recorded.turn = turn.flow_turn
  WHERE recorded.data::text LIKE '%[redacted %'`;
