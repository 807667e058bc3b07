// Reads pages of conversations, with or without a search (docs/voice-api.md#search), for lists and
// exports.
import { countFitting, boundBytesSql, type SizedRow, type Sql } from '@parley/server/postgres';
import type { ConversationRow } from '../conversation-rows.ts';
import {
  buildIndexMatch,
  buildWordMatch,
  isIndexed,
  searchTexts,
  UNSEARCHED_MAX,
  type ReaderSearch,
  type Unsearched,
} from './search.ts';
import { withIndexTerms, buildNameMatch, type Term, type Where } from './where.ts';

/** Rows to scan before using the index of terms. Scans further while it finds more. */
const SCAN_STEPS = [200, 1_000, 5_000, 25_000] as const;
/** A term that so many of the first 200 rows have is common: its index excludes little. */
const COMMON_COUNT_MIN = 10;
/** Rows, and bytes of their turns, that are searched in list order before the index is used. */
const SHORT_SCAN = { conversations: 200, bytes: 1_000_000 };
/** A longer scan where it probably fills the page: a word in one conversation of seventy. */
const LONG_SCAN = { conversations: 4_000, bytes: 8_000_000 };
/** Overhead of a turn. */
const TURN_WEIGHT = 100;
/** Candidates that are looked up one by one. More are found by scanning in list order. */
const LOOKED_UP_MAX = 20_000;
/** Candidates of a page whose documents are read. */
const EXAMINED_MAX = 1_000;
/** Conversations behind the cursor whose ids, addresses and metadata are searched. */
const NAMED_MAX = 10_000;
/** Candidates that a count examines. */
const COUNTED_MAX = 10_000;
/** The count stops here. */
const TOTAL_MAX = 100_000;

type Row = ConversationRow & SizedRow;

/** The terms after ORDER BY. */
export type Order = string;

/** What a list is sorted by, besides the id. */
export interface Sorting {
  /** An expression, verbatim as in its index, and its type. */
  readonly key: string;
  readonly type: 'timestamptz' | 'float8' | 'int4';
  readonly direction: 'asc' | 'desc';
  readonly read: (row: ConversationRow) => Date | number | null;
}

export const NEWEST_FIRST: Sorting = {
  key: 'created_at',
  type: 'timestamptz',
  direction: 'desc',
  read: (row) => row.created_at,
};

export const toOrder = ({ key, direction }: Sorting): Order => `${key} ${direction}, id ${direction}`;

/** Restricts a list to what is not behind this row. */
function boundUntil(where: Where, { key, type, direction, read }: Sorting, row: ConversationRow): void {
  where.bound(`(${key}, id) ${direction === 'asc' ? '<=' : '>='} (?::${type}, ?::text)`, read(row), row.id);
}

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

/** A page of search results. */
export interface FoundPage {
  /** As many rows as `countFitting` allows, and one more if there is one. */
  readonly rows: readonly Row[];
  /** What was found in conversations without a document. */
  readonly found: Unsearched['found'];
  /** The page ends here although it is not full, as its work is bounded. */
  readonly last: ConversationRow | undefined;
}

/**
 * Scanning the first rows finds frequent words and small sets of candidates. Otherwise the index is
 * used, which has no order. It finds candidates, whose documents are read in list order.
 */
export async function searchPage(
  sql: Sql,
  filtered: Where,
  sorting: Sorting,
  limit: number,
  search: ReaderSearch,
): Promise<FoundPage> {
  const order = toOrder(sorting);
  const where = withIndexTerms(filtered, await findRareTerms(sql, filtered, order));
  const unsearched = await searchUnsearched(sql, where, order, search);
  const { found, last } = unsearched;
  if (last) boundUntil(where, sorting, last);
  const valueCount = where.values.length;
  const matches = buildMatches(where, search, unsearched);
  for (const bounds of [SHORT_SCAN, LONG_SCAN]) {
    const walk = buildScan(where, order, bounds, matches.condition, limit + 1);
    const rows = await readRows<Row & { all_walked: boolean | null }>(sql, walk, where.values);
    const met = rows.filter(({ id }) => id !== null);
    if (met.length > limit) return { rows: met, found, last: undefined };
    if (rows[0]!.all_walked) return { rows: met, found, last };
    if (bounds === LONG_SCAN && !isIndexed(search)) {
      const statement = buildScanEnd(where, order, bounds);
      const [end] = await readRows<ConversationRow>(sql, statement, where.values.slice(0, valueCount));
      return { rows: met, found, last: end };
    }
    const isRare = met.length * (LONG_SCAN.conversations / SHORT_SCAN.conversations) <= limit;
    if (isRare && isIndexed(search)) break;
  }
  return { found, ...(await searchIndex(sql, where, sorting, { limit, last, search, matches })) };
}

