// Conversations and turns in the database: one statement a table, for batches of any size.
// The caller holds the transaction.
//
// Rows travel as one JSON parameter (json_to_recordset): building Postgres arrays of text in
// JavaScript costs more than JSON.stringify, and JSON columns need no second escaping.
import { getCaps, type Plan } from '@parley/server/organizations';
import type { Sql } from '@parley/server/postgres';
import type { CopySummary } from '../recordings/copies.ts';
import type { Conversation, Turn } from '../conversation-model/conversation.ts';

/** Conversation ids are unique per organisation only. */
export interface ConversationKey {
  readonly organizationId: string;
  readonly conversationId: string;
}

export function keyText({ organizationId, conversationId }: ConversationKey): string {
  return JSON.stringify([organizationId, conversationId]);
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly read: (conversation: Conversation) => unknown;
}

const toDate = (ms: number | null) => (ms === null ? null : new Date(ms));

/** All columns but the key and created_at. */
const COLUMNS: readonly Column[] = [
  { name: 'bot_id', type: 'text', read: (c) => c.botId },
  { name: 'status', type: 'text', read: (c) => c.status },
  { name: 'channel', type: 'text', read: (c) => c.channel },
  { name: 'direction', type: 'text', read: (c) => c.direction },
  { name: 'from_address', type: 'text', read: (c) => c.from },
  { name: 'to_address', type: 'text', read: (c) => c.to },
  { name: 'language', type: 'text', read: (c) => c.language },
  { name: 'flow_id', type: 'text', read: (c) => c.flowId },
  { name: 'flow_version', type: 'int', read: (c) => c.flowVersion },
  { name: 'metadata', type: 'jsonb', read: (c) => c.metadata },
  { name: 'started_at', type: 'timestamptz', read: (c) => toDate(c.startedAt) },
  { name: 'ended_at', type: 'timestamptz', read: (c) => toDate(c.endedAt) },
  { name: 'duration_seconds', type: 'float8', read: (c) => c.durationSeconds },
  { name: 'end_reason', type: 'text', read: (c) => c.endReason },
  { name: 'end_detail', type: 'text', read: (c) => c.endDetail },
  { name: 'ended_by', type: 'text', read: (c) => c.endedBy },
  { name: 'error_code', type: 'text', read: (c) => c.error?.code ?? null },
  { name: 'error_message', type: 'text', read: (c) => c.error?.message ?? null },
  { name: 'cost', type: 'jsonb', read: (c) => c.cost },
  { name: 'recording_url', type: 'text', read: (c) => c.recordingUrl },
  { name: 'turn_count', type: 'int', read: (c) => c.turnCount },
  { name: 'revision', type: 'int', read: (c) => c.revision },
  { name: 'bytes', type: 'int', read: (c) => c.bytes },
  { name: 'truncated', type: 'boolean', read: (c) => c.truncated },
  { name: 'transcript_ready', type: 'boolean', read: (c) => c.transcriptReady },
  { name: 'announced_revision', type: 'int', read: (c) => c.announcedRevision },
  { name: 'facts', type: 'jsonb', read: (c) => c.facts },
  { name: 'sequence', type: 'int', read: (c) => c.sequence },
  { name: 'start_sent', type: 'boolean', read: (c) => c.startSent },
  { name: 'end_sent', type: 'boolean', read: (c) => c.endSent },
  { name: 'counted', type: 'boolean', read: (c) => c.counted },
  { name: 'settled_at', type: 'timestamptz', read: (c) => toDate(c.settledAt) },
  { name: 'due_at', type: 'timestamptz', read: (c) => toDate(c.dueAt) },
];

