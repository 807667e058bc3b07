// Pages of conversations, and of those that words mean (docs/voice-api.md#search): for the list, and for exports.
import { fitting, withinBytes, type SizedRow, type Sql } from '@parley/postgres';
import { CONVERSATION_BYTES, type ConversationRow } from '../conversation-rows.ts';
import { saidAnywhere, saidIn, type Words } from './search.ts';
import { indexed, namedLike, type Term, type Where } from './where.ts';

/** Conversations gone through in their order before the index of terms is asked, further as long as more of them are meant. */
const GONE_THROUGH = [200, 1_000, 5_000, 25_000] as const;
/** A term that so many of the first 200 have is common: the index would read much to leave little out. */
const COMMON = 10;
/** What is looked through in its order before the index of turns is asked: so many conversations, and bytes of their turns in all. */
const WALKED = { conversations: 200, bytes: 200_000 };
/** And further, where that is likely to fill the page: of a word that one conversation of seventy says. */
const WALKED_FURTHER = { conversations: 4_000, bytes: 2_000_000 };
/** What a turn takes beside its bytes. */
const TURN_WEIGHT = 100;
/** Conversations found through the index that are looked up one by one; more of them are met soon enough in their order. */
const LOOKED_UP_MAX = 2_000;
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

/**
 * As many as `fitting` says, and one more where there is one.
 * What many meet is found by going through the first of them: of filters that go together the planner expects too little, and would
 * gather and sort all that meet them. What few meet is found through the index.
 */
export async function readPage(sql: Sql, where: Where, order: Order, limit: number): Promise<Row[]> {
  let found = 0;
  if (where.conditions.length > where.bounds.length)
    for (const count of GONE_THROUGH) {
      const statement = `SELECT * FROM (${first(where, order, count)}) AS first
        WHERE ${where.conditions.join(' AND ')} ORDER BY ${order} LIMIT ${limit + 1}`;
      const rows = await sql<Row>(sized(statement, order), where.values);
      if (fitting(rows, limit) < rows.length) return rows;
      if (rows.length === found) break;
      found = rows.length;
    }
  const telling = await tellingTerms(sql, where, order);
  const whole = indexed(where, telling.length > 0 ? telling : where.terms);
  return sql<Row>(sized(select(whole, order, limit + 1), order), whole.values);
}

const first = ({ bounds }: Where, order: Order, count: number) =>
  `SELECT * FROM conversations WHERE ${bounds.join(' AND ')} ORDER BY ${order} LIMIT ${count}`;

/** Those that are not common among the first; a single one has no choice. */
async function tellingTerms(sql: Sql, where: Where, order: Order): Promise<readonly Term[]> {
  const { conditions, terms, values } = where;
  if (terms.length < 2) return terms;
  const counts = conditions.map((condition) => `count(*) FILTER (WHERE ${condition})`);
  const [row] = await sql<{ met: number[] }>(
    `SELECT ARRAY[${counts.join(', ')}]::int[] AS met FROM (${first(where, order, GONE_THROUGH[0])}) AS first`,
    values,
  );
  return terms.filter(({ condition }) => row!.met[conditions.indexOf(condition)]! < COMMON);
}

/**
 * The same of those that words mean.
 * What many conversations say is found by walking through the first of them, and so is what few conversations can be meant by; only
 * where those do not fill a page, the index is asked: it knows no order, and is slow where it has much.
 */
export async function searchPage(
  sql: Sql,
  filtered: Where,
  order: Order,
  limit: number,
  { asked, indexed: question }: Words,
): Promise<Row[]> {
  const where = indexed(filtered, await tellingTerms(sql, filtered, order));
  const name = namedLike(where, asked);
  where.values.push(question);
  const words = `$${where.values.length}`;
  for (const bounds of [WALKED, WALKED_FURTHER]) {
    const walk = walked(where, order, bounds, `${name} OR ${saidIn(words)}`, limit + 1);
    const rows = await sql<Row & { all_walked: boolean | null }>(walk, where.values);
    const found = rows.filter(({ id }) => id !== null);
    if (found.length > limit || rows[0]!.all_walked) return found;
    if (found.length * (WALKED_FURTHER.conversations / WALKED.conversations) <= limit) break;
  }
  return sql<Row>(sized(throughIndex(where, order, limit + 1, name, words), order), where.values);
}

/**
 * Of the first conversations, as far as they are not too large to be looked through, those that are `meant`; or one row of nulls.
 * `all_walked`: there are no others; null where the page is full, so that no more is read than fills it.
 */
function walked(
  where: Where,
  order: Order,
  { conversations, bytes }: typeof WALKED,
  meant: string,
  rows: number,
): string {
  const soFar = `sum(${CONVERSATION_BYTES} + ${TURN_WEIGHT} * revision) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)`;
  const found = `SELECT * FROM walked AS conversation WHERE bytes_so_far <= ${bytes} AND (${meant}) ORDER BY ${order} LIMIT ${rows}`;
  return `
    WITH walked AS MATERIALIZED (SELECT *, ${soFar} AS bytes_so_far FROM (${select(where, order, conversations)}) AS conversation)
    SELECT found.*, CASE WHEN count(found.id) OVER () < ${rows} THEN (
        SELECT count(*) < ${conversations} AND COALESCE(max(bytes_so_far) <= ${bytes}, true) FROM walked) END AS all_walked
    FROM (SELECT) AS one LEFT JOIN (${sized(found, order)}) AS found ON true ORDER BY ${order}`;
}

/**
 * What is called so, of the first, and in which it was said, of all. A few are looked up by their keys (OFFSET 0: the planner takes
 * them for many, and would read all conversations of the organisation); of many, the first are met by going through the order.
 */
function throughIndex(where: Where, order: Order, rows: number, name: string, words: string): string {
  const conditions = where.conditions.join(' AND ');
  const end = `ORDER BY ${order} LIMIT ${rows}`;
  const place = order.replaceAll(/ (asc|desc)/gi, '');
  return `
    WITH meant AS MATERIALIZED (${matching(where, order, name, words)}), size AS MATERIALIZED (SELECT count(*) AS ids FROM meant)
    SELECT conversation.* FROM (
      (SELECT place.* FROM meant CROSS JOIN LATERAL (
          SELECT ${place} FROM conversations WHERE ${conditions} AND id = meant.id OFFSET 0) AS place
        WHERE (SELECT ids FROM size) <= ${LOOKED_UP_MAX} ${end})
      UNION ALL
      (SELECT ${place} FROM conversations
        WHERE (SELECT ids FROM size) > ${LOOKED_UP_MAX} AND ${conditions} AND (id IN (SELECT id FROM meant)) IS TRUE ${end})
    ) AS page JOIN conversations AS conversation ON conversation.organization_id = $1 AND conversation.id = page.id`;
}

/** The ids of what is called so, of the first, and of what was said, of all. */
function matching(where: Where, order: Order, name: string, words: string): string {
  return `SELECT id FROM (${select(where, order, NAMED_MAX)}) AS named WHERE ${name} UNION ${saidAnywhere(words)}`;
}

/** Each by its key (OFFSET 0: as above). */
function among({ conditions }: Where, ids: string): string {
  return `(${ids}) AS found (found_id) CROSS JOIN LATERAL (
    SELECT * FROM conversations WHERE ${conditions.join(' AND ')} AND id = found_id OFFSET 0) AS conversation`;
}

/** Of all pages together. */
export async function countMeant(sql: Sql, where: Where, words: Words | undefined) {
  const meant = ({ asked, indexed: question }: Words) => {
    const name = namedLike(where, asked);
    where.values.push(question);
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