/** A statement that is put together at run time. */
const readRows = <Found>(sql: Sql, statement: string, values: readonly unknown[]): Promise<Found[]> =>
  sql<Found>(statement, values);

/** Searches the first conversations that have no document. */
async function searchUnsearched(
  sql: Sql,
  where: Where,
  order: Order,
  search: ReaderSearch,
): Promise<Unsearched> {
  const conditions = [...where.conditions, 'NOT searched'];
  const rows = await readRows<ConversationRow>(
    sql,
    select({ ...where, conditions }, order, UNSEARCHED_MAX.conversations + 1),
    where.values,
  );
  return searchTexts(sql, String(where.values[0]), rows, search);
}

/** Conditions with the numbers of their values in `where`. */
interface Matches {
  /** A `conversation` matches by name or by words. */
  readonly condition: string;
  readonly name: string;
  /** The ids of those without a document that match by words. */
  readonly found: string;
}

function buildMatches(where: Where, search: ReaderSearch, { found }: Unsearched): Matches {
  const name = buildNameMatch(where, search.text);
  const ids = `$${where.values.push([...found.keys()])}::text[]`;
  const condition = `(${name} OR conversation.id = ANY(${ids}) OR ${buildWordMatch(where, search)})`;
  return { condition, name, found: ids };
}

/**
 * Scans the first conversations up to a byte limit and returns those that match; one row of nulls
 * if there is none. `all_walked` is true if no others exist, and null if the page is full, so that
 * a full page reads no further.
 */
function buildScan(
  where: Where,
  order: Order,
  bounds: typeof SHORT_SCAN,
  matches: string,
  rows: number,
): string {
  const { conversations, bytes } = bounds;
  const found = `SELECT * FROM walked AS conversation WHERE bytes_so_far <= ${bytes} AND (${matches}) ORDER BY ${order} LIMIT ${rows}`;
  return `
    WITH walked AS MATERIALIZED (${buildWalk(where, order, bounds)})
    SELECT found.*, CASE WHEN count(found.id) OVER () < ${rows} THEN (
        SELECT count(*) < ${conversations} AND COALESCE(max(bytes_so_far) <= ${bytes}, true) FROM walked) END AS all_walked
    FROM (SELECT) AS one LEFT JOIN (${sized(found, order)}) AS found ON true ORDER BY ${order}`;
}

function buildWalk(where: Where, order: Order, { conversations }: typeof SHORT_SCAN): string {
  const soFar = `sum(bytes + ${TURN_WEIGHT} * revision) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)`;
  return `SELECT *, ${soFar} AS bytes_so_far FROM (${select(where, order, conversations)}) AS conversation`;
}

/** The last conversation that a scan reads; the first one in any case, so that pages go on. */
function buildScanEnd(where: Where, order: Order, bounds: typeof SHORT_SCAN): string {
  return `SELECT * FROM (SELECT walked.*, row_number() OVER (ORDER BY ${order}) AS nth FROM (${buildWalk(where, order, bounds)}) AS walked) AS numbered
    WHERE bytes_so_far <= ${bounds.bytes} OR nth = 1 ORDER BY nth DESC LIMIT 1`;
}

interface IndexSearch {
  readonly limit: number;
  readonly last: ConversationRow | undefined;
  readonly search: ReaderSearch;
  readonly matches: Matches;
}

async function searchIndex(
  sql: Sql,
  where: Where,
  sorting: Sorting,
  { limit, last, search, matches }: IndexSearch,
): Promise<Omit<FoundPage, 'found'>> {
  const candidates = buildCandidates(where, toOrder(sorting), search, matches);
  const statement = buildIndexSearch(where, sorting, {
    rows: limit + 1,
    candidates,
    matches: matches.condition,
  });
  const rows = await readRows<Row & { is_match: boolean; nth: number }>(
    sql,
    sized(statement, toOrder(sorting)),
    where.values,
  );
  const met = rows.filter((row) => row.is_match);
  const end = rows.find(({ nth }) => nth === EXAMINED_MAX);
  return { rows: met, last: met.length > limit ? undefined : (end ?? last) };
}