export interface ConversationRow {
  organization_id: string;
  id: string;
  bot_id: string | null;
  status: Conversation['status'];
  channel: string | null;
  direction: string | null;
  from_address: string | null;
  to_address: string | null;
  language: string | null;
  flow_id: string | null;
  flow_version: number | null;
  metadata: Record<string, unknown>;
  started_at: Date | null;
  ended_at: Date | null;
  duration_seconds: number | null;
  end_reason: Conversation['endReason'];
  end_detail: string | null;
  ended_by: Conversation['endedBy'];
  error_code: string | null;
  error_message: string | null;
  cost: Conversation['cost'];
  recording_url: string | null;
  tags: string[];
  summary: string | null;
  sentiment: string | null;
  success: boolean | null;
  analysis: unknown;
  turn_count: number;
  revision: number;
  bytes: number;
  truncated: boolean;
  quarantined_at: Date | null;
  transcript_ready: boolean;
  announced_revision: number | null;
  facts: Conversation['facts'];
  sequence: number;
  start_sent: boolean;
  end_sent: boolean;
  counted: boolean;
  settled_at: Date | null;
  due_at: Date | null;
  created_at: Date;
  updated_at: Date;
  searched: boolean;
  /** By part (retention/parts.rules.ts). */
  removed: Readonly<Record<string, { readonly at: string; readonly reason: string }>>;
  hold: { readonly reason: string; readonly at: string; readonly by: string } | null;
  recording_copy: CopySummary | null;
}

/** A row with the plan of its organisation. Null counts as the starter plan. */
export type PlannedRow = ConversationRow & { readonly plan: Plan | null };

/** A select list that yields a `PlannedRow` of `conversation`. */
export const PLANNED_ROW = `conversation.*,
  (SELECT plan FROM organizations WHERE organizations.id = conversation.organization_id) AS plan`;

export function toConversation(row: PlannedRow): Conversation {
  const ms = (date: Date | null) => date?.getTime() ?? null;
  return {
    organizationId: row.organization_id,
    id: row.id,
    botId: row.bot_id,
    status: row.status,
    channel: row.channel,
    direction: row.direction,
    from: row.from_address,
    to: row.to_address,
    language: row.language,
    flowId: row.flow_id,
    flowVersion: row.flow_version,
    metadata: row.metadata,
    startedAt: ms(row.started_at),
    endedAt: ms(row.ended_at),
    durationSeconds: row.duration_seconds,
    endReason: row.end_reason,
    endDetail: row.end_detail,
    endedBy: row.ended_by,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    cost: row.cost,
    recordingUrl: row.recording_url,
    turnCount: row.turn_count,
    revision: row.revision,
    bytes: row.bytes,
    bytesMax: getCaps('voice-api', row.plan ?? 'starter').conversation_bytes!,
    truncated: row.truncated,
    transcriptReady: row.transcript_ready,
    announcedRevision: row.announced_revision,
    facts: row.facts,
    sequence: row.sequence,
    startSent: row.start_sent,
    endSent: row.end_sent,
    counted: row.counted,
    settledAt: ms(row.settled_at),
    dueAt: ms(row.due_at),
    createdAt: row.created_at.getTime(),
    removed: Object.keys(row.removed),
  };
}

/**
 * Writes locked conversations with their new and changed turns. Of two events about one turn the
 * later one wins. Returns the new turns by conversation and adds their number to `turnCount`.
 */
export async function updateConversations(
  sql: Sql,
  changed: readonly { readonly conversation: Conversation; readonly turns: readonly Turn[] }[],
  now: Date,
): Promise<Map<string, Turn[]>> {
  if (changed.length === 0) return new Map();
  const conversations = changed.map(({ conversation }) => ({
    o: conversation.organizationId,
    c: conversation.id,
    ...Object.fromEntries(COLUMNS.map((column) => [column.name, column.read(conversation)])),
  }));
  const turns = changed.flatMap(({ conversation, turns: changedTurns }) =>
    changedTurns.map((turn) => ({
      o: conversation.organizationId,
      c: conversation.id,
      turn_index: turn.turnIndex,
      role: turn.role,
      text: turn.text,
      start_ms: turn.startMs,
      end_ms: turn.endMs,
      confidence: turn.confidence,
      interrupted: turn.interrupted,
      language: turn.language,
      words: turn.words,
      metrics: turn.metrics,
      occurred_at: new Date(turn.at),
      event_id: turn.eventId,
      bytes: turn.bytes,
      flow_id: turn.flow.flowId,
      flow_version: turn.flow.flowVersion,
      flow_turn: turn.flow.turn,
      node_id: turn.flow.nodeId,
    })),
  );
  const written = await sql<{ o: string; c: string; event_id: string }>(UPDATE_CONVERSATIONS, [
    JSON.stringify(conversations),
    now,
    JSON.stringify(turns),
  ]);
  const isNew = new Set(written.map(({ o, c, event_id }) => JSON.stringify([o, c, event_id])));
  const added = new Map<string, Turn[]>();
  for (const { conversation, turns: changedTurns } of changed) {
    const { organizationId, id: conversationId } = conversation;
    const news = changedTurns.filter(({ eventId }) =>
      isNew.has(JSON.stringify([organizationId, conversationId, eventId])),
    );
    if (news.length > 0) added.set(keyText({ organizationId, conversationId }), news);
  }
  return added;
}

