// What all three services are built from, started in the order in which it must be stopped in reverse: secrets, database,
// listener, keys. Nothing here knows a product's tables.
import { hostname } from 'node:os';
import type pg from 'pg';
import { raise, type RaisedAlert } from '@parley/alerts';
import { COUNTED_KEYS, createAuthenticator, createIdentityVerifier, type Product } from '@parley/auth';
import type { Authenticator } from '@parley/http';
import { createLimits, type Limits, type ServiceLimits } from '@parley/limits';
import { createMetrics, type Metrics } from '@parley/metrics';
import { createMessageKeys, type MessageKeys } from '@parley/queues';
import {
  createDatabaseClock,
  createListener,
  createPool,
  inTransaction,
  sqlOf,
  type DatabaseClock,
  type Listener,
  type PoolOptions,
  type Sql,
} from '@parley/postgres';
import {
  createIds,
  createSealer,
  createSecrets,
  ignoreFailure,
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
import { watchStore, type Store } from './store.ts';

/** Runs work in one transaction: committed when it returns, rolled back when it throws. */
export type Transact = <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;

export interface Platform<Config extends PlatformConfig = PlatformConfig> {
  readonly config: Config;
  readonly log: Log;
  /** The database's time. */
  readonly clock: Clock;
  readonly databaseClock: Pick<DatabaseClock, 'isRight' | 'aheadMs'>;
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
  /** What the pool connects to: for a thread, which needs a connection of its own. */
  readonly database: Pick<PoolOptions, 'url' | 'statementMs'>;
  /** Plain SQL on the pool, outside of any transaction. */
  readonly sql: Sql;
  /** For use cases of requests: what waits for longer than one query may take fails. */
  readonly transact: Transact;
  readonly listener: Listener;
  readonly authenticator: Authenticator;
  /** Raises an alert of the installation as a whole, for OPERATOR_ORGANIZATION. Never throws. */
  readonly alertOperators: (alert: RaisedAlert) => Promise<void>;
  /** How much an organisation may ask, and have. */
  readonly limits: Limits;
  /** Whether the database answers, as of a second ago. */
  readonly store: Store;
  /** Address of the queue engine: QUEUE_URL, else REDIS_URL, resolved. */
  readonly queueUrl: Secret;
}

/** As long as one query may take (libs/postgres). */
const TRANSACTION_MS_MAX = 15_000;
/** Postgres ends a statement of a process that only answers requests after this long: whoever asked has to wait for it. */
const REQUEST_STATEMENT_MS_MAX = 10_000;
/** Where workers run too: a second before the client gives it up, since Postgres would go on with what nobody waits for. */
const STATEMENT_MS_MAX = 14_000;

export async function createPlatform<Config extends PlatformConfig>(
  service: { readonly name: ServiceName; readonly product: Product } & ServiceLimits,
  { config, env, log, life }: Starting<Config>,
): Promise<Platform<Config>> {
  const databaseClock = createDatabaseClock();
  life.onStop('clock', () => databaseClock.close());
  const clock = databaseClock.now;
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
  const directUrl = config.DATABASE_DIRECT_URL
    ? await secrets.resolveUrl(config.DATABASE_DIRECT_URL)
    : databaseUrl;
  const isPooled = new URL(directUrl.reveal()).host !== new URL(databaseUrl.reveal()).host;
  const database = {
    url: databaseUrl,
    // A transaction pooler refuses the parameter: behind one the role has it (k8s/README.md).
    statementMs: isPooled ? undefined : config.ROLE === 'http' ? REQUEST_STATEMENT_MS_MAX : STATEMENT_MS_MAX,
  };
  const pool = createPool({
    ...database,
    applicationName: service.name,
    connectionsMax: config.DATABASE_POOL_MAX,
    log,
  });
  life.onStop('database', () => pool.end());
  watchPool(metrics, pool);

  const listener = createListener({
    url: directUrl.reveal(),
    applicationName: `${service.name} listener`,
    clock,
    log,
  });
  life.onStop('listener', () => listener.close());

  const sql = sqlOf(pool);
  const operators = config.OPERATOR_ORGANIZATION;
  const alertOperators = async (alert: RaisedAlert) => {
    if (operators !== undefined) await ignoreFailure(raise(sql, operators, alert), 'an alert is lost', log);
  };
  await watchClock({ databaseClock, sql, metrics, log }, service.name, alertOperators);
  const store = await watchStore(sql);
  life.onStop('store probe', () => store.close());
  const keyFetches = metrics.counter(
    'identity_key_fetches_total',
    'Times the keys of the identity provider were asked for',
    ['outcome'],
  );
  const authenticator = createAuthenticator({
    product: service.product,
    sql,
    listener,
    clock,
    log,
    verifyIdentityToken: await createIdentityVerifier(config, secrets, {
      clock,
      log,
      count: (outcome) => keyFetches.inc({ outcome }),
    }),
  });
  life.onStop('keys', () => authenticator.close());

  const queueUrl = await secrets.resolveUrl((config.QUEUE_URL ?? config.REDIS_URL)!); // platformRules demands one of them
  const transact: Transact = (work) => inTransaction(pool, work, TRANSACTION_MS_MAX);
  const limits = await createLimits({
    ...service,
    counted: { ...service.counted, api_keys: COUNTED_KEYS },
    service: service.name,
    sql,
    transact,
    listener,
    clock,
    log,
    metrics,
    queueUrl,
    queuePrefix: config.QUEUE_PREFIX,
  });
  life.onStop('limits', () => limits.close());

  return {
    config,
    log,
    clock,
    databaseClock,
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
    database,
    sql,
    transact,
    listener,
    authenticator,
    alertOperators,
    limits,
    store,
    queueUrl,
  };
}

function watchPool(metrics: Metrics, pool: pg.Pool): void {
  metrics.gauge('database_pool_connections', 'Connections of the pool by state', ['state'], (gauge) => {
    gauge.set({ state: 'idle' }, pool.idleCount);
    gauge.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
    gauge.set({ state: 'waiting' }, pool.waitingCount);
  });
}

/** A clock that is wrong is a metric, a line in the log, and an alert of the installation. */
async function watchClock(
  {
    databaseClock,
    sql,
    metrics,
    log,
  }: { databaseClock: DatabaseClock; sql: Sql; metrics: Metrics; log: Log },
  service: ServiceName,
  alertOperators: Platform['alertOperators'],
): Promise<void> {
  metrics.gauge(
    'clock_ahead_seconds',
    'What the clock of the machine is ahead of the database',
    [],
    (gauge) => gauge.set({}, databaseClock.aheadMs() / 1000),
  );
  const replica = `${service} ${hostname()}`;
  await databaseClock.watch(sql, async (aheadMs) => {
    const seconds = Math.round(aheadMs / 1000);
    log.error({ ahead_seconds: seconds }, 'clock.wrong');
    const off = seconds < 0 ? `${-seconds} s behind` : `${seconds} s ahead of`;
    const message = `The clock of ${replica} is ${off} the database. The replica is not ready until its machine has the right time (NTP).`;
    await alertOperators({ kind: 'clock_off', subject: replica, message });
  });
}