/**
 * Examines the first candidates in list order: the matches, and the last candidate that may be
 * examined. Few candidates are looked up by key (OFFSET 0 keeps the planner from reading all
 * conversations), many are found by scanning in list order.
 */
function buildIndexSearch(
  where: Where,
  sorting: Sorting,
  {
    rows,
    candidates,
    matches,
  }: { readonly rows: number; readonly candidates: string; readonly matches: string },
): string {
  const conditions = where.conditions.join(' AND ');
  const order = `place_key ${sorting.direction}, id ${sorting.direction}`;
  const examine = (source: string) => `
    (SELECT organization_id, id, place_key, nth, is_match FROM (
      SELECT conversation.*, ${matches} AS is_match FROM (
        SELECT first.*, (row_number() OVER ())::int AS nth FROM (${source}) AS first) AS conversation OFFSET 0) AS examined
     WHERE is_match OR nth = ${EXAMINED_MAX} LIMIT ${rows})`;
  const few = `(SELECT ids FROM size) <= ${LOOKED_UP_MAX}`;
  const looked = `SELECT place.* FROM candidates CROSS JOIN LATERAL (
      SELECT *, ${sorting.key} AS place_key FROM conversations WHERE ${conditions} AND id = candidates.id OFFSET 0) AS place
    WHERE ${few} ORDER BY ${order} LIMIT ${EXAMINED_MAX}`;
  const scanned = `SELECT *, ${sorting.key} AS place_key FROM conversations
    WHERE ${conditions} AND NOT ${few} AND (id IN (SELECT id FROM candidates)) IS TRUE ORDER BY ${toOrder(sorting)} LIMIT ${EXAMINED_MAX}`;
  return `
    WITH candidates AS MATERIALIZED (${candidates}), size AS MATERIALIZED (SELECT count(*) AS ids FROM candidates)
    SELECT conversation.*, page.nth, page.is_match
    FROM (${examine(looked)} UNION ALL ${examine(scanned)}) AS page
    JOIN conversations AS conversation ON conversation.organization_id = page.organization_id AND conversation.id = page.id
    ORDER BY ${toOrder(sorting)} LIMIT ${rows}`;
}

/** Ids that match by name among the first conversations, and those that the index finds. */
function buildCandidates(where: Where, order: Order, search: ReaderSearch, { name, found }: Matches): string {
  const names = `SELECT id FROM (${select(where, order, NAMED_MAX)}) AS named WHERE ${name} UNION SELECT unnest(${found})`;
  return search.groups.length === 0 ? names : `${names} UNION ${buildIndexMatch(where, search)}`;
}

interface Counted {
  readonly total: number;
  readonly candidates: number;
}

/** Counts the matches of all pages. */
export async function countMatches(sql: Sql, where: Where, search: ReaderSearch | undefined) {
  if (search) return countFound(sql, where, search);
  const statement = `SELECT count(*)::int AS total FROM (
    SELECT 1 FROM conversations WHERE ${where.conditions.join(' AND ')} LIMIT ${TOTAL_MAX + 1}) AS counted`;
  const [row] = await readRows<Omit<Counted, 'candidates'>>(sql, statement, where.values);
  return row!.total > TOTAL_MAX ? { total: TOTAL_MAX, total_is_at_least: true } : { total: row!.total };
}

/** Counts among the first candidates. */
async function countFound(sql: Sql, where: Where, search: ReaderSearch) {
  const order = toOrder(NEWEST_FIRST);
  const unsearched = await searchUnsearched(sql, where, order, search);
  const matches = buildMatches(where, search, unsearched);
  const candidates = isIndexed(search)
    ? buildCandidates(where, order, search, matches)
    : `SELECT id FROM (${select(where, order, COUNTED_MAX + 1)}) AS first`;
  const statement = `
    WITH candidates AS MATERIALIZED (SELECT id AS found_id FROM (${candidates}) AS every LIMIT ${COUNTED_MAX + 1})
    SELECT count(*)::int AS total, (SELECT count(*)::int FROM candidates) AS candidates
    FROM candidates CROSS JOIN LATERAL (
      SELECT * FROM conversations WHERE ${where.conditions.join(' AND ')} AND id = found_id OFFSET 0) AS conversation
    WHERE ${matches.condition}`;
  const [row] = await readRows<Counted>(sql, statement, where.values);
  const isAtLeast = unsearched.last !== undefined || row!.candidates > COUNTED_MAX;
  return { total: row!.total, ...(isAtLeast ? { total_is_at_least: true } : {}) };
}
