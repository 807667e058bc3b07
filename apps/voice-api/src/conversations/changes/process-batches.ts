// Applies a change to all conversations that match a filter, in batches, for as long as a request
// may take. The client continues with the cursor (docs/voice-api.md#changing-conversations).
import { decodeCursor, encodeCursor } from '@parley/envelopes';
import type { Reach } from '@parley/server/http';
import { inTransaction, type Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import type { ConversationFilter } from '../lists/filters.ts';
import { withIndexTerms, buildWhere } from '../lists/where.ts';

/** Conversations of one transaction: about ten thousand rows with turns and events. */
const BATCH_MAX = 200;
/** Duration of a request, below its own limit of 30 s. */
const REQUEST_MS = 10_000;
/** The count stops here. */
const MATCHED_MAX = 100_000;

export interface BulkRequest {
  readonly filter: ConversationFilter;
  readonly dry_run: boolean;
  readonly cursor?: string | undefined;
}

interface BulkResult {
  readonly dry_run: boolean;
  readonly matched: number;
  readonly matched_is_at_least?: true;
  /** Of a dry run: those with a legal hold, of the counted ones. */
  readonly held?: number;
  readonly next_cursor: string | null;
}

/** Oldest first, so conversations that are created while it runs come last. */
export async function processBatches(
  deps: Pick<Deps, 'pool' | 'sql' | 'clock'>,
  reach: Reach,
  { filter, dry_run, cursor }: BulkRequest,
  work: (sql: Sql, ids: readonly string[], afterCommit: (then: () => void) => void) => Promise<void>,
): Promise<BulkResult> {
  if (dry_run) return count(deps.sql, reach, filter);
  const until = deps.clock() + REQUEST_MS;
  let after = cursor === undefined ? undefined : decodeCursor(cursor, 'time', 'text');
  let matched = 0;
  do {
    const rows = await readSome(deps.sql, reach, filter, after);
    const ids = rows.map(({ id }) => id);
    const then: (() => void)[] = [];
    if (ids.length > 0) await inTransaction(deps.pool, (sql) => work(sql, ids, (one) => void then.push(one)));
    for (const one of then) one();
    matched += ids.length;
    const last = rows.at(-1);
    if (!last || rows.length < BATCH_MAX) return { dry_run, matched, next_cursor: null };
    after = [last.created_at.getTime(), last.id];
  } while (deps.clock() < until);
  return { dry_run, matched, next_cursor: encodeCursor(after) };
}

function readSome(
  sql: Sql,
  reach: Reach,
  filter: ConversationFilter,
  after: readonly [number, string] | undefined,
): Promise<{ id: string; created_at: Date }[]> {
  const where = withIndexTerms(buildWhere(reach, filter));
  if (after) where.add('(created_at, id) > (?::timestamptz, ?::text)', new Date(after[0]), after[1]);
  return sql(
    `SELECT id, created_at FROM conversations WHERE ${where.conditions.join(' AND ')}
     ORDER BY created_at, id LIMIT ${BATCH_MAX}`,
    where.values,
  );
}

async function count(sql: Sql, reach: Reach, filter: ConversationFilter): Promise<BulkResult> {
  const where = withIndexTerms(buildWhere(reach, filter));
  const [row] = await sql<{ matched: number; held: number }>(
    `SELECT count(*)::int AS matched, count(hold)::int AS held FROM (
       SELECT hold FROM conversations WHERE ${where.conditions.join(' AND ')} LIMIT ${MATCHED_MAX + 1}) AS result`,
    where.values,
  );
  const { matched, held } = row!;
  const result = { dry_run: true, next_cursor: null, held };
  return matched > MATCHED_MAX
    ? { ...result, matched: MATCHED_MAX, matched_is_at_least: true }
    : { ...result, matched };
}