const toValueExpression = ({ name }: Column) =>
  name === 'turn_count' ? 'row.turn_count + COALESCE(added.turns, 0)' : `row.${name}`;

const UPDATE_CONVERSATIONS = `
  WITH written AS (
    INSERT INTO turns AS turn (organization_id, conversation_id, turn_index, role, text, start_ms, end_ms, confidence,
      interrupted, language, words, metrics, occurred_at, event_id, bytes, flow_id, flow_version, flow_turn, node_id)
    SELECT row.* FROM json_to_recordset($3) AS row(o text, c text, turn_index int, role text, text text, start_ms float8,
      end_ms float8, confidence float8, interrupted boolean, language text, words jsonb, metrics jsonb,
      occurred_at timestamptz, event_id text, bytes int, flow_id text, flow_version int, flow_turn int, node_id text)
    ON CONFLICT (organization_id, conversation_id, turn_index, role) DO UPDATE SET
      text = excluded.text, start_ms = excluded.start_ms, end_ms = excluded.end_ms, confidence = excluded.confidence,
      interrupted = excluded.interrupted, language = excluded.language, words = excluded.words,
      metrics = excluded.metrics, occurred_at = excluded.occurred_at, event_id = excluded.event_id, bytes = excluded.bytes,
      flow_id = excluded.flow_id, flow_version = excluded.flow_version, flow_turn = excluded.flow_turn, node_id = excluded.node_id
    WHERE (turn.occurred_at, turn.event_id COLLATE "C") < (excluded.occurred_at, excluded.event_id COLLATE "C")
    RETURNING organization_id AS o, conversation_id AS c, event_id, xmax = 0 AS is_new
  ), added AS (
    SELECT o, c, count(*)::int AS turns FROM written WHERE is_new GROUP BY o, c
  ), updated AS (
    UPDATE conversations AS conversation
    SET updated_at = $2, searched = conversation.searched AND conversation.revision = row.revision,
      ${COLUMNS.map((column) => `${column.name} = ${toValueExpression(column)}`).join(', ')}
    FROM json_to_recordset($1) AS row(o text, c text, ${COLUMNS.map(({ name, type }) => `${name} ${type}`).join(', ')})
    LEFT JOIN added ON added.o = row.o AND added.c = row.c
    WHERE conversation.organization_id = row.o AND conversation.id = row.c
  )
  SELECT o, c, event_id FROM written WHERE is_new`;

/** `max_duration_seconds` of the bots that exist. */
export async function readMaxDurations(
  sql: Sql,
  bots: readonly { organizationId: string; botId: string }[],
): Promise<Map<string, number>> {
  if (bots.length === 0) return new Map();
  const rows = await sql<{ organization_id: string; id: string; max_duration_seconds: number }>(
    `SELECT bot.organization_id, bot.id, bot.max_duration_seconds FROM bots AS bot
     JOIN unnest($1::text[], $2::text[]) AS key (o, b) ON bot.organization_id = key.o AND bot.id = key.b`,
    [bots.map((bot) => bot.organizationId), bots.map((bot) => bot.botId)],
  );
  return new Map(
    rows.map((row) => [JSON.stringify([row.organization_id, row.id]), row.max_duration_seconds]),
  );
}
