// BullMQ on its own PostgreSQL backend: the default where there is no Redis
// (docs/platform.md#queue-engines).
//
// BullMQ caches a failed first connection and never retries it. So the engine waits until Postgres
// answers, migrates its schema, and only then opens producers and workers.
import { within, firstAnswer, throttleLog, retryUntilSuccess } from '@parley/server/runtime';
import { createHash } from 'node:crypto';
import { PostgresConnection, PostgresQueueBackend, Queue, runMigrations } from 'bullmq';
import pg from 'pg';
import {
  COMMAND_TIMEOUT_MS,
  EVENT_STREAM_LENGTH_MAX,
  FIRST_ANSWER_MS,
  RECONNECT_AFTER_MS,
  STALLS_MAX,
  WatchedWorker,
  watchWorker,
  withinBytes,
  type Engine,
  type EngineOptions,
} from './engine.ts';

/**
 * Connections that the producers of a process share. Each worker has as many, besides its listener.
 */
const PRODUCER_CONNECTIONS_MAX = 3;
const WORKER_CONNECTIONS_MAX = 3;
/**
 * For connecting and for each answer. It delays a worker after a network failure, so it counts
 * towards the 15 s (docs/platform.md#workers-that-work).
 */
const WORKER_TIMEOUT_MS = 4_000;
/** How long services that start together wait for the one that migrates. */
const MIGRATION_TIMEOUT_MS = 30_000;
/**
 * With BullMQ's default (5 s) a worker at its limit sleeps a whole delay
 * (docs/performance.md#queues).
 */
const DRAIN_DELAY_SECONDS = 1;

/**
 * Schema for a prefix: the PostgreSQL backend has no key prefix. `$` replaces `-`, which a schema
 * name may not contain; prefixes never contain `$`.
 */
export function toSchemaName(prefix: string): string {
  const schema = `q_${prefix.replaceAll('-', '$')}`;
  if (schema.length <= 63) return schema; // Postgres cuts longer names (NAMEDATALEN)
  return `q_${createHash('sha256').update(prefix).digest('hex').slice(0, 40)}`;
}

export function openPostgresEngine({ url, prefix, log }: EngineOptions): Engine {
  const schema = toSchemaName(prefix);
  const answered = firstAnswer();
  const queues = new Map<string, Queue>();
  const stopping = new AbortController();
  let state = '';
  let producer: PostgresConnection | undefined;

  const becomes = (next: 'ready' | 'away', error?: unknown) => {
    answered.now();
    if (next === state || stopping.signal.aborted) return;
    state = next;
    if (next === 'ready') log.info({ engine: 'postgres' }, 'queue.engine_ready');
    else log.warn({ engine: 'postgres', err: error }, 'queue.engine_away');
  };

  /**
   * Returns a connection that has answered. After a failure BullMQ's cached error goes with the
   * connection.
   */
  async function connect(max: number, timeoutMs: number): Promise<PostgresConnection> {
    const connection = new PostgresConnection({
      connectionString: url.reveal(),
      schema,
      max,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      keepAlive: true,
    });
    // the server closed an idle connection; the pool opens another one
    connection.on('error', () => undefined);
    try {
      await connection.waitUntilReady();
      return connection;
    } catch (error) {
      await connection.close().catch(() => undefined); // it never opened
      throw error;
    }
  }

  async function migrate(): Promise<void> {
    const client = new pg.Client({
      connectionString: url.reveal(),
      connectionTimeoutMillis: COMMAND_TIMEOUT_MS,
      query_timeout: MIGRATION_TIMEOUT_MS,
    });
    client.on('error', () => undefined); // the broken query is rejected as well
    try {
      await client.connect();
      await runMigrations(client, schema);
    } finally {
      await client.end();
    }
  }

  /**
   * Resolves with the producers' connection once Postgres answers, or with undefined when closed
   * before.
   */
  const started = retryUntilSuccess(
    async () => {
      await migrate();
      producer = await connect(PRODUCER_CONNECTIONS_MAX, COMMAND_TIMEOUT_MS);
      becomes('ready');
      return producer;
    },
    {
      everyMs: RECONNECT_AFTER_MS,
      signal: stopping.signal,
      onFailure: (error) => becomes('away', error),
    },
  );

  async function answering(): Promise<PostgresConnection | undefined> {
    if (!producer) await within(answered.promise, FIRST_ANSWER_MS).catch(() => undefined);
    return stopping.signal.aborted ? undefined : producer;
  }

  return {
    kind: 'postgres',
    ready: async () => {
      const connection = await answering();
      if (!connection) return false;
      return connection.pool.query('SELECT 1').then(
        () => true,
        () => false,
      );
    },
    queue: async (name) => {
      const connection = await answering();
      if (!connection) return undefined;
      let queue = queues.get(name);
      if (!queue) {
        const backend = () => new PostgresQueueBackend(connection, name, { connection: {} }, false);
        queue = new Queue(
          name,
          { connection: {}, streams: { events: { maxLen: EVENT_STREAM_LENGTH_MAX } } },
          backend as never,
        );
        queue.on('error', () => undefined); // each command reports its failure to its caller
        queues.set(name, queue);
      }
      return queue;
    },
    work: (name, processor, { concurrency, leaseMs }) => {
      const report = throttleLog((error: unknown) =>
        log.warn({ err: error, queue: name }, 'queue.worker_error'),
      );
      const closing = new AbortController();
      const openedAtMs = performance.now();
      let worker: WatchedWorker | undefined;
      const options = {
        connection: {},
        concurrency,
        lockDuration: leaseMs,
        stalledInterval: leaseMs / 2,
        maxStalledCount: STALLS_MAX,
        drainDelay: DRAIN_DELAY_SECONDS,
        runRetryDelay: RECONNECT_AFTER_MS,
      };
      const opening = started.then(() =>
        retryUntilSuccess(
          async () => {
            const connection = await connect(WORKER_CONNECTIONS_MAX, WORKER_TIMEOUT_MS);
            const backend = () => new PostgresQueueBackend(connection, name, options, true, name);
            worker = new WatchedWorker(
              name,
              withinBytes(processor, concurrency, () => worker!),
              options,
              backend as never,
            );
            watchWorker(worker, log);
            return worker;
          },
          {
            everyMs: RECONNECT_AFTER_MS,
            signal: AbortSignal.any([closing.signal, stopping.signal]),
            onFailure: report,
          },
        ),
      );
      return {
        fetchedAtMs: () => worker?.fetchedAtMs ?? openedAtMs,
        abandon: () => {
          closing.abort();
          void worker?.close(true).catch(() => undefined);
          void worker?.backend.close(true).catch(() => undefined);
        },
        close: async () => {
          closing.abort();
          if (!producer) return; // Postgres never answered: there is no worker
          await (await opening)?.close();
        },
      };
    },
    close: async () => {
      stopping.abort();
      await started;
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      await producer?.close();
    },
  };
}
