// GET /v1/conversations/{id} and GET /v1/conversations/{id}/transcript
import { AppError, decodeCursor, encodeCursor } from '@parley/envelopes';
import { reachesBot, Reply, type Caller } from '@parley/http';
import type { Deps } from '../deps.ts';
import type { ConversationRow } from './conversation-rows.ts';
import { conversationView } from './lists/conversation-view.ts';
import { askedForm, isKnownTag } from './negotiate.rules.ts';
import {
  PIECE_BYTES,
  readDigest,
  readTurnPage,
  readTurnPieces,
  weightOf,
  type TurnPage,
} from './read-transcripts.ts';
import { digestOf } from './transcript-digest.ts';
import { transcriptText, transcriptVtt } from './transcript.rules.ts';

/** Of the turns of one answer, as JSON: unless a single turn has more, no answer is larger (docs/platform.md#byte-budgets). */
const TRANSCRIPT_PAGE_BYTES = 1024 * 1024;

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
const TRANSCRIPT_CURSOR = ['integer', 'integer', 'number', 'number'] as const;

/**
 * The transcript in the form that Accept prefers, a page of at most TRANSCRIPT_PAGE_BYTES. Its tag comes from the conversation alone, so that "not changed" costs one row.
 * @throws AppError not_found
 */
export async function getTranscript(
  deps: Pick<Deps, 'sql' | 'largeReads'>,
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
  const [index, rank, ...cues] = cursor === undefined ? [] : decodeCursor(cursor, ...TRANSCRIPT_CURSOR);
  const after = index === undefined ? null : { index, rank: rank! };
  const key = { organizationId: caller.organizationId, id };
  const page =
    weightOf(row) > PIECE_BYTES
      ? await readTurnPieces(deps, key, after, TRANSCRIPT_PAGE_BYTES)
      : await readTurnPage(deps.sql, key, after, TRANSCRIPT_PAGE_BYTES);
  const { turns, next } = page;
  const clock = { at: cues[0] ?? 0, spokenUntil: cues[1] ?? 0 };
  const text =
    form === 'text/vtt' ? transcriptVtt(turns, clock) : form === 'text/plain' ? transcriptText(turns) : null;
  const nextCursor = next && encodeCursor([next.index, next.rank, clock.at, clock.spokenUntil]);
  if (text !== null) {
    const link = `</v1/conversations/${encodeURIComponent(id)}/transcript?cursor=${nextCursor}>; rel="next"`;
    const type = { 'content-type': `${form}; charset=utf-8`, 'content-disposition': 'attachment' };
    return new Reply(text, { headers: { ...headers, ...type, ...(nextCursor ? { link } : {}) } });
  }
  const data = {
    conversation_id: id,
    status,
    revision: row.revision,
    ...(after ? {} : { sha256: await sha256Of(deps, key, page) }),
    ...(row.truncated ? { truncated: true } : {}),
    turns,
    ...(nextCursor ? { next_cursor: nextCursor } : {}),
  };
  return new Reply(data, { headers });
}

/** Of the whole transcript, of which this is the first page. */
async function sha256Of(
  { sql, largeReads }: Pick<Deps, 'sql' | 'largeReads'>,
  key: { readonly organizationId: string; readonly id: string },
  { turns, next }: TurnPage,
): Promise<string> {
  const digest = next ? await readDigest(sql, key, { largeReads }) : digestOf(turns);
  return digest.sha256;
}

/** @throws AppError not_found, also for one that a bound key does not reach */
export async function findConversation(
  deps: Pick<Deps, 'sql'>,
  caller: Caller,
  id: string,
): Promise<ConversationRow> {
  const [row] = await deps.sql<ConversationRow>(
    'SELECT * FROM conversations WHERE organization_id = $1 AND id = $2',
    [caller.organizationId, id],
  );
  if (!row || !reachesBot(caller, row.bot_id)) throw new AppError('not_found', `no conversation "${id}"`);
  return row;
}
