// An order of rows that misses nothing.
//
// A position is a transaction id, with the number of the epoch above it.
// Transactions commit in another order than they begin, so
// "everything after the last one" would miss open ones. A read therefore starts at the oldest
// transaction that was open at the last look (`settled`) and skips what was sent before; or it
// covers only rows before that, which never change again.
import type { Sql } from '@parley/server/postgres';
import { beginEpoch, type Epochs } from './positions.rules.ts';

export interface Snapshot {
  /** Every earlier transaction has ended. */
  readonly settled: bigint;
  /** No transaction from here on had begun. */
  readonly next: bigint;
  readonly epochs: Epochs;
}

/**
 * SQL: the position of the transaction that writes. The epoch is read in that transaction, since a
 * standby can be promoted behind a pooler while this process keeps its connections.
 */
export const WRITTEN_BY = '(SELECT (current_epoch()::bigint << 48) + pg_current_xact_id()::text::bigint)';

/** Take it before you read events: later ones follow from `settled` on. */
export async function readSnapshot(sql: Sql): Promise<Snapshot> {
  const [row] = await sql<{ number: number; settled: string; next: string; epochs: number[] }>(
    `SELECT current_epoch() AS number, pg_snapshot_xmin(s)::text AS settled, pg_snapshot_xmax(s)::text AS next,
       (SELECT array_agg((extract(epoch FROM raised_at) * 1000)::float8 ORDER BY number) FROM database_epochs) AS epochs
     FROM pg_current_snapshot() AS s`,
  );
  const { number, settled, next, epochs } = row!;
  // This very look has raised the epoch, and does not see its row.
  if (epochs.length <= number) return readSnapshot(sql);
  const begin = beginEpoch(number);
  return { settled: begin + BigInt(settled), next: begin + BigInt(next), epochs };
}

/**
 * After a restore that Postgres does not show. Waits for transactions that write under the epoch
 * before: their rows must not appear behind those of the new one. In a transaction of the caller.
 */
export async function raiseEpoch(sql: Sql): Promise<number> {
  await sql('LOCK TABLE database_epochs IN ACCESS EXCLUSIVE MODE');
  await sql('SELECT current_epoch() AS number');
  const [row] = await sql<{ number: number }>(
    `INSERT INTO database_epochs (number, raised_at, system_identifier, timeline, server)
     SELECT number + 1, clock_timestamp(), system_identifier, timeline, server FROM database_epochs
     ORDER BY number DESC LIMIT 1 RETURNING number`,
  );
  return row!.number;
}
