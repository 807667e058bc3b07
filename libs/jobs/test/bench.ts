// Shared by the integration tests of this library: two services with a database each, a queue
// engine between them, and ways to take it away.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import pg from 'pg';
import { createPool, inTransaction, sqlOf, type Sql } from '@parley/server/postgres';
import {
  createIds,
  createLog,
  createSealer,
  createSecrets,
  Secret,
  type Log,
  type Sealer,
} from '@parley/server/runtime';
import { capturedLog, createTestDatabase, eventually, testQueue, type CapturedLog } from '@parley/testing';
import { toSchemaName } from '../src/engine/engine-postgres.ts';
import {
  createInbox,
  createMessageKeys,
  createOutbox,
  openQueues,
  PARTIES,
  SERVICES,
  type Effect,
  type WrittenMessages,
  type InboxOptions,
  type JobOutcome,
  type MessageKeys,
  type OutgoingMessage,
  type QueueRecorder,
  type Queues,
  type Service,
} from '../src/index.ts';

export const ENGINES = ['redis', 'postgres'] as const;
export type EngineKind = (typeof ENGINES)[number];

/** Enough for a worker on a loaded machine, few enough that a stop in a test is quick. */
const CONCURRENCY = 10;

const READY_WITHIN_MS = 15_000;

/** One key for every process of a test. */
export const KEYRING = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

/** The keys of a service. All pairs share one key here. */
export function messageKeysOf(service: Service): Promise<MessageKeys> {
  const env = { KEYS: PARTIES.map((party) => `${party}=${KEYRING}`).join('\n') };
  return createMessageKeys(createSecrets({ env, clock: Date.now }), 'env://KEYS', service);
}

export interface Bench {
  readonly url: string;
  /** Different in every test. */
  prefix: string;
  readonly log: Log;
  readonly logged: CapturedLog;
  readonly sealer: Sealer;
  readonly messageKeys: Readonly<Record<Service, MessageKeys>>;
  /** The databases of the producer (flow-builder) and the consumer (voice-api). */
  readonly producing: pg.Pool;
  readonly consuming: pg.Pool;
  readonly consumingUrl: string;
  /** Outcomes of all jobs so far, without acknowledgements. */
  readonly outcomes: JobOutcome[];
  /** Queues whose worker was replaced. */
  readonly restarts: string[];
  /** How far the test's clock is ahead of the real one. */
  aheadMs: number;
  now(): number;
  openQueues(url?: string): Queues;
  /**
   * The same once the engine answers: on a busy machine a new Postgres schema takes longer than any
   * producer waits.
   */
  openReadyQueues(url?: string): Promise<Queues>;
  outbox(queues: Queues): ReturnType<typeof createOutbox>;
  /** Commits messages without enqueueing them. */
  commit(queues: Queues, messages: readonly OutgoingMessage[]): Promise<WrittenMessages>;
  /**
   * Starts a consumer of conversation.event. The default effect inserts into the table `effects`.
   */
  consume(queues: Queues, options?: ConsumeOptions): Consumer;
  effects(): Promise<string[]>;
  outboxRows(): Promise<{ id: string; rings: number; next_ring_at: Date; payload: string }[]>;
  /** Deletes all jobs, as a flushed server does. */
  wipeEngine(): Promise<void>;
  /** Everything that the engine holds, as text. */
  readEngine(): Promise<string>;
  /** Runs at the end of the test, last registered first. */
  onClose(close: () => Promise<unknown>): void;
  /** Ends a test: closes what it opened, and empties the tables. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export interface ConsumeOptions {
  readonly effect?: Effect<'conversation.event'>;
  /** Where acknowledgements go. Default: the consumer's own queues. */
  readonly acksTo?: Queues;
  readonly messageKeys?: MessageKeys;
  readonly leaseMs?: number;
  readonly graceMs?: number;
  readonly onQuarantine?: InboxOptions['onQuarantine'];
}

export interface Consumer {
  close(): Promise<void>;
}

