// GET /v1/conversations (docs/voice-api.md#filters)
import type { z } from 'zod';
import { decodeCursor, encodeCursor, createCursorError, toPage, voiceApiDialect } from '@parley/envelopes';
import type { Caller, Reach } from '@parley/server/http';
import { countFitting, type SizedRow, type Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import type { ConversationRow } from '../conversation-rows.ts';
import { readRedaction } from '../../retention/redaction.ts';
import { toRedactedView } from './conversation-view.ts';
import type { ConversationFilter } from './filters.ts';
import type { conversationListQuery } from './query.ts';
import { parseSearch } from '../../search-text/query.rules.ts';
import { countMatches, readPage, searchPage, toOrder, type Sorting } from './pages.ts';
import { readFound, type ReaderSearch } from './search.ts';
import { withIndexTerms, buildWhere, type Where } from './where.ts';

type Query = z.output<typeof conversationListQuery>;

type Sort = Query['sort'];

const readTime = (name: 'created_at' | 'ended_at') => (row: ConversationRow) => row[name];

/**
 * By `sort`. A conversation whose start was not reported yet has the place of its first report. A
 * late report of the start moves only its own conversation, and always to an earlier place.
 */
const SORTINGS: Readonly<Record<Sort, Omit<Sorting, 'direction'>>> = {
  created_at: { key: 'created_at', type: 'timestamptz', read: readTime('created_at') },
  started_at: {
    key: 'coalesce(started_at, created_at)', // as in its indexes, verbatim
    type: 'timestamptz',
    read: (row) => row.started_at ?? row.created_at,
  },
  ended_at: { key: 'ended_at', type: 'timestamptz', read: readTime('ended_at') },
  duration_seconds: { key: 'duration_seconds', type: 'float8', read: (row) => row.duration_seconds },
  turn_count: { key: 'turn_count', type: 'int4', read: (row) => row.turn_count },
};

/** Newest start first by default. */
export async function listConversations(
  deps: Pick<Deps, 'sql' | 'retentionRules'>,
  caller: Caller,
  query: Query,
) {
  const redaction = await readRedaction(deps, caller);
  const sorting: Sorting = { ...SORTINGS[query.sort], direction: query.order };
  const filter = { ...query, metadata: readMetadataFilter(query) };
  // The statement contains only the given conditions: each combination is prepared and planned by
  // itself.
  const where = buildSortedWhere(caller, filter, query.sort);
  addCursor(where, query);
  const search =
    query.q === undefined ? undefined : { ...parseSearch(caller.organizationId, query.q), redaction };
  const page = search
    ? await listFound(deps.sql, { where, sorting, query, search })
    : toListPage(await readPage(deps.sql, where, toOrder(sorting), query.limit), query, (row) =>
        toRedactedView(redaction, row),
      );
  const total =
    query.total === true
      ? await countMatches(deps.sql, withIndexTerms(buildSortedWhere(caller, filter, query.sort)), search)
      : {};
  return { ...page, ...total };
}

function toListPage<Item>(
  rows: readonly (ConversationRow & SizedRow)[],
  query: Query,
  toItem: (row: ConversationRow) => Item,
) {
  const shownCount = countFitting(rows, query.limit);
  const page = toPage(rows, shownCount, (row) => toCursorKey(row, query), toItem);
  return voiceApiDialect.page(page);
}

interface Search {
  readonly where: Where;
  readonly sorting: Sorting;
  readonly query: Query;
  readonly search: ReaderSearch;
}

/** `partial`: the page is not full, and its cursor goes on where its bounded work ended. */
async function listFound(sql: Sql, { where, sorting, query, search }: Search) {
  const { rows, found, last } = await searchPage(sql, where, sorting, query.limit, search);
  const searched = rows.slice(0, query.limit).filter((row) => row.searched);
  const shown = await readFound(sql, String(where.values[0]), searched, search);
  const page = toListPage(rows, query, (row) => ({
    ...toRedactedView(search.redaction, row),
    found: (row.searched ? shown : found).get(row.id) ?? [],
  }));
  const isPartial = page.next_cursor === null && last !== undefined;
  return isPartial ? { ...page, next_cursor: encodeCursor(toCursorKey(last, query)), partial: true } : page;
}

function buildSortedWhere(reach: Reach, filter: ConversationFilter, sort: Query['sort']): Where {
  const where = buildWhere(reach, filter);
  if (sort === 'ended_at' || sort === 'duration_seconds') where.bound(`${sort} IS NOT NULL`);
  if (sort === 'turn_count') where.bound('due_at IS NULL'); // as in its index, verbatim
  if (sort === 'started_at') {
    const { started_after: after, started_before: before } = filter;
    if (after) where.bound(`${SORTINGS[sort].key} >= ?`, after);
    if (before) where.bound(`${SORTINGS[sort].key} < ?`, before);
  }
  return where;
}

function readMetadataFilter(query: Query): Record<string, string> {
  const named = Object.entries(query).filter(([name]) => name.startsWith('metadata.'));
  return Object.fromEntries(named.map(([name, value]) => [name.slice('metadata.'.length), value as string]));
}

/** A cursor of one order is an error in another one. */
const toCursorName = ({ sort, order }: Pick<Query, 'sort' | 'order'>): string =>
  order === 'asc' ? `${sort} asc` : sort;

function addCursor(where: Where, { cursor, sort, order }: Query): void {
  if (cursor === undefined) return;
  const compare = `(${SORTINGS[sort].key}, id) ${order === 'asc' ? '>' : '<'}`;
  if (sort === 'created_at') {
    const [ms, id] = decodeCursor(cursor, 'time', 'text');
    return where.bound(`${compare} (?::timestamptz, ?::text)`, new Date(ms), id);
  }
  const [name, place, id] = decodeCursor(cursor, 'text', 'number', 'text');
  if (name !== toCursorName({ sort, order })) throw createCursorError();
  const { type } = SORTINGS[sort];
  where.bound(`${compare} (?::${type}, ?::text)`, type === 'timestamptz' ? new Date(place) : place, id);
}

function toCursorKey(row: ConversationRow, { sort, order }: Query): (string | number)[] {
  const place = SORTINGS[sort].read(row) ?? row.created_at;
  const key = [place instanceof Date ? place.getTime() : place, row.id];
  return sort === 'created_at' ? key : [toCursorName({ sort, order }), ...key];
}
