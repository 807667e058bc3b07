// An order of rows that misses nothing.
//
// A position is a transaction id. Transactions commit in another order than they begin, so
// "everything after the last one" would miss open ones. A read therefore starts at the oldest
// transaction that was open at the last look (`settled`) and skips what was sent before; or it
// covers only rows before that, which never change again.
import type { Sql } from '@parley/server/postgres';

export interface Snapshot {
  /** Every earlier transaction has ended. */
  readonly settled: bigint;
  /** No transaction from here on had begun. */
  readonly next: bigint;
}

/** Take it before you read events: later ones follow from `settled` on. */
export async function readSnapshot(sql: Sql): Promise<Snapshot> {
  const [row] = await sql<{ settled: string; next: string }>(
    `SELECT pg_snapshot_xmin(s)::text AS settled, pg_snapshot_xmax(s)::text AS next FROM pg_current_snapshot() AS s`,
  );
  return { settled: BigInt(row!.settled), next: BigInt(row!.next) };
}