export const writeEffect: Effect<'conversation.event'> = async (sql, payload, context) => {
  await sql('INSERT INTO effects (message_id, event_id) VALUES ($1, $2)', [context.messageId, payload.id]);
};

/** A message like those of the flow builder. */
export function conversationEvent(id: string, data: Record<string, unknown> = {}): OutgoingMessage {
  const occurredAt = '2026-11-20T18:00:00Z';
  const payload = {
    id,
    type: 'conversation.started' as const,
    conversation_id: 'c1',
    occurred_at: occurredAt,
    data,
  };
  return { contract: 'conversation.event', organizationId: 'acme', payload };
}

export async function openBench(kind: EngineKind): Promise<Bench> {
  const testEnds: (() => Promise<unknown>)[] = [];
  const fileEnds: (() => Promise<unknown>)[] = [];
  const onClose = (close: () => Promise<unknown>) => void testEnds.push(close);
  const runAll = async (ends: (() => Promise<unknown>)[]) => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  const database = async (service: Parameters<typeof createTestDatabase>[0]) => {
    const made = await createTestDatabase(service);
    fileEnds.push(() => made.drop());
    return made.url;
  };
  const logged = capturedLog();
  const log = createLog({ service: 'test', level: 'debug', destination: logged });
  const pool = (url: string) => {
    const made = createPool({
      url: new Secret(url),
      applicationName: 'test',
      connectionsMax: CONCURRENCY,
      log,
    });
    fileEnds.push(() => made.end());
    return made;
  };
  const producing = pool(await database('flow-builder'));
  const consumingUrl = await database('voice-api');
  const consuming = pool(consumingUrl);
  await consuming.query('CREATE TABLE effects (message_id text NOT NULL, event_id text NOT NULL)');
  const { url: redisUrl, prefix: firstPrefix } = testQueue();
  const url = kind === 'redis' ? redisUrl : await database('notifications');

  const sealer = await createSealer(
    createSecrets({ env: { QUEUE_KEY: KEYRING }, clock: Date.now }),
    'env://QUEUE_KEY',
  );
  const messageKeys = Object.fromEntries(
    await Promise.all(SERVICES.map(async (service) => [service, await messageKeysOf(service)] as const)),
  ) as Record<Service, MessageKeys>;
  const outcomes: JobOutcome[] = [];
  const restarts: string[] = [];
  const ids = createIds();
  const clock = () => bench.now();

  const outbox = (queues: Queues) =>
    createOutbox({
      service: 'flow-builder',
      pool: producing,
      queues,
      sealer,
      messageKeys: messageKeys['flow-builder'],
      ids,
      clock,
    });

  const bench: Bench = {
    url,
    prefix: firstPrefix,
    log,
    logged,
    sealer,
    messageKeys,
    producing,
    consuming,
    consumingUrl,
    outcomes,
    restarts,
    aheadMs: 0,
    now: () => Date.now() + bench.aheadMs,
    openQueues: (at = url) => {
      const recorder: QueueRecorder = {
        onJob: ({ job, outcome }) => void (job === 'outbox.ack' || outcomes.push(outcome)),
        onRestart: ({ queue }) => void restarts.push(queue),
      };
      const queues = openQueues({ url: new Secret(at), prefix: bench.prefix, clock, log, recorder });
      onClose(() => queues.close());
      return queues;
    },
    openReadyQueues: async (at) => {
      const queues = bench.openQueues(at);
      await eventually(() => queues.ready(), { timeoutMs: READY_WITHIN_MS });
      return queues;
    },
    outbox,
    commit: (queues, messages) => inTransaction(producing, (sql) => outbox(queues).write(sql, messages)),
    consume: (queues, options = {}) => {
      const {
        effect = writeEffect,
        acksTo = queues,
        leaseMs = 10_000,
        graceMs = 10_000,
        onQuarantine,
      } = options;
      const inbox = createInbox({
        service: 'voice-api',
        pool: consuming,
        queues: acksTo,
        sealer,
        messageKeys: options.messageKeys ?? messageKeys['voice-api'],
        ids,
        clock,
        log,
        ...(onQuarantine ? { onQuarantine } : {}),
      });
      const route = inbox.consume('conversation.event', effect);
      const worker = queues.worker('conversation-events', [route], {
        concurrency: CONCURRENCY,
        leaseMs,
        graceMs,
      });
      const close = async () => {
        await worker.close();
        await inbox.close();
      };
      onClose(close);
      return { close };
    },
    effects: async () => {
      const rows = await sqlOf(consuming)<{ event_id: string }>(
        'SELECT event_id FROM effects ORDER BY event_id',
      );
      return rows.map((row) => row.event_id);
    },
    outboxRows: () => sqlOf(producing)('SELECT id, rings, next_ring_at, payload FROM outbox ORDER BY id'),
    wipeEngine: () => (kind === 'redis' ? wipeRedis(url, bench.prefix) : wipePostgres(url, bench.prefix)),
    readEngine: () => (kind === 'redis' ? readRedis(url, bench.prefix) : readPostgres(url, bench.prefix)),
    onClose,
    reset: async () => {
      await runAll(testEnds);
      await producing.query('TRUNCATE outbox');
      await consuming.query('TRUNCATE inbox, effects');
      outcomes.length = 0;
      restarts.length = 0;
      bench.aheadMs = 0;
      bench.prefix = testQueue().prefix;
    },
    close: () => runAll(fileEnds),
  };
  return bench;
}

