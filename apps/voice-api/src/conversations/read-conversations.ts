// GET /v1/conversations, GET /v1/conversations/{id} and GET /v1/conversations/{id}/transcript
import type { z } from 'zod';
import { AppError, toPage, voiceApiDialect } from '@parley/envelopes';
import { Reply, type Caller } from '@parley/http';
import type { Deps } from '../deps.ts';
import { likeLiteral, readTimeCursor } from '../lists.ts';
import { keyText, type ConversationRow } from './conversation-rows.ts';
import { askedForm, isKnownTag } from './negotiate.rules.ts';
import { readTranscripts } from './read-transcripts.ts';
import type { conversationListQuery } from './schemas.ts';
import { transcriptSha256, transcriptText, transcriptVtt } from './transcript.rules.ts';

const { time } = voiceApiDialect;

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
  if (query.q !== undefined) {
    const pattern = `%${likeLiteral(query.q)}%`;
    filter(
      `(id ILIKE ? OR from_address ILIKE ? OR to_address ILIKE ?
        OR EXISTS (SELECT 1 FROM jsonb_each_text(metadata) AS entry WHERE entry.value ILIKE ?))`,
      ...[pattern, pattern, pattern, pattern],
    );
  }
  const rows = await deps.sql<ConversationRow>(
    `SELECT * FROM conversations WHERE organization_id = $1 ${filters.map((one) => `AND ${one}`).join(' ')}
     ORDER BY created_at DESC, id DESC LIMIT $2::int`,
    values,
  );
  return voiceApiDialect.page(
    toPage(rows, query.limit, (row) => [row.created_at.getTime(), row.id], conversationView),
  );
}

/** @throws AppError not_found */
export async function getConversation(deps: Pick<Deps, 'sql'>, caller: Caller, id: string) {
  return conversationView(await findConversation(deps, caller, id));
}

export interface TranscriptAsked {
  readonly accept: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/**
 * The transcript in the form that Accept prefers. Its tag comes from the conversation alone, so that "not changed" costs one row.
 * @throws AppError not_found
 */
export async function getTranscript(
  deps: Pick<Deps, 'sql'>,
  caller: Caller,
  id: string,
  { accept, ifNoneMatch }: TranscriptAsked,
): Promise<Reply> {
  const row = await findConversation(deps, caller, id);
  const status = row.transcript_ready ? 'ready' : 'partial';
  const form = askedForm(accept);
  // The moment of its making tells it from a conversation of the same id that was purged.
  const etag = `"${row.revision}-${status}-${row.created_at.getTime().toString(36)}-${form.split('/')[1]}"`;
  const headers = { etag, vary: 'Accept', 'cache-control': 'private, no-cache' };
  if (isKnownTag(ifNoneMatch, etag)) return new Reply(null, { status: 304, headers });
  const transcripts = await readTranscripts(deps.sql, [{ organizationId: caller.organizationId, id }]);
  const turns = transcripts.get(keyText({ organizationId: caller.organizationId, conversationId: id })) ?? [];
  if (form === 'text/vtt') return document(transcriptVtt(turns), form, headers);
  if (form === 'text/plain') return document(transcriptText(turns), form, headers);
  const sha256 = transcriptSha256(turns);
  return new Reply({ conversation_id: id, status, revision: row.revision, sha256, turns }, { headers });
}

function document(text: string, form: string, headers: Record<string, string>): Reply {
  return new Reply(text, { headers: { ...headers, 'content-type': `${form}; charset=utf-8` } });
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
    ...(row.flow_id === null ? {} : { flow_id: row.flow_id }),
    ...(row.flow_version === null ? {} : { flow_version: row.flow_version }),
    metadata: row.metadata,
    created_at: time(row.created_at),
    updated_at: time(row.updated_at),
  };
}
