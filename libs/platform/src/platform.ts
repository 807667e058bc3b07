// The base of all three services: secrets, database, listener, keys. They stop in reverse order of
// their start. Knows no product tables.
import { hostname } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { raise, type RaisedAlert } from './alerts/index.ts';
import { COUNTED_KEYS, createAuthenticator, createIdentityVerifier, type Product } from '@parley/auth';
import type { Authenticator } from '@parley/server/http';
import { createLimits, type Limits, type ServiceLimits } from '@parley/server/limits';
import { createMetrics, type Metrics } from '@parley/metrics';
import { createMessageKeys, type MessageKeys } from '@parley/jobs';
import {
  createDatabaseClock,
  createListener,
  countRefusals,
  createPool,
  findPoolerProblem,
  inTransaction,
  listMigrations,
  sqlOf,
  type DatabaseClock,
  type Listener,
  type PoolOptions,
  type Sql,
} from '@parley/server/postgres';
import {
  createIds,
  createSealer,
  createSecrets,
  ignoreFailure,
  shippedPath,
  StartRefused,
  throttleLog,
  type Clock,
  type Ids,
  type Log,
  type Sealer,
  type Secret,
  type Secrets,
  type ServiceName,
  type ServiceStart,
} from '@parley/server/runtime';
import { isJournalAhead, locateJournal } from './journal/index.ts';
import type { PlatformConfig } from './config.ts';
import { traceTo } from './traces.ts';
import { watchStore, type Store } from './store.ts';

/** Runs work in one transaction: commits when it returns, rolls back when it throws. */
export type Transact = <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;

export interface Platform<Config extends PlatformConfig = PlatformConfig> {
  readonly config: Config;
  readonly log: Log;
  /** The database's time. */
  readonly clock: Clock;
  readonly databaseClock: Pick<DatabaseClock, 'isRight' | 'aheadMs'>;
  readonly ids: Ids;
  readonly secrets: Secrets;
  /** Seals stored values under DATA_KEY. */
  readonly dataSealer: Sealer;
  /** Seals queue payloads under QUEUE_KEY. */
  readonly queueSealer: Sealer;
  /** Signs messages between the services, under MESSAGE_KEYS. */
  readonly messageKeys: MessageKeys;
  readonly metrics: Metrics;
  readonly pool: pg.Pool;
  /** What the pool connects to, for a thread that needs its own connection. */
  readonly database: Pick<PoolOptions, 'url' | 'statementMs'>;
  /** Plain SQL on the pool, outside of any transaction. */
  readonly sql: Sql;
  /** For use cases of requests: fails after the time limit of one query. */
  readonly transact: Transact;
  readonly listener: Listener;
  readonly authenticator: Authenticator;
  /** Raises an alert about the whole installation, for OPERATOR_ORGANIZATION. Never throws. */
  readonly alertOperators: (alert: RaisedAlert) => Promise<void>;
  /** How much an organisation may request and store. */
  readonly limits: Limits;
  /** Whether the database answers, as of a second ago. */
  readonly store: Store;
  /** URL of the queue engine, resolved. */
  readonly queueUrl: Secret;
}

/** The time limit of one query (libs/server/postgres). */
const TRANSACTION_MS_MAX = 15_000;
/** Postgres ends a longer statement of an HTTP process: the caller waits for it. */
const REQUEST_STATEMENT_MS_MAX = 10_000;
/** With workers: a second before the client gives up, since Postgres would continue in vain. */
const STATEMENT_MS_MAX = 14_000;

