// Pages of conversations, and of those that words mean (docs/voice-api.md#search): for the list, and for exports.
import { withinBytes, type SizedRow, type Sql } from '@parley/postgres';
import { CONVERSATION_BYTES, type ConversationRow } from '../conversation-rows.ts';
import { saidAnywhere, saidIn, type Words } from './search.ts';
import { namedLike, type Where } from './where.ts';

/** What of conversations is looked through in their order, before the index of turns is asked: bytes of their turn events in all. */
const WALKED = { conversations: 200, bytes: 1_000_000 };
/** The same for what so many of those say. */
const OFTEN_MIN = 5;
const WALKED_OFTEN = { conversations: 2_000, bytes: 4_000_000 };
/** What a turn takes beside its bytes. */
const TURN_WEIGHT = 100;
/** Conversations behind the cursor whose ids, addresses and metadata are looked at for a part of them. */
const NAMED_MAX = 10_000;
/** Counting ends there. */
const TOTAL_MAX = 100_000;

type Row = ConversationRow & SizedRow;

/** What stands behind ORDER BY. */
export type Order = string;
export const NEWEST_FIRST: Order = 'created_at DESC, id DESC';

const select = ({ conditions }: Where, order: Order, limit: number) =>
  `SELECT * FROM conversations WHERE ${conditions.join(' AND ')} ORDER BY ${order} LIMIT ${limit}`;

const sized = (statement: string, order: Order) =>
  withinBytes(
    statement,
    'octet_length(metadata::text) + octet_length(facts::text) + COALESCE(octet_length(analysis::text), 0) + COALESCE(octet_length(summary), 0)',
    order,
  );

/** As many as `fitting` says, and one more where there is one. */
export function readPage(sql: Sql, where: Where, order: Order, limit: number): Promise<Row[]> {
  return sql<Row>(sized(select(where, order, limit + 1), order), where.values);
}

/**
 * The same of those that words mean.
 * What many conversations say is found by walking through the first of them; only where those do not fill a page, the index is
 * asked: it knows no order, and is slow where it has much.
 */
export async function searchPage(
  sql: Sql,
  where: Where,
  order: Order,
  limit: number,
  { asked, indexed }: Words,
): Promise<Row[]> {
  const name = namedLike(where, asked);
  where.values.push(indexed);
  const words = `$${where.values.length}`;
  const end = `ORDER BY ${order} LIMIT ${limit + 1}`;
  for (const most of [WALKED, WALKED_OFTEN]) {
    const early = `${walked(where, order, most)} AND (${name} OR ${saidIn(words)}) ${end}`;
    const rows = await sql<Row>(sized(early, order), where.values);
    if (rows.length > limit) return rows;
    if (rows.length < OFTEN_MIN) break;
  }
  const anywhere = `SELECT conversation.* FROM ${among(where, matching(where, order, name, words))} ${end}`;
  return sql<Row>(sized(anywhere, order), where.values);
}

/** The first conversations, as far as they are not too large to be looked through. */
function walked(where: Where, order: Order, { conversations, bytes }: typeof WALKED): string {
  const soFar = `sum(${CONVERSATION_BYTES} + ${TURN_WEIGHT} * revision) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)`;
  return `SELECT * FROM (SELECT *, ${soFar} AS bytes_so_far FROM (${select(where, order, conversations)}) AS conversation)
    AS conversation WHERE bytes_so_far <= ${bytes}`;
}

/** Each by its key (OFFSET 0): the planner takes them for many, and would read all conversations of the organisation. */
function among({ conditions }: Where, ids: string): string {
  return `(${ids}) AS found (found_id) CROSS JOIN LATERAL (
    SELECT * FROM conversations WHERE ${conditions.join(' AND ')} AND id = found_id OFFSET 0) AS conversation`;
}

/** The ids of what is called so, of the first, and of what was said, of all. */
function matching(where: Where, order: Order, name: string, words: string): string {
  return `SELECT id FROM (${select(where, order, NAMED_MAX)}) AS named WHERE ${name} UNION ${saidAnywhere(words)}`;
}

/** Of all pages together. */
export async function countMeant(sql: Sql, where: Where, words: Words | undefined) {
  const meant = ({ asked, indexed }: Words) => {
    const name = namedLike(where, asked);
    where.values.push(indexed);
    return among(where, matching(where, NEWEST_FIRST, name, `$${where.values.length}`));
  };
  const rows = words ? meant(words) : `conversations WHERE ${where.conditions.join(' AND ')}`;
  const [row] = await sql<{ total: number }>(
    `SELECT count(*)::int AS total FROM (
       SELECT 1 FROM ${rows} LIMIT ${TOTAL_MAX + 1}) AS counted`,
    where.values,
  );
  return row!.total > TOTAL_MAX ? { total: TOTAL_MAX, total_is_at_least: true } : { total: row!.total };
}