async function onRedis<T>(url: string, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

async function keysOf(redis: Redis, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of redis.scanStream({ match: `${prefix}:*`, count: 1_000 }))
    keys.push(...(page as string[]));
  return keys;
}

function wipeRedis(url: string, prefix: string): Promise<void> {
  return onRedis(url, async (redis) => {
    for (const key of await keysOf(redis, prefix)) await redis.unlink(key);
  });
}

function readRedis(url: string, prefix: string): Promise<string> {
  return onRedis(url, async (redis) => {
    const readers: Record<string, (key: string) => Promise<unknown>> = {
      string: (key) => redis.get(key),
      hash: (key) => redis.hgetall(key),
      list: (key) => redis.lrange(key, 0, -1),
      set: (key) => redis.smembers(key),
      zset: (key) => redis.zrange(key, '0', '-1'),
      stream: (key) => redis.xrange(key, '-', '+'),
    };
    const texts: string[] = [];
    for (const key of await keysOf(redis, prefix)) {
      const read = readers[await redis.type(key)];
      texts.push(key, JSON.stringify(await read?.(key)));
    }
    return texts.join('\n');
  });
}

async function onPostgres<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(sqlOf(client));
  } finally {
    await client.end();
  }
}

async function wipePostgres(url: string, prefix: string): Promise<void> {
  const schema = pg.escapeIdentifier(toSchemaName(prefix));
  await onPostgres(url, (sql) => sql(`TRUNCATE ${schema}.job, ${schema}.event, ${schema}.meta CASCADE`));
}

async function readPostgres(url: string, prefix: string): Promise<string> {
  const schema = pg.escapeIdentifier(toSchemaName(prefix));
  return onPostgres(url, async (sql) => {
    const rows = await sql(
      `SELECT data::text, opts::text, failed_reason, stacktrace::text FROM ${schema}.job`,
    );
    return JSON.stringify([rows, await sql(`SELECT data::text FROM ${schema}.event`)]);
  });
}

export interface Gate {
  /** The same server, through the gate. */
  readonly url: string;
  /** Breaks every connection and refuses new ones. */
  shut(): Promise<void>;
  open(): Promise<void>;
}

/** A proxy to a server that can be shut: the engine is away for clients of the proxy. */
export async function openGate(bench: Bench): Promise<Gate> {
  const target = new URL(bench.url);
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    const outgoing = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const shut = async () => {
    if (!server.listening) return;
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  bench.onClose(shut);
  const through = new URL(bench.url);
  through.host = `127.0.0.1:${port}`;
  return { url: through.href, shut, open: () => listen(port) };
}
