// An order of rows that misses nothing.
//
// A place is a transaction id. Transactions commit in another order than they begin, so "everything after the last one I saw" would miss
// those that were still open. Read is therefore everything from the oldest transaction that was open at the last look (`settled`), and
// what was told before is passed over; or only what lies before it, which never changes again.
import type { Sql } from '@parley/postgres';

export interface Snapshot {
  /** Every transaction before it has ended. */
  readonly settled: bigint;
  /** No transaction from here on had begun. */
  readonly next: bigint;
}

/** Taken before the events are read: what is not in them comes from `settled` on. */
export async function readSnapshot(sql: Sql): Promise<Snapshot> {
  const [row] = await sql<{ settled: string; next: string }>(
    `SELECT pg_snapshot_xmin(s)::text AS settled, pg_snapshot_xmax(s)::text AS next FROM pg_current_snapshot() AS s`,
  );
  return { settled: BigInt(row!.settled), next: BigInt(row!.next) };
}
