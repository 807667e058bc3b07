// One pg.Pool a process.
import pg from 'pg';
import type { Log, Secret } from '@parley/runtime';

/** Longer than this without a connection is an outage: the caller gets 503 and may come back. */
const CONNECT_TIMEOUT_MS = 3_000;
/** No query of a request may take longer: the request itself ends at 30 s. */
const QUERY_TIMEOUT_MS = 15_000;
const IDLE_TIMEOUT_MS = 30_000;

export interface PoolOptions {
  readonly url: Secret;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly connectionsMax: number;
  /** Postgres ends a statement that takes longer. Sent when a connection is opened, which a transaction pooler refuses. */
  readonly statementMs?: number | undefined;
  readonly log: Log;
}

export function createPool(options: PoolOptions): pg.Pool {
  const types = new pg.TypeOverrides();
  // Counts and sequence numbers: all below 2^53, and a number is what the code expects.
  types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({
    connectionString: options.url.reveal(),
    application_name: options.applicationName,
    max: options.connectionsMax,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    statement_timeout: options.statementMs,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    pipeline: true, // a statement is sent without waiting for the one before it
    types,
  });
  // A connection that the server closed. The pool listens while it is idle only: lost between two statements of a
  // transaction, its 'error' would have no listener and end the process. The transaction's next statement fails.
  pool.on('connect', (client) => {
    client.on('error', (error) => options.log.warn({ err: error }, 'postgres.connection_lost'));
  });
  pool.on('error', () => undefined); // the same loss, told by the pool as well: it drops the connection
  return pool;
}
