// GET /v1/conversations (docs/voice-api.md#filters)
import type { z } from 'zod';
import { decodeCursor, createCursorError, toPage, voiceApiDialect } from '@parley/envelopes';
import type { Caller, Reach } from '@parley/server/http';
import { countFitting } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import type { ConversationRow } from '../conversation-rows.ts';
import { toConversationView } from './conversation-view.ts';
import type { ConversationFilter } from './filters.ts';
import type { conversationListQuery } from './query.ts';
import { countMatches, readPage, searchPage, type Order } from './pages.ts';
import { readFound, parseSearch } from './search.ts';
import { withIndexTerms, buildWhere, type Where } from './where.ts';

type Query = z.output<typeof conversationListQuery>;

/**
 * By `sort`. A conversation whose start was not reported yet has the place of its first report. A
 * late report of the start moves only its own conversation, and always to an earlier place.
 */
const SORT_KEYS: Readonly<Record<Query['sort'], string>> = {
  created_at: 'created_at',
  started_at: 'coalesce(started_at, created_at)', // as in its indexes, verbatim
  ended_at: 'ended_at',
  duration_seconds: 'duration_seconds',
  turn_count: 'turn_count',
};

/** Newest start first by default. */
export async function listConversations(deps: Pick<Deps, 'sql'>, caller: Caller, query: Query) {
  const { organizationId } = caller;
  const { sort, order: direction } = query;
  const order: Order = `${SORT_KEYS[sort]} ${direction}, id ${direction}`;
  const filter = { ...query, metadata: readMetadataFilter(query) };
  // The statement contains only the given conditions: each combination is prepared and planned by
  // itself.
  const where = buildSortedWhere(caller, filter, sort);
  addCursor(where, query);

  const words = query.q === undefined ? undefined : await parseSearch(deps.sql, organizationId, query.q);
  const rows = words
    ? await searchPage(deps.sql, where, order, query.limit, words)
    : await readPage(deps.sql, where, order, query.limit);
  const shownCount = countFitting(rows, query.limit);
  const found = words
    ? await readFound(
        deps.sql,
        organizationId,
        rows.slice(0, shownCount).map(({ id }) => id),
        words,
      )
    : undefined;
  const page = toPage(
    rows,
    shownCount,
    (row) => toCursorKey(row, query),
    (row) => ({ ...toConversationView(row), ...(found ? { found: found.get(row.id) ?? [] } : {}) }),
  );
  const total =
    query.total === true
      ? await countMatches(deps.sql, withIndexTerms(buildSortedWhere(caller, filter, sort)), words)
      : {};
  return { ...voiceApiDialect.page(page), ...total };
}

function buildSortedWhere(reach: Reach, filter: ConversationFilter, sort: Query['sort']): Where {
  const where = buildWhere(reach, filter);
  if (sort === 'ended_at' || sort === 'duration_seconds') where.bound(`${sort} IS NOT NULL`);
  if (sort === 'turn_count') where.bound('due_at IS NULL'); // as in its index, verbatim
  if (sort === 'started_at') {
    const { started_after: after, started_before: before } = filter;
    if (after) where.bound(`${SORT_KEYS[sort]} >= ?`, after);
    if (before) where.bound(`${SORT_KEYS[sort]} < ?`, before);
  }
  return where;
}

function readMetadataFilter(query: Query): Record<string, string> {
  const named = Object.entries(query).filter(([name]) => name.startsWith('metadata.'));
  return Object.fromEntries(named.map(([name, value]) => [name.slice('metadata.'.length), value as string]));
}

const PLACE_TYPES = { duration_seconds: 'float8', turn_count: 'int4' } as const;

/** A cursor of one order is an error in another one. */
const toCursorName = ({ sort, order }: Pick<Query, 'sort' | 'order'>): string =>
  order === 'asc' ? `${sort} asc` : sort;

function addCursor(where: Where, { cursor, sort, order }: Query): void {
  if (cursor === undefined) return;
  const compare = `(${SORT_KEYS[sort]}, id) ${order === 'asc' ? '>' : '<'}`;
  if (sort === 'created_at') {
    const [ms, id] = decodeCursor(cursor, 'time', 'text');
    return where.bound(`${compare} (?::timestamptz, ?::text)`, new Date(ms), id);
  }
  const [name, place, id] = decodeCursor(cursor, 'text', 'number', 'text');
  if (name !== toCursorName({ sort, order })) throw createCursorError();
  const [type, value] =
    sort in PLACE_TYPES
      ? [PLACE_TYPES[sort as keyof typeof PLACE_TYPES], place]
      : ['timestamptz', new Date(place)];
  where.bound(`${compare} (?::${type}, ?::text)`, value, id);
}

function toCursorKey(row: ConversationRow, { sort, order }: Query): (string | number)[] {
  const place = row[sort] ?? row.created_at;
  const key = [place instanceof Date ? place.getTime() : place, row.id];
  return sort === 'created_at' ? key : [toCursorName({ sort, order }), ...key];
}
