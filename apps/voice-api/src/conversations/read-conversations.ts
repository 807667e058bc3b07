// GET /v1/conversations/{id} and GET /v1/conversations/{id}/transcript
import { AppError, decodeCursor, encodeCursor, voiceApiDialect } from '@parley/envelopes';
import { reachesBot, Reply, type Caller } from '@parley/server/http';
import { chooseForm, isKnownTag } from '../negotiate.rules.ts';
import { readRedaction } from '../retention/redaction.ts';
import { scrubTurns } from '../retention/scrubbed-turns.ts';
import type { Deps } from './deps.ts';
import type { ConversationRow } from './conversation-rows.ts';
import { toReaderView } from './lists/conversation-view.ts';
import {
  PIECE_BYTES,
  readDigest,
  readTurnPage,
  readTurnPieces,
  computeWeight,
  type TurnPage,
} from './read-transcripts.ts';
import { computeTranscriptDigest } from './transcript-digest.ts';
import { formatText, formatVtt, TRANSCRIPT_FORMS, type TranscriptForm } from './transcript.rules.ts';

/** Bytes of turns in one answer, unless one turn has more (docs/platform.md#byte-budgets). */
const TRANSCRIPT_PAGE_BYTES = 1024 * 1024;

/** @throws AppError not_found */
export async function getConversation(
  deps: Pick<Deps, 'sql' | 'retentionRules'>,
  caller: Caller,
  id: string,
) {
  return toReaderView(deps, caller, await findConversation(deps, caller, id));
}

export interface TranscriptRequest {
  readonly accept: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly cursor: string | undefined;
}

/** Start of a page; the last two numbers continue the cues of text/vtt. */
const TRANSCRIPT_CURSOR = ['integer', 'integer', 'number', 'number'] as const;

/**
 * Returns the transcript in the form that Accept prefers, in pages of TRANSCRIPT_PAGE_BYTES. The
 * tag depends on the conversation alone, so a 304 costs one row.
 * @throws AppError not_found
 */
export async function getTranscript(
  deps: Pick<Deps, 'sql' | 'largeReads' | 'retentionRules'>,
  caller: Caller,
  id: string,
  { accept, ifNoneMatch, cursor }: TranscriptRequest,
): Promise<Reply> {
  const row = await findConversation(deps, caller, id);
  const status = row.transcript_ready ? 'ready' : 'partial';
  const form = chooseForm(accept, TRANSCRIPT_FORMS);
  // The creation time distinguishes it from a purged conversation with the same id.
  const { transcript: removed } = row.removed;
  const isScrubbed = (await readRedaction(deps, caller)).hides(row.bot_id);
  const state = `${removed ? 'removed' : status}${isScrubbed ? '-scrubbed' : ''}`;
  const etag = `"${row.revision}-${state}-${row.created_at.getTime().toString(36)}-${form.split('/')[1]}"`;
  const headers = { etag, vary: 'Accept', 'cache-control': 'private, no-cache' };
  if (isKnownTag(ifNoneMatch, etag)) return new Reply(null, { status: 304, headers });
  const [index, rank, ...cues] = cursor === undefined ? [] : decodeCursor(cursor, ...TRANSCRIPT_CURSOR);
  const after = index === undefined ? null : { index, rank: rank! };
  const key = { organizationId: caller.organizationId, id };
  const isLarge = computeWeight(row) > PIECE_BYTES;
  const page = await (isLarge
    ? readTurnPieces(deps, key, after, TRANSCRIPT_PAGE_BYTES)
    : readTurnPage(deps.sql, key, after, TRANSCRIPT_PAGE_BYTES));
  const { next } = page;
  const turns = isScrubbed ? await scrubTurns(deps.sql, key, page.turns) : page.turns;
  const clock = { at: cues[0] ?? 0, spokenUntil: cues[1] ?? 0 };
  const text = formatTranscript(form, turns, clock);
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
    ...(removed ? { removed: { ...removed, at: voiceApiDialect.time(new Date(removed.at)) } } : {}),
    ...(after || removed || isScrubbed ? {} : { sha256: await computeSha256(deps, key, page) }),
    ...(row.truncated ? { truncated: true } : {}),
    turns,
    ...(nextCursor ? { next_cursor: nextCursor } : {}),
  };
  return new Reply(data, { headers });
}

/** Null: the form is JSON. */
function formatTranscript(
  form: TranscriptForm,
  turns: TurnPage['turns'],
  clock: Parameters<typeof formatVtt>[1],
): string | null {
  if (form === 'text/vtt') return formatVtt(turns, clock);
  return form === 'text/plain' ? formatText(turns) : null;
}

/** Digest of the whole transcript, given its first page. */
async function computeSha256(
  { sql, largeReads }: Pick<Deps, 'sql' | 'largeReads'>,
  key: { readonly organizationId: string; readonly id: string },
  { turns, next }: TurnPage,
): Promise<string> {
  const digest = next ? await readDigest(sql, key, { largeReads }) : computeTranscriptDigest(turns);
  return digest.sha256;
}

/** @throws AppError not_found, also when the key may not access the bot of the conversation */
export async function findConversation(
  deps: Pick<Deps, 'sql'>,
  caller: Caller,
  id: string,
): Promise<ConversationRow> {
  const [row] = await deps.sql<ConversationRow>(
    'SELECT * FROM conversations WHERE organization_id = $1 AND id = $2',
    [caller.organizationId, id],
  );
  if (!row || !reachesBot(caller, row.bot_id))
    throw new AppError('not_found', `There is no conversation "${id}".`);
  return row;
}
