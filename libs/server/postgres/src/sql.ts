// Runs one SQL statement on the pool or on a client in a transaction. Shared libraries (keys,
// idempotency, outbox) take an `Sql`, so they join any transaction.
import { createHash } from 'node:crypto';
import type pg from 'pg';
import { isPostgresUnavailable, noteRefusal } from './unavailable.ts';

/** Runs one statement and returns its rows. `values` fill $1, $2, …; arrays are Postgres arrays. */
export type Sql = <Row = Record<string, unknown>>(
  text: string,
  values?: readonly unknown[],
) => Promise<Row[]>;

/**
 * Statements on a pool or client are prepared once a connection, under a name derived from their
 * text.
 */
const statementNames = (() => {
  const names = new WeakMap<object, Map<string, string>>();
  return (owner: object, text: string): string => {
    let known = names.get(owner);
    if (!known) names.set(owner, (known = new Map<string, string>()));
    let name = known.get(text);
    if (name === undefined) {
      name = `s${createHash('sha256').update(text).digest('base64url').slice(0, 20)}`;
      known.set(text, name);
    }
    return name;
  };
})();

/**
 * `untilMs` (`performance.now()`): limits the wait for an answer, besides the connection's own
 * limit.
 */
export function sqlOf(connection: pg.Pool | pg.PoolClient | pg.Client, untilMs?: number): Sql {
  return async <Row>(text: string, values: readonly unknown[] = []) => {
    const statement = {
      name: statementNames(connection, text),
      text,
      values: values as unknown[],
      query_timeout: untilMs === undefined ? undefined : Math.max(1, untilMs - performance.now()),
    };
    try {
      const result = await connection.query(statement);
      return result.rows as Row[];
    } catch (error) {
      noteRefusal(error);
      throw error;
    }
  };
}

/**
 * Runs `work` in one transaction on a connection of the pool: commits when it returns, rolls back
 * when it throws. Statements without an answer `withinMs` of the beginning fail, and the
 * transaction with them.
 * @throws Error when `work` returns although a statement failed: Postgres has rolled back by then.
 */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (sql: Sql) => Promise<T>,
  withinMs?: number,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    const begun = client.query('BEGIN'); // sent together with the first statement
    begun.catch(() => undefined); // the connection is lost, and so is that statement
    const result = await work(sqlOf(client, withinMs && performance.now() + withinMs));
    await begun;
    const { command } = await client.query('COMMIT');
    // Postgres answers COMMIT of a failed transaction with ROLLBACK, and no error.
    if (command !== 'COMMIT')
      throw new Error('the transaction was rolled back: a failed statement was ignored');
    return result;
  } catch (error) {
    // On a doubtful connection ROLLBACK might wait for the hanging statement; closing rolls back
    // too.
    if (isPostgresUnavailable(error)) broken = error as Error;
    else await client.query('ROLLBACK').catch((rollbackError: Error) => (broken = rollbackError));
    throw error;
  } finally {
    client.release(broken); // a connection that could not roll back is closed, not reused
  }
}
