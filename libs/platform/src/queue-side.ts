// The queue half of a service: its queues and outbox, and the worker tasks that keep both going.
import { endApiKeys } from '@parley/auth';
import {
  applyJournal,
  flushJournal,
  locateJournal,
  trimJournal,
  type ApplyEntries,
} from './journal/index.ts';
import {
  countUnresolved,
  raiseQuarantined,
  raise,
  resolve,
  tendAlerts,
  TENDED_EVERY_MS,
  trimAlerts,
  type TendOptions,
} from './alerts/index.ts';
import { trimAudit } from '@parley/server/audit';
import { deleteExpiredIdempotencyKeys } from '@parley/server/http';
import {
  countQuarantined,
  createInbox,
  createOutbox,
  openQueues,
  quarantineEndedSql,
  listQueues,
  readOutboxStats,
  startOutboxSweeper,
  trimHandovers,
  type Inbox,
  type Outbox,
  type QueueStats,
  type Queues,
  type Route,
  type Service,
  type OutgoingMessage,
} from '@parley/jobs';
import { createEvery, repeat, throttleLog, type Lifecycle } from '@parley/server/runtime';
import { MEASURE_EVERY_MS, type StorageCrossing } from '@parley/server/limits';
import type { Sql } from '@parley/server/postgres';
import type { Platform } from './platform.ts';

export interface QueueSide {
  readonly queues: Queues;
  /** This service's messages to the others. */
  readonly outbox: Outbox;
}

export function openQueueSide(platform: Platform, service: Service, life: Lifecycle): QueueSide {
  const { clock, ids, log, metrics, sql } = platform;
  const rings = metrics.counter(
    'queue_rings_total',
    'Jobs enqueued, or not because the engine is away or refuses',
    ['queue', 'outcome'],
  );
  const restarts = metrics.counter(
    'worker_restarts_total',
    'Workers that no longer consumed a queue and were replaced',
    ['queue'],
  );
  const alertRefused = throttleLog((refusal: string) => {
    const message = `Redis refuses jobs: "${refusal}". Nothing is lost, but work waits until Redis accepts writes again.`;
    void platform.alertOperators({ kind: 'queue_refused', subject: 'redis', message });
  });
  const queues = openQueues({
    url: platform.queueUrl,
    prefix: platform.config.QUEUE_PREFIX,
    clock,
    log,
    recorder: {
      onJob: ({ queue, outcome, ms }) => metrics.observeJob(queue, outcome, ms / 1000),
      onEnqueue: ({ queue, outcome, refusal, count }) => {
        rings.inc({ queue, outcome }, count);
        if (refusal !== undefined) alertRefused(refusal);
      },
      onRestart: ({ queue }) => {
        restarts.inc({ queue });
        const message = `The worker of ${queue} consumed nothing while jobs waited, and was restarted. Look at Redis, and for queue.worker_restarted in the log of ${service}.`;
        void platform.alertOperators({ kind: 'queue_worker_restarted', subject: queue, message });
      },
    },
  });
  life.onStop('queues', () => queues.close());
  const outbox = createOutbox({
    service,
    pool: platform.pool,
    queues,
    sealer: platform.queueSealer,
    messageKeys: platform.messageKeys,
    ids,
    clock,
  });
  life.onStop('outbox', () => outbox.close());

  const names = listQueues(service);
  // A scrape collects all gauges together; those with the same source share a read.
  let reading: Promise<QueueStats[]> | undefined;
  const readStats = () =>
    (reading ??= queues.readStats(names).finally(() => {
      reading = undefined;
    }));
  metrics.gauge('queue_jobs', 'Jobs in a queue by state', ['queue', 'state'], async (gauge) => {
    for (const { queue, waiting, active, delayed, failed } of await readStats()) {
      gauge.set({ queue, state: 'waiting' }, waiting);
      gauge.set({ queue, state: 'active' }, active);
      gauge.set({ queue, state: 'delayed' }, delayed);
      gauge.set({ queue, state: 'failed' }, failed);
    }
  });
  metrics.gauge('queue_age_seconds', 'Age of the oldest waiting job', ['queue'], async (gauge) => {
    for (const { queue, oldestMs } of await readStats()) gauge.set({ queue }, oldestMs / 1000);
  });
  metrics.gauge('outbox_messages', 'Messages without an acknowledgement', ['state'], async (gauge) => {
    const { unacknowledged, stuck } = await readOutboxStats(sql, clock);
    gauge.set({ state: 'unacknowledged' }, unacknowledged);
    gauge.set({ state: 'stuck' }, stuck);
  });
  metrics.gauge('quarantined_rows', 'Quarantined rows', ['table'], async (gauge) => {
    for (const { table, count } of await countQuarantined(sql, service)) gauge.set({ table }, count);
  });
  metrics.gauge('alerts_unresolved', 'Open and acknowledged alerts', ['kind'], async (gauge) => {
    gauge.reset();
    for (const { kind, count } of await countUnresolved(sql)) gauge.set({ kind }, count);
  });
  return { queues, outbox };
}

/** Expired keys are deleted in batches; a minute's worth is far below one batch. */
const HOUSEKEEPING_EVERY_MS = 60_000;
/** How much of the journal a lost database server may take along. */
const JOURNAL_EVERY_MS = 1_000;
const FIRST_MEASURED_AFTER_MS = 5_000;