export async function createPlatform<Config extends PlatformConfig>(
  service: { readonly name: ServiceName; readonly product: Product } & ServiceLimits,
  { config, env, log, life }: ServiceStart<Config>,
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

  await traceTo(config, service.name, secrets, life);

  const databaseUrl = await secrets.resolveUrl(config.DATABASE_URL);
  const directUrl = config.DATABASE_DIRECT_URL
    ? await secrets.resolveUrl(config.DATABASE_DIRECT_URL)
    : databaseUrl;
  const isPooled = new URL(directUrl.reveal()).host !== new URL(databaseUrl.reveal()).host;
  const database = {
    url: databaseUrl,
    // A transaction pooler refuses the parameter; there the role has it (k8s/README.md).
    statementMs: isPooled ? undefined : config.ROLE === 'http' ? REQUEST_STATEMENT_MS_MAX : STATEMENT_MS_MAX,
  };
  await refuseUnsuitablePooler(log, {
    url: databaseUrl.reveal(),
    directUrl: directUrl.reveal(),
    statementMs: database.statementMs,
  });
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
  const dataSealer = await createSealer(secrets, config.DATA_KEY);
  const alertKeys = throttleLog((ids: readonly string[]) => {
    const message = `DATA_KEY of ${service.name} lacks ${ids.join(', ')}, which seals stored values. The service is not ready. Put the key behind the newest one.`;
    void alertOperators({ kind: 'data_key_missing', subject: service.name, message });
  });
  const journal = config.JOURNAL_DIR && locateJournal(config.JOURNAL_DIR, service.name);
  const store = await watchStore({
    sql,
    migrations: listMigrations(migrationsFolder(service.name)),
    sealer: dataSealer,
    isJournalAhead: journal === undefined ? undefined : () => isJournalAhead(sql, journal),
    log,
    onKeysMissing: alertKeys,
  });
  life.onStop('store probe', () => store.close());
  metrics.gauge('data_keys_missing', 'Keys that stored values need and DATA_KEY lacks', [], (gauge) =>
    gauge.set({}, store.readiness().data_keys_missing ?? 0),
  );
  const keyFetches = metrics.counter(
    'identity_key_fetches_total',
    'Requests for the keys of the identity provider',
    ['outcome'],
  );
  const authenticator = createAuthenticator({
    product: service.product,
    sql,
    listener,
    clock,
    log,
    verifyIdentityToken: await createIdentityVerifier(config, secrets, {
      service: service.name,
      clock,
      log,
      count: (outcome) => keyFetches.inc({ outcome }),
    }),
  });
  life.onStop('keys', () => authenticator.close());

  // platformRules requires one of them
  const queueUrl = await secrets.resolveUrl(config.QUEUE_URL);
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
    dataSealer,
    queueSealer: await createSealer(secrets, config.QUEUE_KEY),
    messageKeys: await createMessageKeys(secrets, config.MESSAGE_KEYS, service.name),
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

function migrationsFolder(service: ServiceName): string {
  return shippedPath('migrations', () => join(import.meta.dirname, '../../../prisma', service, 'migrations'));
}

/** Without an answer the service starts all the same, as it does when its database is away. */
async function refuseUnsuitablePooler(
  log: Log,
  addresses: Parameters<typeof findPoolerProblem>[0],
): Promise<void> {
  const problem = await findPoolerProblem(addresses).catch((error: unknown) =>
    log.warn({ err: error }, 'postgres.pooler_unchecked'),
  );
  if (problem !== undefined) throw new StartRefused(problem);
}

function watchPool(metrics: Metrics, pool: pg.Pool): void {
  metrics.gauge('database_pool_connections', 'Connections of the pool by state', ['state'], (gauge) => {
    gauge.set({ state: 'idle' }, pool.idleCount);
    gauge.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
    gauge.set({ state: 'waiting' }, pool.waitingCount);
  });
  metrics.gauge(
    'database_refused_writes',
    'Statements that Postgres refused since the start because it is out of disk, memory or connections, or its files fail',
    [],
    (gauge) => gauge.set({}, countRefusals()),
  );
}

/** A wrong clock causes a metric, a log line, and an alert about the installation. */
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
  metrics.gauge('clock_ahead_seconds', "How far the machine's clock is ahead of the database", [], (gauge) =>
    gauge.set({}, databaseClock.aheadMs() / 1000),
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
