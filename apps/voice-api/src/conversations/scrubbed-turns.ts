// Utterances for readers without the scope `pii`. Where the flow redacts values, the recorded turn
// has the text without them (docs/voice-api.md#scrubbed-transcripts).
import type { Sql } from '@parley/server/postgres';
import type { Role } from '../conversation-model/turn-roles.rules.ts';
import { scrubTurn } from '../retention/scrub.rules.ts';

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
  const places = turns.map(({ index, role }) => ({ id, index, role }));
  const redacted = await readRedactedTexts(sql, organizationId, places);
  return turns.map((turn) => scrubTurn(turn, redacted.get(toKey({ ...turn, id }))));
}

export interface TurnKey {
  readonly id: string;
  readonly index: number;
  readonly role: Role;
}

export const toKey = ({ id, index, role }: TurnKey): string => JSON.stringify([id, index, role]);

/** Texts without the values that a flow redacts, of turns that have such values. */
export async function readRedactedTexts(
  sql: Sql,
  organizationId: string,
  places: readonly TurnKey[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<TurnKey & { text: string | null }>(REDACTED, [
    organizationId,
    places.map(({ id }) => id),
    places.map(({ index }) => index),
    places.map(({ role }) => role),
  ]);
  return new Map(rows.flatMap((row) => (row.text === null ? [] : [[toKey(row), row.text]])));
}

const REDACTED = `
  SELECT turn.conversation_id AS id, turn.turn_index AS index, turn.role,
    CASE turn.role WHEN 'user' THEN recorded.data -> 'input' ->> 'user_input' WHEN 'bot' THEN (
      SELECT string_agg(message ->> 'text', ' ') FROM json_array_elements(
        CASE json_typeof(recorded.data -> 'messages') WHEN 'array' THEN recorded.data -> 'messages' ELSE '[]' END) AS message
      WHERE turn.node_id IS NULL OR message ->> 'node_id' = turn.node_id) END AS text
  FROM unnest($2::text[], $3::int[], $4::text[]) AS place (c, i, r)
  JOIN turns AS turn ON turn.organization_id = $1 AND turn.conversation_id = place.c
    AND turn.turn_index = place.i AND turn.role = place.r
  JOIN conversation_turns AS recorded ON recorded.organization_id = $1 AND recorded.conversation_id = place.c
    AND recorded.turn = turn.flow_turn
  WHERE recorded.data::text LIKE '%[redacted %'`;

/** The whole utterances, without the values that a flow redacts. */
export async function readUtterances(
  sql: Sql,
  organizationId: string,
  places: readonly TurnKey[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<TurnKey & { text: string }>(
    `SELECT conversation_id AS id, turn_index AS index, role, "text" FROM turns
     JOIN unnest($2::text[], $3::int[], $4::text[]) AS place (c, i, r)
       ON conversation_id = place.c AND turn_index = place.i AND role = place.r
     WHERE organization_id = $1`,
    [
      organizationId,
      places.map(({ id }) => id),
      places.map(({ index }) => index),
      places.map(({ role }) => role),
    ],
  );
  const redacted = await readRedactedTexts(sql, organizationId, places);
  return new Map([...rows.map((row): [string, string] => [toKey(row), row.text]), ...redacted]);
}
