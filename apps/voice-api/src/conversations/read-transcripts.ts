// The turns of conversations, in the order of the transcript.
import type { Sql } from '@parley/postgres';
import { keyText } from './conversation-rows.ts';
import { inTurnOrder, transcriptTurn, type TranscriptTurn, type TurnRow } from './transcript.rules.ts';

type KeyedTurnRow = TurnRow & { organization_id: string; conversation_id: string };

/** By keyText; a conversation without turns is not in it. At most TURN_EVENTS_MAX turns a conversation. */
export async function readTranscripts(
  sql: Sql,
  conversations: readonly { organizationId: string; id: string }[],
): Promise<Map<string, TranscriptTurn[]>> {
  if (conversations.length === 0) return new Map();
  const rows = await sql<KeyedTurnRow>(
    `SELECT turn.organization_id, turn.conversation_id, turn.turn_index, turn.role, turn.text, turn.start_ms, turn.end_ms,
       turn.confidence, turn.interrupted, turn.language, turn.words, turn.metrics
     FROM unnest($1::text[], $2::text[]) AS key (o, c)
     JOIN turns AS turn ON turn.organization_id = key.o AND turn.conversation_id = key.c`,
    [conversations.map(({ organizationId }) => organizationId), conversations.map(({ id }) => id)],
  );
  const grouped = new Map<string, KeyedTurnRow[]>();
  for (const row of rows) {
    const key = keyText({ organizationId: row.organization_id, conversationId: row.conversation_id });
    const group = grouped.get(key);
    if (group) group.push(row);
    else grouped.set(key, [row]);
  }
  return new Map([...grouped].map(([key, group]) => [key, inTurnOrder(group).map(transcriptTurn)]));
}
