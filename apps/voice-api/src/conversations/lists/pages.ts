// Reads pages of conversations, with or without a search (docs/voice-api.md#search), for lists and
// exports.
import { countFitting, boundBytesSql, type SizedRow, type Sql } from '@parley/server/postgres';
import type { ConversationRow } from '../conversation-rows.ts';
import { buildIndexMatch, buildTurnMatch, type ParsedSearch } from './search.ts';
import { withIndexTerms, buildNameMatch, type Term, type Where } from './where.ts';

/** Rows to scan before using the index of terms. Scans further while it finds more. */
const SCAN_STEPS = [200, 1_000, 5_000, 25_000] as const;
/** A term that so many of the first 200 rows have is common: its index excludes little. */
const COMMON_COUNT_MIN = 10;
/** Rows, and bytes of their turns, to scan in list order before using the index of turns. */
const SHORT_SCAN = { conversations: 200, bytes: 200_000 };
/** A longer scan where it probably fills the page: a word in one conversation of seventy. */
const LONG_SCAN = { conversations: 4_000, bytes: 2_000_000 };
/** Overhead of a turn. */
const TURN_WEIGHT = 100;
/** Index matches that are looked up one by one. More matches occur early in list order. */
const LOOKED_UP_MAX = 2_000;
/** Conversations behind the cursor whose ids, addresses and metadata are searched. */
const NAMED_MAX = 10_000;
/** The count stops here. */
const TOTAL_MAX = 100_000;

/** Columns that an order may read. */
const PLACE = 'created_at, started_at, ended_at, duration_seconds, turn_count, id';

type Row = ConversationRow & SizedRow;

/** The terms after ORDER BY. */
export type Order = string;
export const NEWEST_FIRST: Order = 'created_at DESC, id DESC';

const select = ({ conditions }: Where, order: Order, limit: number) =>
  `SELECT * FROM conversations WHERE ${conditions.join(' AND ')} ORDER BY ${order} LIMIT ${limit}`;

const sized = (statement: string, order: Order) =>
  boundBytesSql(
    statement,
    'octet_length(metadata::text) + octet_length(facts::text) + COALESCE(octet_length(analysis::text), 0) + COALESCE(octet_length(summary), 0)',
    order,
  );

/**
 * Returns as many rows as `countFitting` allows, and one more if there is one.
 * Scanning the first rows finds frequent matches: for correlated filters the planner expects too
 * few rows and would sort all matches. The index finds rare matches.
 */
export async function readPage(sql: Sql, where: Where, order: Order, limit: number): Promise<Row[]> {
  let found = 0;
  if (where.conditions.length > where.bounds.length)
    for (const count of SCAN_STEPS) {
      const statement = `SELECT * FROM (${first(where, order, count)}) AS first
        WHERE ${where.conditions.join(' AND ')} ORDER BY ${order} LIMIT ${limit + 1}`;
      const rows = await sql<Row>(sized(statement, order), where.values);
      if (countFitting(rows, limit) < rows.length) return rows;
      if (rows.length === found) break;
      found = rows.length;
    }
  const rareTerms = await findRareTerms(sql, where, order);
  const whole = withIndexTerms(where, rareTerms.length > 0 ? rareTerms : where.terms);
  return sql<Row>(sized(select(whole, order, limit + 1), order), whole.values);
}

const first = ({ bounds }: Where, order: Order, count: number) =>
  `SELECT * FROM conversations WHERE ${bounds.join(' AND ')} ORDER BY ${order} LIMIT ${count}`;

/** Terms that are not common among the first rows. A single term is used in any case. */
async function findRareTerms(sql: Sql, where: Where, order: Order): Promise<readonly Term[]> {
  const { conditions, terms, values } = where;
  if (terms.length < 2) return terms;
  const counts = conditions.map((condition) => `count(*) FILTER (WHERE ${condition})`);
  const [row] = await sql<{ met: number[] }>(
    `SELECT ARRAY[${counts.join(', ')}]::int[] AS met FROM (${first(where, order, SCAN_STEPS[0])}) AS first`,
    values,
  );
  return terms.filter(({ condition }) => row!.met[conditions.indexOf(condition)]! < COMMON_COUNT_MIN);
}

/**
 * A page of search results. Scanning the first rows finds frequent words and small sets of
 * candidates. Otherwise the index is used, which has no order and is slow for many matches.
 */
