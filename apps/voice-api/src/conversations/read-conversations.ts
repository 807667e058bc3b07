// GET /v1/conversations, GET /v1/conversations/{id} and GET /v1/conversations/{id}/transcript
import { z } from 'zod';
import { AppError, decodeCursor, encodeCursor, toPage, voiceApiDialect } from '@parley/envelopes';
import { Reply, type Caller } from '@parley/http';
import { fitting, withinBytes, type SizedRow, type Sql } from '@parley/postgres';
import type { Deps } from '../deps.ts';
import { likeLiteral, readTimeCursor } from '../lists.ts';
import type { ConversationRow } from './conversation-rows.ts';
import { askedForm, isKnownTag } from './negotiate.rules.ts';
import { readDigest, readTurnPage, type TurnPage } from './read-transcripts.ts';
import type { conversationListQuery } from './schemas.ts';
import { digestOf } from './transcript-digest.ts';
import { transcriptText, transcriptVtt } from './transcript.rules.ts';

const { time } = voiceApiDialect;

/** Of the turns of one answer, as JSON: unless a single turn has more, no answer is larger (docs/platform.md#byte-budgets). */
const TRANSCRIPT_PAGE_BYTES = 1024 * 1024;

/**
 * Newest first, by when we heard of them: that never changes, so pages are stable under new conversations. A conversation that has
 * not started is in no range of started_after and started_before.
 */
export async function listConversations(
  deps: Pick<Deps, 'sql'>,
  caller: Caller,
  query: z.output<typeof conversationListQuery>,
) {
  const after = readTimeCursor(query.cursor);
  const filters: string[] = [];
  const values: unknown[] = [caller.organizationId, query.limit + 1];
  const filter = (condition: string, ...given: unknown[]) => {
    let at = values.length;
    filters.push(condition.replaceAll('?', () => `$${(at += 1)}`));
    values.push(...given);
  };
  // Only what is asked for is in the statement: each combination is planned (and prepared) for itself.
  if (after) filter('(created_at, id) < (?::timestamptz, ?::text)', after.createdAt, after.id);
  if (query.bot_id !== undefined) filter('bot_id = ?', query.bot_id);
  if (query.status !== undefined) filter('status = ?', query.status);
  if (query.channel !== undefined) filter('channel = ?', query.channel);
  if (query.from !== undefined) filter('from_address = ?', query.from);
  if (query.started_after !== undefined) filter('started_at >= ?', query.started_after);
  if (query.started_before !== undefined) filter('started_at < ?', query.started_before);
  if (query.flow_id !== undefined) filter('flow_id = ?', query.flow_id);
  if (query.flow_version !== undefined) filter('flow_version = ?', query.flow_version);
  if (query.end_reason !== undefined) filter('end_reason = ?', query.end_reason);
  if (query.has_error !== undefined) filter(`error_code IS ${query.has_error === 'true' ? 'NOT' : ''} NULL`);
  if (query.q !== undefined) {
    const pattern = `%${likeLiteral(query.q)}%`;
    filter(
      `(id ILIKE ? OR from_address ILIKE ? OR to_address ILIKE ?
        OR EXISTS (SELECT 1 FROM jsonb_each_text(metadata) AS entry WHERE entry.value ILIKE ?)
        OR id IN (SELECT conversation_id FROM turns WHERE organization_id = $1 AND ${SPOKEN} @@ ?::tsquery))`,
      ...[pattern, pattern, pattern, pattern],
      await spokenQuery(deps.sql, caller.organizationId, query.q),
    );
  }
  const rows = await deps.sql<ConversationRow & SizedRow>(
    withinBytes(
      `SELECT * FROM conversations WHERE organization_id = $1 ${filters.map((one) => `AND ${one}`).join(' ')}
       ORDER BY created_at DESC, id DESC LIMIT $2::int`,
      'octet_length(metadata::text) + octet_length(facts::text)',
      'created_at DESC, id DESC',
    ),
    values,
  );
  return voiceApiDialect.page(
    toPage(rows, fitting(rows, query.limit), (row) => [row.created_at.getTime(), row.id], conversationView),
  );
}

/** What the index of turns is of, word for word (the migration of `turns_search_idx` says why). */
const SPOKEN = `(to_tsvector('simple', left("text", 20000)) || array_to_tsvector(ARRAY['organization ' || "organization_id"]))`;

/** The words, and the organisation as one of them; written down first, so that the planner sees it. */
async function spokenQuery(sql: Sql, organizationId: string, words: string): Promise<string> {
  const organization = `'organization ${organizationId.replaceAll(/[\\']/g, '$&$&')}'`;
  const [row] = await sql<{ query: string }>(
    `SELECT CASE WHEN numnode(words) > 0 THEN (words && $2::tsquery)::text ELSE '' END AS query
     FROM websearch_to_tsquery('simple', $1) AS words`,
    [words, organization],
  );
  return row!.query;
}

