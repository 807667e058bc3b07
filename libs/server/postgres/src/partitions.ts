// Keeps the time partitions of a table: creates weeks ahead and drops old ones
// (docs/scale.md#partitions).
import type pg from 'pg';
import { firstIdAt, type Log } from '@parley/server/runtime';
import { inBatches, type BatchLimits } from './in-batches.ts';
import {
  parseBounds,
  planPartitions,
  readLaterMs,
  toEarlier,
  toLater,
  type Partition,
  writeChanges,
  type PartitionedTable,
} from './partitions.rules.ts';
import { inTransaction, type Sql } from './sql.ts';

/**
 * Statements of the table wait as long for a change that waits for a long reader. The next call
 * tries again.
 */
const LOCK_WAIT_MS = 500;
/** SQLSTATE lock_not_available. */
const LOCKED = '55P03';

/**
 * Creates missing partitions and drops those that hold only rows from before `keptFromMs`.
 * Concurrent calls of several processes are one. Returns the names of dropped partitions.
 */
export async function keepPartitions(
  { pool, log }: { readonly pool: pg.Pool; readonly log: Log },
  table: PartitionedTable,
  times: { readonly nowMs: number; readonly keptFromMs: number },
): Promise<readonly string[]> {
  try {
    return await inTransaction(pool, async (sql) => {
      const [lock] = await sql<{ held: boolean }>(
        'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS held',
        [`partitions of ${table.table}`],
      );
      if (!lock!.held) return [];
      const plan = planPartitions(table, await readPartitions(sql, table), times);
      if (plan.drop.length + plan.create.length === 0) return [];
      await sql("SELECT set_config('lock_timeout', $1, true)", [`${LOCK_WAIT_MS}ms`]);
      for (const statement of writeChanges(table, plan, await readOptions(sql, table))) await sql(statement);
      log.info({ table: table.table, ...plan }, 'partitions.changed');
      return plan.drop;
    });
  } catch (error) {
    if ((error as { code?: unknown }).code !== LOCKED) throw error;
    log.info({ table: table.table }, 'partitions.locked');
    return [];
  }
}

/**
 * Deletes old rows of the first partition, which has those from before the table was partitioned.
 * Returns their number.
 */
export function trimEarlier(
  sql: Sql,
  { table, key, prefix }: PartitionedTable,
  keptFromMs: number,
  limits: BatchLimits,
): Promise<number> {
  const earlier = toEarlier(table);
  return inBatches(limits, (limit) =>
    sql(
      `DELETE FROM ${earlier} WHERE ${key} IN (
         SELECT ${key} FROM ${earlier} WHERE ${key} < $1 ORDER BY ${key} LIMIT ${limit}
       ) RETURNING 1 AS one`,
      [firstIdAt(prefix, keptFromMs)],
    ),
  );
}

/** Seconds until rows fall into the last partition. Negative: they do. */
export async function readSecondsAhead(sql: Sql, table: PartitionedTable, nowMs: number): Promise<number> {
  return (readLaterMs(await readPartitions(sql, table)) - nowMs) / 1000;
}

async function readPartitions(sql: Sql, { table }: PartitionedTable): Promise<Partition[]> {
  const rows = await sql<{ name: string; bounds: string }>(
    `SELECT child.relname AS name, pg_get_expr(child.relpartbound, child.oid) AS bounds
     FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid WHERE inhparent = $1::text::regclass`,
    [table],
  );
  return rows.map(({ name, bounds }) => ({ name, ...parseBounds(bounds) }));
}

/** Storage parameters of a partition, such as a fill factor: a partitioned table has none. */
async function readOptions(sql: Sql, { table }: PartitionedTable): Promise<string> {
  const [row] = await sql<{ options: string | null }>(
    `SELECT array_to_string(reloptions, ', ') AS options FROM pg_class WHERE oid = $1::text::regclass`,
    [toLater(table)],
  );
  return row!.options === null ? '' : ` WITH (${row!.options})`;
}
