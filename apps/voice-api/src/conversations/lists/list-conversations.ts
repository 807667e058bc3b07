// GET /v1/conversations (docs/voice-api.md#filters)
import { z } from 'zod';
import { decodeCursor, toPage, voiceApiDialect } from '@parley/envelopes';
import type { Caller, Reach } from '@parley/http';
import { fitting, withinBytes, type SizedRow, type Sql } from '@parley/postgres';
import type { Deps } from '../../deps.ts';
import type { ConversationRow } from '../conversation-rows.ts';
import { conversationView } from './conversation-view.ts';
import type { ConversationFilter } from './filters.ts';
import type { conversationListQuery } from './query.ts';
import { readFound, saidAnywhere, saidEarly, wordsOf, type Words } from './search.ts';
import { namedLike, whereOf, type Where } from './where.ts';

/** Conversations looked through in their order, before the index of turns is asked. */
const EARLY_MAX = 200;
/** Conversations behind the cursor whose ids, addresses and metadata are looked at for a part of them. */
const NAMED_MAX = 10_000;
/** Counting ends there. */
const TOTAL_MAX = 100_000;

type Query = z.output<typeof conversationListQuery>;
type Row = ConversationRow & SizedRow;

const cursorOf = {
  created_at: z.tuple([z.int().min(0), z.string()]),
  other: z.tuple([z.string(), z.number(), z.string()]),
};

/** How a page is ordered. A conversation without the time that it is ordered by is not in the list. */
interface Order {
  readonly sort: Query['sort'];
  readonly by: string;
}

/**
 * By default newest first, by when we heard of them: that never changes, so pages are stable under new conversations. A conversation
 * that has not started is in no range of started_after and started_before.
 */
export async function listConversations(deps: Pick<Deps, 'sql'>, caller: Caller, query: Query) {
  const { organizationId } = caller;
  const { sort, order: direction } = query;
  const order: Order = { sort, by: `${sort} ${direction}, id ${direction}` };
  const filter = { ...query, metadata: metadataOf(query) };
  // Only what is asked for is in the statement: each combination is planned (and prepared) for itself.
  const where = sortable(caller, filter, sort);
  startBehind(where, query);

  const words = query.q === undefined ? undefined : await wordsOf(deps.sql, organizationId, query.q);
  const rows = words
    ? await search(deps.sql, where, order, query, words)
    : await readPage(deps.sql, where, order, query.limit);
  const shown = fitting(rows, query.limit);
  const found = words
    ? await readFound(
        deps.sql,
        organizationId,
        rows.slice(0, shown).map(({ id }) => id),
        words,
      )
    : undefined;
  const page = toPage(
    rows,
    shown,
    (row) => placeOf(row, sort),
    (row) => ({ ...conversationView(row), ...(found ? { found: found.get(row.id) ?? [] } : {}) }),
  );
  const total =
    query.total === true ? await count(deps.sql, sortable(caller, filter, sort), query.q, words) : {};
  return { ...voiceApiDialect.page(page), ...total };
}

function sortable(reach: Reach, filter: ConversationFilter, sort: Query['sort']): Where {
  const where = whereOf(reach, filter);
  if (sort !== 'created_at') where.add(`${sort} IS NOT NULL`);
  return where;
}

function metadataOf(query: Query): Record<string, string> {
  const named = Object.entries(query).filter(([name]) => name.startsWith('metadata.'));
  return Object.fromEntries(named.map(([name, value]) => [name.slice('metadata.'.length), value as string]));
}

function startBehind(where: Where, { cursor, sort, order }: Query): void {
  if (cursor === undefined) return;
  const compare = `(${sort}, id) ${order === 'asc' ? '>' : '<'}`;
  if (sort === 'created_at') {
    const [ms, id] = decodeCursor(cursor, cursorOf.created_at);
    return where.add(`${compare} (?::timestamptz, ?::text)`, new Date(ms), id);
  }
  const [, place, id] = decodeCursor(
    cursor,
    cursorOf.other.refine(([name]) => name === sort),
  );
  const [type, value] =
    sort === 'duration_seconds' ? ['float8', place] : ['timestamptz', new Date(Math.max(0, place))];
  where.add(`${compare} (?::${type}, ?::text)`, value, id);
}

function placeOf(row: ConversationRow, sort: Query['sort']): (string | number)[] {
  const place = row[sort];
  const key = [place instanceof Date ? place.getTime() : (place ?? 0), row.id];
  return sort === 'created_at' ? key : [sort, ...key];
}

const select = ({ conditions }: Where, { by }: Order, limit: number) =>
  `SELECT * FROM conversations WHERE ${conditions.join(' AND ')} ORDER BY ${by} LIMIT ${limit}`;

const sized = (statement: string, { by }: Order) =>
  withinBytes(
    statement,
    'octet_length(metadata::text) + octet_length(facts::text) + COALESCE(octet_length(analysis::text), 0) + COALESCE(octet_length(summary), 0)',
    by,
  );

function readPage(sql: Sql, where: Where, order: Order, limit: number): Promise<Row[]> {
  return sql<Row>(sized(select(where, order, limit + 1), order), where.values);
}

/**
 * What many conversations say is found by walking through the first of them; only where those do not fill a page, the index is
 * asked: it knows no order, and is slow where it has much.
 */
async function search(
  sql: Sql,
  where: Where,
  order: Order,
  { q, limit }: Query,
  { indexed }: Words,
): Promise<Row[]> {
  const name = namedLike(where, q!);
  where.values.push(indexed);
  const words = `$${where.values.length}`;
  const end = `ORDER BY ${order.by} LIMIT ${limit + 1}`;
  const early = `SELECT * FROM (${select(where, order, EARLY_MAX)}) AS conversation WHERE ${name} OR ${saidEarly(words)} ${end}`;
  const rows = await sql<Row>(sized(early, order), where.values);
  if (rows.length > limit) return rows;
  const anywhere = `SELECT conversation.* FROM ${among(where, matching(where, order, name, words))} ${end}`;
  return sql<Row>(sized(anywhere, order), where.values);
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
async function count(sql: Sql, where: Where, q: string | undefined, words: Words | undefined) {
  const newest: Order = { sort: 'created_at', by: 'created_at DESC, id DESC' };
  const meant = ({ indexed }: Words) => {
    const name = namedLike(where, q!);
    where.values.push(indexed);
    return among(where, matching(where, newest, name, `$${where.values.length}`));
  };
  const rows = words ? meant(words) : `conversations WHERE ${where.conditions.join(' AND ')}`;
  const [row] = await sql<{ total: number }>(
    `SELECT count(*)::int AS total FROM (
       SELECT 1 FROM ${rows} LIMIT ${TOTAL_MAX + 1}) AS counted`,
    where.values,
  );
  return row!.total > TOTAL_MAX ? { total: TOTAL_MAX, total_is_at_least: true } : { total: row!.total };
}
