// Writes recorded turns in the transaction that applies their event
// (docs/voice-api.md#recorded-turns).
import type { Sql } from '@parley/server/postgres';
import { recordSteps } from '../analytics/flow-steps.ts';
import {
  selectRefusedWords,
  selectStored,
  type RecordedTurn,
  type Recording,
} from '../conversation-model/recorded.ts';

export interface RecordedRow extends RecordedTurn {
  readonly organizationId: string;
  readonly conversationId: string;
  readonly botId: string | null;
  readonly at: number;
}

/**
 * Stored turns stay unchanged. Each new one adds its path to the analytics.
 * @returns the new ones
 */
export async function insertRecordedTurns(
  sql: Sql,
  turns: readonly RecordedRow[],
): Promise<readonly RecordedRow[]> {
  if (turns.length === 0) return [];
  const recordings = await readRecordings(sql, turns);
  const full = await readFull(sql, turns);
  const rows = turns.flatMap((turn) => {
    const key = JSON.stringify([turn.organizationId, turn.botId]);
    const recording = full.has(turn.organizationId) ? 'off' : (recordings.get(key) ?? 'full');
    const data = selectStored(turn, recording);
    if (data === null) return [];
    const bytes = data === turn.data ? turn.bytes : Buffer.byteLength(JSON.stringify(data));
    return [{ ...turn, data, bytes, refused: selectRefusedWords(turn, recording) }];
  });
  if (rows.length === 0) return [];
  const added = await sql<{ place: number }>(INSERT, [
    JSON.stringify(
      rows.map((row, place) => ({
        place,
        o: row.organizationId,
        c: row.conversationId,
        turn: row.turn,
        flow_id: row.flowId,
        flow_version: row.flowVersion,
        status: row.status,
        last_node: row.lastNode,
        occurred_at: new Date(row.at),
        data: row.data,
        bytes: row.bytes,
        answer_node: row.answer?.node,
        answer_outcome: row.answer?.outcome,
        refused: row.refused,
        ...row.models,
      })),
    ),
  ]);
  const inserted = added.map(({ place }) => rows[place]!);
  await recordSteps(sql, inserted);
  return inserted;
}

/** Organisations whose storage is full (docs/platform.md#storage). */
async function readFull(sql: Sql, turns: readonly RecordedRow[]): Promise<ReadonlySet<string>> {
  const rows = await sql<{ id: string }>(
    'SELECT organization_id AS id FROM storage_use WHERE is_full AND organization_id = ANY($1::text[])',
    [turns.map(({ organizationId }) => organizationId)],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Bots that exist here, with their setting. */
async function readRecordings(sql: Sql, turns: readonly RecordedRow[]): Promise<Map<string, Recording>> {
  const bots = new Map(
    turns.flatMap(({ organizationId, botId }) =>
      botId === null ? [] : [[JSON.stringify([organizationId, botId]), { organizationId, botId }] as const],
    ),
  );
  const rows = await sql<{ organization_id: string; id: string; recording: Recording }>(
    `SELECT bot.organization_id, bot.id, bot.recording FROM bots AS bot
     JOIN unnest($1::text[], $2::text[]) AS key (o, b) ON bot.organization_id = key.o AND bot.id = key.b`,
    [
      [...bots.values()].map(({ organizationId }) => organizationId),
      [...bots.values()].map(({ botId }) => botId),
    ],
  );
  return new Map(rows.map((row) => [JSON.stringify([row.organization_id, row.id]), row.recording]));
}

const INSERT = `
  WITH row AS (
    SELECT * FROM json_to_recordset($1) AS row(place int, o text, c text, turn int, flow_id text, flow_version int,
      status text, last_node int, occurred_at timestamptz, data json, bytes int,
      answer_node int, answer_outcome text, refused text,
      model_calls int, tokens_in bigint, tokens_out bigint, model_cost_nanos bigint, unpriced_calls int)
  ), added AS (
    INSERT INTO conversation_turns (organization_id, conversation_id, turn, flow_id, flow_version, status, last_node,
      occurred_at, data, bytes, answer_node, answer_outcome, refused,
      model_calls, tokens_in, tokens_out, model_cost_nanos, unpriced_calls)
    SELECT o, c, turn, flow_id, flow_version, status, last_node, occurred_at, data, bytes, answer_node, answer_outcome, refused,
      model_calls, tokens_in, tokens_out, model_cost_nanos, unpriced_calls
    FROM row ORDER BY o, c, turn
    ON CONFLICT DO NOTHING RETURNING organization_id, conversation_id, turn
  ), late AS (
    UPDATE conversations AS conversation SET searched = false FROM added
    WHERE conversation.organization_id = added.organization_id AND conversation.id = added.conversation_id
      AND conversation.searched
  )
  SELECT min(row.place) AS place FROM row JOIN added
    ON added.organization_id = row.o AND added.conversation_id = row.c AND added.turn = row.turn
  GROUP BY row.o, row.c, row.turn`;