export async function searchPage(
  sql: Sql,
  filtered: Where,
  order: Order,
  limit: number,
  { text, indexed: question }: ParsedSearch,
): Promise<Row[]> {
  const where = withIndexTerms(filtered, await findRareTerms(sql, filtered, order));
  const name = buildNameMatch(where, text);
  where.values.push(question);
  const words = `$${where.values.length}`;
  for (const bounds of [SHORT_SCAN, LONG_SCAN]) {
    const walk = buildScan(where, order, bounds, `${name} OR ${buildTurnMatch(words)}`, limit + 1);
    const rows = await sql<Row & { all_walked: boolean | null }>(walk, where.values);
    const found = rows.filter(({ id }) => id !== null);
    if (found.length > limit || rows[0]!.all_walked) return found;
    if (found.length * (LONG_SCAN.conversations / SHORT_SCAN.conversations) <= limit) break;
  }
  return sql<Row>(sized(buildIndexSearch(where, order, limit + 1, name, words), order), where.values);
}

/**
 * Scans the first conversations up to a byte limit and returns those that match; one row of nulls
 * if there is none. `all_walked` is true if no others exist, and null if the page is full, so that
 * a full page reads no further.
 */
function buildScan(
  where: Where,
  order: Order,
  { conversations, bytes }: typeof SHORT_SCAN,
  matches: string,
  rows: number,
): string {
  const soFar = `sum(bytes + ${TURN_WEIGHT} * revision) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)`;
  const found = `SELECT * FROM walked AS conversation WHERE bytes_so_far <= ${bytes} AND (${matches}) ORDER BY ${order} LIMIT ${rows}`;
  return `
    WITH walked AS MATERIALIZED (SELECT *, ${soFar} AS bytes_so_far FROM (${select(where, order, conversations)}) AS conversation)
    SELECT found.*, CASE WHEN count(found.id) OVER () < ${rows} THEN (
        SELECT count(*) < ${conversations} AND COALESCE(max(bytes_so_far) <= ${bytes}, true) FROM walked) END AS all_walked
    FROM (SELECT) AS one LEFT JOIN (${sized(found, order)}) AS found ON true ORDER BY ${order}`;
}

/**
 * Matches by name among the first conversations, and by words among all. Few matches are looked up
 * by key (OFFSET 0 keeps the planner from reading all conversations). Many matches are found by
 * scanning in list order.
 */
function buildIndexSearch(where: Where, order: Order, rows: number, name: string, words: string): string {
  const conditions = where.conditions.join(' AND ');
  const end = `ORDER BY ${order} LIMIT ${rows}`;
  return `
    WITH matches AS MATERIALIZED (${buildMatches(where, order, name, words)}), size AS MATERIALIZED (SELECT count(*) AS ids FROM matches)
    SELECT conversation.* FROM (
      (SELECT place.* FROM matches CROSS JOIN LATERAL (
          SELECT ${PLACE} FROM conversations WHERE ${conditions} AND id = matches.id OFFSET 0) AS place
        WHERE (SELECT ids FROM size) <= ${LOOKED_UP_MAX} ${end})
      UNION ALL
      (SELECT ${PLACE} FROM conversations
        WHERE (SELECT ids FROM size) > ${LOOKED_UP_MAX} AND ${conditions} AND (id IN (SELECT id FROM matches)) IS TRUE ${end})
    ) AS page JOIN conversations AS conversation ON conversation.organization_id = $1 AND conversation.id = page.id`;
}

/** Ids that match by name among the first conversations, and by words among all. */
function buildMatches(where: Where, order: Order, name: string, words: string): string {
  return `SELECT id FROM (${select(where, order, NAMED_MAX)}) AS named WHERE ${name} UNION ${buildIndexMatch(words)}`;
}

/** Looks up each match by key (OFFSET 0 as above). */
function buildLookups({ conditions }: Where, ids: string): string {
  return `(${ids}) AS found (found_id) CROSS JOIN LATERAL (
    SELECT * FROM conversations WHERE ${conditions.join(' AND ')} AND id = found_id OFFSET 0) AS conversation`;
}

/** Counts the matches of all pages. */
export async function countMatches(sql: Sql, where: Where, words: ParsedSearch | undefined) {
  const matches = ({ text, indexed: question }: ParsedSearch) => {
    const name = buildNameMatch(where, text);
    where.values.push(question);
    return buildLookups(where, buildMatches(where, NEWEST_FIRST, name, `$${where.values.length}`));
  };
  const rows = words ? matches(words) : `conversations WHERE ${where.conditions.join(' AND ')}`;
  const [row] = await sql<{ total: number }>(
    `SELECT count(*)::int AS total FROM (
       SELECT 1 FROM ${rows} LIMIT ${TOTAL_MAX + 1}) AS counted`,
    where.values,
  );
  return row!.total > TOTAL_MAX ? { total: TOTAL_MAX, total_is_at_least: true } : { total: row!.total };
}
