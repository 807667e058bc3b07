// What all three services are built from, started in the order in which it must be stopped in reverse: secrets, database,
// listener, keys. Nothing here knows a product's tables.
import type pg from 'pg';
import { createAuthenticator, createIdentityVerifier, type Product } from '@parley/auth';
import type { Authenticator } from '@parley/http';
import { createMetrics, type Metrics } from '@parley/metrics';
import { createMessageKeys, type MessageKeys } from '@parley/queues';
import { createListener, createPool, inTransaction, sqlOf, type Listener, type Sql } from '@parley/postgres';
import {
  createIds,
  createSealer,
  createSecrets,
  systemClock,
  within,
  type Clock,
  type Ids,
  type Log,
  type Sealer,
  type Secret,
  type Secrets,
  type ServiceName,
  type Starting,
} from '@parley/runtime';
import type { PlatformConfig } from './config.ts';

/** Runs work in one transaction: committed when it returns, rolled back when it throws. */
export type Transact = <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;

export interface Platform<Config extends PlatformConfig = PlatformConfig> {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  /** Seals what is kept in the database, under DATA_KEY. */
  readonly dataSealer: Sealer;
  /** Seals what goes through a queue, under QUEUE_KEY. */
  readonly queueSealer: Sealer;
  /** What messages to and from the other services are signed with, under MESSAGE_KEYS. */
  readonly messageKeys: MessageKeys;
  readonly metrics: Metrics;
  readonly pool: pg.Pool;
  /** Plain SQL on the pool, outside of any transaction. */
  readonly sql: Sql;
  /** For use cases of requests: what waits for longer than one query may take fails. */
  readonly transact: Transact;
  readonly listener: Listener;
  readonly authenticator: Authenticator;
  /** Address of the queue engine: QUEUE_URL, else REDIS_URL, resolved. */
  readonly queueUrl: Secret;
}

/** As long as one query may take (libs/postgres). */
const TRANSACTION_MS_MAX = 15_000;

export async function createPlatform<Config extends PlatformConfig>(
  service: { readonly name: ServiceName; readonly product: Product },
  { config, env, log, life }: Starting<Config>,
): Promise<Platform<Config>> {
  const clock = systemClock;
  const metrics = createMetrics(service.name);
  const stale = metrics.counter(
    'secrets_stale_total',
    'Secrets served from memory because Vault did not answer',
    [],
  );
  const secrets = createSecrets({
    env,
    clock,
    vault:
      config.VAULT_ADDR && config.VAULT_TOKEN
        ? { url: config.VAULT_ADDR, token: config.VAULT_TOKEN }
        : undefined,
    onStale: (reference, error) => {
      stale.inc();
      log.warn({ reference, err: error }, 'secret.stale');
    },
  });

  const databaseUrl = await secrets.resolveUrl(config.DATABASE_URL);
  const pool = createPool({
    url: databaseUrl,
    applicationName: service.name,
    connectionsMax: config.DATABASE_POOL_MAX,
    log,
  });
  life.onStop('database', () => pool.end());
  watchPool(metrics, pool);

  const directUrl = config.DATABASE_DIRECT_URL
    ? await secrets.resolveUrl(config.DATABASE_DIRECT_URL)
    : databaseUrl;
  const listener = createListener({
    url: directUrl.reveal(),
    applicationName: `${service.name} listener`,
    clock,
    log,
  });
  life.onStop('listener', () => listener.close());

  const sql = sqlOf(pool);
  const authenticator = createAuthenticator({
    product: service.product,
    sql,
    listener,
    clock,
    log,
    verifyIdentityToken: await createIdentityVerifier(config, secrets),
  });
  life.onStop('keys', () => authenticator.close());

  return {
    config,
    log,
    clock,
    ids: createIds(clock),
    secrets,
    dataSealer: await createSealer(secrets, config.DATA_KEY),
    queueSealer: await createSealer(secrets, config.QUEUE_KEY),
    messageKeys: await createMessageKeys(secrets, config.MESSAGE_KEYS, {
      service: service.name,
      unsigned: config.MESSAGES_UNSIGNED,
    }),
    metrics,
    pool,
    sql,
    transact: (work) => inTransaction(pool, work, TRANSACTION_MS_MAX),
    listener,
    authenticator,
    queueUrl: await secrets.resolveUrl((config.QUEUE_URL ?? config.REDIS_URL)!), // platformRules demands one of them
  };
}

function watchPool(metrics: Metrics, pool: pg.Pool): void {
  metrics.gauge('database_pool_connections', 'Connections of the pool by state', ['state'], (gauge) => {
    gauge.set({ state: 'idle' }, pool.idleCount);
    gauge.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
    gauge.set({ state: 'waiting' }, pool.waitingCount);
  });
}

/**
 * How long /health and /ready wait for the database. A query on a connection that died silently takes its own time-out (15 s) to
 * fail, and a liveness probe must not take a database that is away for a process that hangs.
 */
const READINESS_TIMEOUT_MS = 3_500;

/** Whether the database answers, and how long it took: the `store` member of /health and the heart of /ready. */
export async function storeReadiness(
  platform: Pick<Platform, 'sql'>,
): Promise<{ ready: boolean; ms: number }> {
  const startedAt = performance.now();
  let ready = true;
  try {
    await within(platform.sql('SELECT 1'), READINESS_TIMEOUT_MS);
  } catch {
    ready = false; // why is in the log of whoever needed the database
  }
  return { ready, ms: Math.round((performance.now() - startedAt) * 10) / 10 };
}
