// Transcripts in the database, in their order, never more of them in memory than was asked for (docs/platform.md#byte-budgets).
import type { Sql } from '@parley/postgres';
import { CONVERSATION_BYTES, TURN_BYTES } from './conversation-rows.ts';
import { createDigest, digestOf, type Digest } from './transcript-digest.ts';
import {
  inTurnOrder,
  ROLE_ORDER,
  transcriptTurn,
  TURN_COLUMNS,
  type TranscriptTurn,
  type TurnRow,
} from './transcript.rules.ts';

/** Of turns that are read together: they are parsed and hashed in one piece, of some ten milliseconds. */
export const READ_BYTES_MAX = 1024 * 1024;
/** What a turn takes in memory beside its text and words. */
const TURN_OVERHEAD = 500;
/** Turns that a page is chosen from. */
const PAGE_TURNS_MAX = 2_000;

/** Where a page of turns begins: behind this one. */
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
  /** Null: it was the last one. */
  readonly next: TurnPlace | null;
}

/** What reading a transcript as a whole takes at most. */
export function weightOf({ bytes, revision }: { readonly bytes: number; readonly revision: number }): number {
  return bytes + TURN_OVERHEAD * revision;
}

/** The same of a `conversation`, in SQL. */
export const WEIGHT = `${CONVERSATION_BYTES} + ${TURN_OVERHEAD} * conversation.revision`;

/** The turns behind `after`, as many as have `bytesMax` together; one at least. */
export async function readTurnPage(
  sql: Sql,
  { organizationId, id }: TranscriptKey,
  after: TurnPlace | null,
  bytesMax: number,
): Promise<TurnPage> {
  const { index, rank } = after ?? { index: -1, rank: 0 };
  const rows = await sql<TurnRow & { more: boolean }>(PAGE, [organizationId, id, index, rank, bytesMax]);
  const turns = rows.map(transcriptTurn);
  const last = turns.at(-1);
  const next = last && rows.at(-1)!.more ? { index: last.index, rank: ROLE_ORDER[last.role] } : null;
  return { turns, next };
}

const RANK = `CASE turn.role ${Object.entries(ROLE_ORDER)
  .map(([role, rank]) => `WHEN '${role}' THEN ${rank}`)
  .join(' ')} END`;

const PAGE = `
  SELECT ${TURN_COLUMNS}, (place < sized OR place = ${PAGE_TURNS_MAX}) AS more
  FROM (SELECT page.*, sum(size) OVER (ORDER BY place) AS until, count(*) OVER () AS sized
    FROM (SELECT turn.*, ${TURN_BYTES} + ${TURN_OVERHEAD} AS size, row_number() OVER (ORDER BY turn_index, ${RANK}) AS place
      FROM turns AS turn
      WHERE organization_id = $1 AND conversation_id = $2 AND turn_index >= $3 AND (turn_index, ${RANK}) > ($3, $4)
      ORDER BY turn_index, ${RANK} LIMIT ${PAGE_TURNS_MAX}) AS page) AS summed
  WHERE until <= $5::int OR place = 1 ORDER BY place`;

/** Page by page, to the end. */
async function* turnPages(sql: Sql, key: TranscriptKey, bytesMax: number): AsyncGenerator<TurnPage['turns']> {
  let after: TurnPlace | null = null;
  do {
    const page: TurnPage = await readTurnPage(sql, key, after, bytesMax);
    yield page.turns;
    after = page.next;
  } while (after);
}

/** Of one transcript, whatever its size. */
export async function readDigest(sql: Sql, key: TranscriptKey, bytesMax: number): Promise<Digest> {
  const digest = createDigest();
  for await (const turns of turnPages(sql, key, bytesMax)) digest.add(turns);
  return digest.end();
}

/** Of transcripts that may be read together, in the order of `keys`. */
export async function readDigests(sql: Sql, keys: readonly TranscriptKey[]): Promise<readonly Digest[]> {
  if (keys.length === 0) return [];
  const rows = await sql<TurnRow & { place: number }>(
    `SELECT key.place::int AS place, ${TURN_COLUMNS}
     FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS key (o, c, place)
     JOIN turns AS turn ON turn.organization_id = key.o AND turn.conversation_id = key.c`,
    [keys.map(({ organizationId }) => organizationId), keys.map(({ id }) => id)],
  );
  const grouped = keys.map((): TurnRow[] => []);
  for (const row of rows) grouped[row.place - 1]!.push(row);
  return grouped.map((turns) => digestOf(inTurnOrder(turns).map(transcriptTurn)));
}
