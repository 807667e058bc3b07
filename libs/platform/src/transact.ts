// One transaction, for use cases through Prisma and for the shared libraries through plain SQL.
import { sqlOfPrisma, type Sql } from '@parley/postgres';

/** A transaction waits this long for a connection; longer is an outage (503). */
const WAIT_MS = 3_000;
/** No use case holds a transaction longer than one query may take. */
const TIMEOUT_MS = 15_000;

export type Transact<Tx> = <T>(work: (tx: Tx, sql: Sql) => Promise<T>) => Promise<T>;

type PrismaTransaction = Parameters<typeof sqlOfPrisma>[0];

/** `db` is a service's Prisma client. Committed when `work` returns, rolled back when it throws. */
export function transactWith<Tx extends PrismaTransaction>(db: {
  $transaction<T>(work: (tx: Tx) => Promise<T>, options: { maxWait: number; timeout: number }): Promise<T>;
}): Transact<Tx> {
  return (work) =>
    db.$transaction((tx) => work(tx, sqlOfPrisma(tx)), { maxWait: WAIT_MS, timeout: TIMEOUT_MS });
}
