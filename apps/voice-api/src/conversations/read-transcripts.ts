// Reads transcripts in order, within byte limits (docs/platform.md#byte-budgets).
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '@parley/server/postgres';
import { createFairQueue, type FairQueue } from '@parley/server/runtime';
import {
  createTranscriptDigest,
  computeTranscriptDigest,
  type TranscriptDigest,
} from './transcript-digest.ts';
import {
  sortTurns,
  ROLE_ORDER,
  toTranscriptTurn,
  TURN_COLUMNS,
  type TranscriptTurn,
  type TurnRow,
} from './transcript.rules.ts';

/** Bytes of transcripts in memory at a time. */
export const READ_BYTES_MAX = 1024 * 1024;
/** Larger transcripts are read in pieces of some milliseconds. */
export const PIECE_BYTES = 128 * 1024;
/** In units of CPU time: an organisation keeps the process busy for a fifth of the time. */
const REST_FACTOR = 8;
/** Concurrent pieces of a process. */
const PIECES_AT_ONCE = 4;
/** Memory of a turn besides its text and words. */
const TURN_OVERHEAD = 500;
/** Candidates for a page of small turns. */
const PAGE_TURNS_MAX = 2_000;

/** A page begins after this turn. */
export interface TurnPlace {
  readonly index: number;
  readonly rank: number;
}

interface TranscriptKey {
  readonly organizationId: string;
  readonly id: string;
}

export interface TurnPage {
  readonly turns: readonly TranscriptTurn[];
  /** Bytes of the turns, including TURN_OVERHEAD. */
  readonly bytes: number;
  /** Null on the last page. */
  readonly next: TurnPlace | null;
}

/** Upper bound of the memory for a whole transcript. */
export function computeWeight({
  bytes,
  revision,
}: {
  readonly bytes: number;
  readonly revision: number;
}): number {
  return bytes + TURN_OVERHEAD * revision;
}

/** Runs work that is followed by a rest, in which others can use the process and Postgres. */
type Resting = <T>(work: () => Promise<T>) => Promise<T>;

/** Queue for pieces of large transcripts. An organisation reads one piece at a time. */
export type LargeReads = FairQueue;

export function createLargeReads(): LargeReads {
  return createFairQueue({ places: PIECES_AT_ONCE, placesOfOne: 1, restFactor: REST_FACTOR });
}

/** Within a transaction: rests as long as the work took. */
const resting: Resting = async (work) => {
  const begunMs = performance.now();
  const done = await work();
  await sleep(performance.now() - begunMs);
  return done;
};

/** `computeWeight` of a `conversation` in SQL. */
export const WEIGHT = `conversation.bytes + ${TURN_OVERHEAD} * conversation.revision`;

/** The turns after `after`, at most `bytesMax` in total; at least one. */
export async function readTurnPage(
  sql: Sql,
  { organizationId, id }: TranscriptKey,
  after: TurnPlace | null,
  bytesMax: number,
): Promise<TurnPage> {
  const { index, rank } = after ?? { index: -1, rank: 0 };
  const rows = await sql<TurnRow & { more: boolean; until: number }>(PAGE, [
    organizationId,
    id,
    index,
    rank,
    bytesMax,
    Math.min(PAGE_TURNS_MAX, Math.ceil(bytesMax / TURN_OVERHEAD)),
  ]);
  const turns = rows.map(toTranscriptTurn);
  const last = turns.at(-1);
  const next = last && rows.at(-1)!.more ? { index: last.index, rank: ROLE_ORDER[last.role] } : null;
  return { turns, bytes: rows.at(-1)?.until ?? 0, next };
}

const RANK = `CASE turn.role ${Object.entries(ROLE_ORDER)
  .map(([role, rank]) => `WHEN '${role}' THEN ${rank}`)
  .join(' ')} END`;

const PAGE = `
  SELECT ${TURN_COLUMNS}, until::int AS until, (place < sized OR place = $6::int) AS more
  FROM (SELECT page.*, sum(size) OVER (ORDER BY place) AS until, count(*) OVER () AS sized
    FROM (SELECT turn.*, bytes + ${TURN_OVERHEAD} AS size, row_number() OVER (ORDER BY turn_index, ${RANK}) AS place
      FROM turns AS turn
      WHERE organization_id = $1 AND conversation_id = $2 AND turn_index >= $3 AND (turn_index, ${RANK}) > ($3, $4)
      ORDER BY turn_index, ${RANK} LIMIT $6::int) AS page) AS summed
  WHERE until <= $5::int OR place = 1 ORDER BY place`;

/** readTurnPage for large transcripts, in pieces. */
export async function readTurnPieces(
  { sql, largeReads }: { readonly sql: Sql; readonly largeReads: LargeReads },
  key: TranscriptKey,
  after: TurnPlace | null,
  bytesMax: number,
): Promise<TurnPage> {
  const turns: TranscriptTurn[] = [];
  let bytes = 0;
  let next = after;
  for await (const piece of readPieces(sql, key, after, (work) => largeReads.run(key.organizationId, work))) {
    // The next turn is large by itself.
    if (turns.length > 0 && bytes + piece.bytes > bytesMax) break;
    turns.push(...piece.turns);
    bytes += piece.bytes;
    next = piece.next;
    if (bytes + PIECE_BYTES > bytesMax) break;
  }
  return { turns, bytes, next };
}

/** All pieces up to the end. */
async function* readPieces(
  sql: Sql,
  key: TranscriptKey,
  from: TurnPlace | null,
  rest: Resting,
  pieceBytes = PIECE_BYTES,
): AsyncGenerator<TurnPage> {
  let after = from;
  do {
    const piece = await rest(() => readTurnPage(sql, key, after, pieceBytes));
    yield piece;
    after = piece.next;
  } while (after);
}

/** Digest of one transcript of any size. Requests pass `largeReads`; transactions do not. */
export async function readDigest(
  sql: Sql,
  key: TranscriptKey,
  { largeReads, pieceBytes }: { readonly largeReads?: LargeReads; readonly pieceBytes?: number },
): Promise<TranscriptDigest> {
  const digest = createTranscriptDigest();
  const rest: Resting = largeReads ? (work) => largeReads.run(key.organizationId, work) : resting;
  for await (const { turns } of readPieces(sql, key, null, rest, pieceBytes)) digest.add(turns);
  return digest.end();
}

/** Digests of transcripts that fit into memory together, in the order of `keys`. */
export async function readDigests(
  sql: Sql,
  keys: readonly TranscriptKey[],
): Promise<readonly TranscriptDigest[]> {
  if (keys.length === 0) return [];
  const rows = await sql<TurnRow & { place: number }>(
    `SELECT key.place::int AS place, ${TURN_COLUMNS}
     FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS key (o, c, place)
     JOIN turns AS turn ON turn.organization_id = key.o AND turn.conversation_id = key.c`,
    [keys.map(({ organizationId }) => organizationId), keys.map(({ id }) => id)],
  );
  const grouped = keys.map((): TurnRow[] => []);
  for (const row of rows) grouped[row.place - 1]!.push(row);
  return grouped.map((turns) => computeTranscriptDigest(sortTurns(turns).map(toTranscriptTurn)));
}