/** @throws AppError not_found */
export async function getConversation(deps: Pick<Deps, 'sql'>, caller: Caller, id: string) {
  return conversationView(await findConversation(deps, caller, id));
}

export interface TranscriptAsked {
  readonly accept: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly cursor: string | undefined;
}

/** Where a page begins; the last two are where the cues of a text/vtt go on. */
const transcriptCursor = z.tuple([z.int(), z.int().min(0).max(3), z.number().min(0), z.number().min(0)]);

/**
 * The transcript in the form that Accept prefers, a page of at most TRANSCRIPT_PAGE_BYTES. Its tag comes from the conversation alone, so that "not changed" costs one row.
 * @throws AppError not_found
 */
export async function getTranscript(
  deps: Pick<Deps, 'sql'>,
  caller: Caller,
  id: string,
  { accept, ifNoneMatch, cursor }: TranscriptAsked,
): Promise<Reply> {
  const row = await findConversation(deps, caller, id);
  const status = row.transcript_ready ? 'ready' : 'partial';
  const form = askedForm(accept);
  // The moment of its making tells it from a conversation of the same id that was purged.
  const etag = `"${row.revision}-${status}-${row.created_at.getTime().toString(36)}-${form.split('/')[1]}"`;
  const headers = { etag, vary: 'Accept', 'cache-control': 'private, no-cache' };
  if (isKnownTag(ifNoneMatch, etag)) return new Reply(null, { status: 304, headers });
  const [index, rank, ...cues] = cursor === undefined ? [] : decodeCursor(cursor, transcriptCursor);
  const after = index === undefined ? null : { index, rank: rank! };
  const { organizationId } = caller;
  const page = await readTurnPage(deps.sql, { organizationId, id }, after, TRANSCRIPT_PAGE_BYTES);
  const { turns, next } = page;
  const clock = { at: cues[0] ?? 0, spokenUntil: cues[1] ?? 0 };
  const text =
    form === 'text/vtt' ? transcriptVtt(turns, clock) : form === 'text/plain' ? transcriptText(turns) : null;
  const nextCursor = next && encodeCursor([next.index, next.rank, clock.at, clock.spokenUntil]);
  if (text !== null) {
    const link = `</v1/conversations/${encodeURIComponent(id)}/transcript?cursor=${nextCursor}>; rel="next"`;
    const type = { 'content-type': `${form}; charset=utf-8` };
    return new Reply(text, { headers: { ...headers, ...type, ...(nextCursor ? { link } : {}) } });
  }
  const data = {
    conversation_id: id,
    status,
    revision: row.revision,
    ...(after ? {} : { sha256: await sha256Of(deps.sql, { organizationId, id }, page) }),
    ...(row.truncated ? { truncated: true } : {}),
    turns,
    ...(nextCursor ? { next_cursor: nextCursor } : {}),
  };
  return new Reply(data, { headers });
}

/** Of the whole transcript, of which this is the first page. */
async function sha256Of(
  sql: Sql,
  key: { readonly organizationId: string; readonly id: string },
  { turns, next }: TurnPage,
): Promise<string> {
  const digest = next ? await readDigest(sql, key, TRANSCRIPT_PAGE_BYTES) : digestOf(turns);
  return digest.sha256;
}

async function findConversation(
  deps: Pick<Deps, 'sql'>,
  caller: Caller,
  id: string,
): Promise<ConversationRow> {
  const [row] = await deps.sql<ConversationRow>(
    'SELECT * FROM conversations WHERE organization_id = $1 AND id = $2',
    [caller.organizationId, id],
  );
  if (!row) throw new AppError('not_found', `no conversation "${id}"`);
  return row;
}

function conversationView(row: ConversationRow) {
  return {
    id: row.id,
    bot_id: row.bot_id,
    status: row.status,
    channel: row.channel,
    direction: row.direction,
    from: row.from_address,
    to: row.to_address,
    language: row.language,
    started_at: row.started_at && time(row.started_at),
    ended_at: row.ended_at && time(row.ended_at),
    duration_seconds: row.duration_seconds,
    end_reason: row.end_reason,
    end_detail: row.end_detail,
    ended_by: row.ended_by,
    ...(row.error_code === null ? {} : { error: { code: row.error_code, message: row.error_message } }),
    turn_count: row.turn_count,
    ...(row.truncated ? { truncated: true } : {}),
    ...(row.quarantined_at ? { quarantined_at: time(row.quarantined_at) } : {}),
    ...(row.flow_id === null ? {} : { flow_id: row.flow_id }),
    ...(row.flow_version === null ? {} : { flow_version: row.flow_version }),
    metadata: row.metadata,
    ...(row.cost === null ? {} : { cost: row.cost }),
    ...(row.recording_url === null ? {} : { recording_url: row.recording_url }),
    created_at: time(row.created_at),
    updated_at: time(row.updated_at),
  };
}