type WorkerSideOptions = Partial<Pick<TendOptions, 'endings' | 'send'>> & {
  /** How the service applies its kinds of journal entries. */
  readonly journal?: Readonly<Record<string, ApplyEntries>>;
  /** Messages that share the queue of the acknowledgements. */
  readonly routes?: readonly Route[];
};

/** The messages of the other services. Quarantined ones raise an alert. */
export function startInbox(platform: Platform & QueueSide, service: Service, life: Lifecycle): Inbox {
  const inbox = createInbox({
    ...platform,
    service,
    sealer: platform.queueSealer,
    onQuarantine: (sql, { id, organizationId, contract }) =>
      raiseQuarantined(sql, 'inbox_suspects', [{ organizationId, what: `message ${id} (${contract})` }]),
  });
  life.onStop('inbox', () => inbox.close());
  return inbox;
}

/**
 * Tasks of every worker process besides its own queues: re-enqueue, consume acknowledgements,
 * update alerts, delete expired rows.
 */
export function startWorkerSide(
  platform: Platform & QueueSide,
  service: Service,
  life: Lifecycle,
  { endings, send = sendThroughOutbox(platform), journal = {}, routes = [] }: WorkerSideOptions = {},
): void {
  const { config, pool, sql, queues, messageKeys, clock, log } = platform;
  const handoverDays = config.HANDOVER_DAYS;
  const sweeping = { service, pool, queues, messageKeys, clock, log, handoverDays, routes };
  const tending = startOutboxSweeper(sweeping);
  life.onStop('outbox sweeper', () => tending.close());
  const work_quarantined = quarantineEndedSql(service, 'alert');
  const every = createEvery(life, log);
  every('alerts', TENDED_EVERY_MS, () =>
    tendAlerts({ pool, endings: { work_quarantined, ...endings }, send }),
  );
  every('housekeeping', HOUSEKEEPING_EVERY_MS, async () => {
    await deleteExpiredIdempotencyKeys(sql, clock());
    await trimAudit(sql, clock());
    await trimAlerts(sql);
    await trimJournal(sql);
    await trimHandovers(sql, clock(), handoverDays);
  });
  measureStorage(platform, life);
  keepJournal(platform, service, journal, life);
}

/** Without JOURNAL_DIR the entries wait in the database for 30 days. */
function keepJournal(
  { config, pool, metrics, sql, log }: Platform,
  service: Service,
  appliers: Readonly<Record<string, ApplyEntries>>,
  life: Lifecycle,
): void {
  if (config.JOURNAL_DIR === undefined) return;
  const folder = locateJournal(config.JOURNAL_DIR, service);
  const keeping = repeat({ everyMs: JOURNAL_EVERY_MS, firstAfterMs: 0, name: 'journal', log }, async () => {
    await applyJournal(pool, { ...appliers, key_ended: endApiKeys });
    await flushJournal(pool, folder);
  });
  life.onStop('journal', () => keeping.close());
  metrics.gauge('journal_unflushed_entries', 'Entries that the journal lacks', [], async (gauge) => {
    const [row] = await sql<{ count: number }>(
      'SELECT count(*)::int AS count FROM journal_entries WHERE flushed_at IS NULL',
    );
    gauge.set({}, row!.count);
  });
}

/**
 * Measures repeatedly what each organisation stores, and alerts the operators when little is left.
 */
function measureStorage({ limits, log }: Platform, life: Lifecycle): void {
  const stopping = new AbortController();
  const measuring = repeat(
    { everyMs: MEASURE_EVERY_MS, firstAfterMs: FIRST_MEASURED_AFTER_MS, name: 'storage.measure', log },
    () => limits.storage.measure(stopping.signal, (sql, crossing) => alertStorage(log, sql, crossing)),
  );
  life.onStop('storage', async () => {
    stopping.abort();
    await measuring.close();
  });
}

async function alertStorage(log: Platform['log'], sql: Sql, crossing: StorageCrossing): Promise<void> {
  const { organizationId, used, of, isAlmostFull } = crossing;
  const cause = { kind: 'storage_almost_full', subject: 'storage' } as const;
  if (!isAlmostFull) return resolve(sql, organizationId, cause);
  log.warn({ organization_id: organizationId, used_bytes: used, quota_bytes: of }, 'storage.almost_full');
  const message = `The organization uses ${gb(used)} of ${gb(of)} GB of storage. At 100 % nothing more is stored: delete what you no longer need, or ask the operator for more.`;
  await raise(sql, organizationId, { ...cause, message });
}

const gb = (bytes: number) => (bytes / 1e9).toFixed(2);

/** Sends alerts as messages to the notifications service. */
function sendThroughOutbox({ outbox }: QueueSide): TendOptions['send'] {
  return async (sql, alerts) => {
    const messages = alerts.map(({ id, notice: payload }): OutgoingMessage => {
      const organizationId = payload.organization_id;
      return { contract: 'notification.send', organizationId, cause: ['alert', id], payload };
    });
    const enqueued = await outbox.write(sql, messages);
    return () => void outbox.enqueueJobs(enqueued);
  };
}
