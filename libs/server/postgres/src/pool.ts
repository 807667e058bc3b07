// One pg.Pool for each process.
import pg from 'pg';
import type { Log, Secret } from '@parley/server/runtime';

/** A longer wait for a connection is an outage: the caller gets 503 and may retry. */
const CONNECT_TIMEOUT_MS = 3_000;
/** Limit of a request's query: the request itself ends at 30 s. */
const QUERY_TIMEOUT_MS = 15_000;
const IDLE_TIMEOUT_MS = 30_000;

export interface PoolOptions {
  readonly url: Secret;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly connectionsMax: number;
  /**
   * Postgres ends longer statements. Sent when a connection opens, which a transaction pooler
   * refuses.
   */
  readonly statementMs?: number | undefined;
  readonly log: Log;
}

export function createPool(options: PoolOptions): pg.Pool {
  const types = new pg.TypeOverrides();
  // Counts and sequence numbers are below 2^53, and the code expects numbers.
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
    pipeline: true, // a statement is sent without waiting for the previous one
    types,
  });
  // The server closed a connection. The pool listens only to idle ones: a loss between two
  // statements of a transaction would be an unhandled 'error' and end the process. The next
  // statement fails instead.
  pool.on('connect', (client) => {
    client.on('error', (error) => options.log.warn({ err: error }, 'postgres.connection_lost'));
  });
  pool.on('error', () => undefined); // the pool reports the same loss, and drops the connection
  return pool;
}
