// A work table: rows that say what remains to be done. Postgres is the source of truth and the
// queue only carries wake-ups (docs/platform.md#nothing-accepted-is-lost). Holds every statement
// that all work tables share: claim, renew, release, enqueue, sweep. See README.md, "Work tables".
import type pg from 'pg';
import { inTransaction, sqlOf, type Sql } from '@parley/server/postgres';
import type { Clock } from '@parley/server/runtime';
import { buildJobId, type JobKind } from '../job-kind.ts';
import type { NewJob } from '../producer.ts';
import type { Queues } from '../queues.ts';
import type { CrashIsolation } from '../isolation/crash-isolation.ts';
import { organizationSql } from '../isolation/quarantines.ts';
import { computeNextRingAt, NEVER } from '../reenqueue.rules.ts';
import { ISOLATION_DEATHS, QUARANTINE_DEATHS } from '../isolation/deaths.ts';
import { workStatements, type ByteBudget } from './work-statements.ts';

/** What every work table has, under these names in the code. */
export interface WorkRow {
  readonly id: string;
  /** How often it was re-enqueued; part of the job's id. */
  readonly rings: number;
  /** Not claimable before. */
  readonly dueAt: Date;
}

/** One job, and its rows. */
export interface WorkJob<Row> {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a payload is checked by its own kind
  readonly kind: JobKind<any>;
  readonly newJob: NewJob<unknown>;
  readonly rows: readonly Row[];
}

export interface WorkTableOptions<Row extends WorkRow> {
  /** Names are part of the statements: constants of the code, never data. */
  readonly table: string;
  /** Where a column has another name. */
  readonly columns?: Partial<typeof COLUMNS>;
  /** Columns that `toJobs` needs besides those of WorkRow, as a select list. */
  readonly select?: string;
  /** Further SQL condition of a claim. */
  readonly claimable?: string;
  /** SQL assignments when a row is released: they undo the `set` of its claim. */
  readonly setOnRelease?: string;
  /** False: nothing leases its rows, so no worker can die with one. Default: true. */
  readonly leased?: boolean;
  /** Byte limit of a claim. Default: none. */
  readonly claimBytes?: ByteBudget;
  /**
   * Byte limit of a sweep's transaction, for what `select` names. Default: by number of rows only.
   */
  readonly sweepBytes?: ByteBudget;
  /**
   * Runs in the transaction that quarantines rows (docs/platform.md#quarantine): updates what they
   * stand for and notifies their organisation. May return work for after the commit.
   */
  readonly onQuarantine?: (sql: Sql, rows: readonly Row[]) => Promise<(() => void) | void>;
  /** The jobs for these rows. A row may have no job. */
  readonly toJobs: (rows: readonly Row[]) => readonly WorkJob<Row>[];
  readonly pool: pg.Pool;
  readonly queues: Queues;
  readonly clock: Clock;
  /** A killed worker's rows are free again after the lease and a sweep. Default: 10 s. */
  readonly leaseMs?: number;
  /**
   * Clocks of replicas differ: enqueued rows may be claimed this long before they are due. Default:
   * 0.
   */
  readonly earlyMs?: number;
  /** Rows that were due this long ago are given up. Default: never. */
  readonly enqueueForMs?: number;
  /** Rows that one transaction of a sweep locks, and transactions of one round. */
  readonly sweepRowsMax?: number;
  readonly sweepBatchesMax?: number;
}

export interface SweepResult<Row> {
  readonly enqueued: number;
  /** Rows without a job, for the caller to handle. */
  readonly jobless: readonly Row[];
  /** Rows that are not re-enqueued any more. */
  readonly givenUp: readonly Row[];
}

export interface WorkTable<Row extends WorkRow> {
  readonly table: string;
  readonly leaseMs: number;
  /** Maximum bytes of one claim; undefined: limited by number. */
  readonly claimBytesMax: number | undefined;
  /** Crash isolation in this process. */
  readonly isolation: CrashIsolation;
  /**
   * Builds a statement that claims those of the rows that are due and free, then runs `select` over
   * `claimed` (all of their columns). `set` changes more columns ($6 and so on are `values`). Of
   * two concurrent claims the second waits for the row and then sees the lease. Rows with which
   * workers died are claimed only with `isIsolated`.
   */
  prepareClaim<Claimed>(statement: {
    readonly set?: string;
    readonly select: string;
  }): (
    ids: readonly string[],
    lease: string,
    values?: readonly unknown[],
    isIsolated?: boolean,
  ) => Promise<Claimed[]>;
  /**
   * Why rows were not claimed: `suspected` ones need isolation, `unfit` ones exceeded the claim.
   * Others are unavailable.
   */
  explainUnclaimed(
    ids: readonly string[],
  ): Promise<{ suspected: readonly SuspectedRow[]; unfit: readonly string[] }>;
  /** Returns those that are still held. */
  renew(ids: readonly string[], lease: string): Promise<ReadonlySet<string>>;
  /**
   * Releases rows, due immediately or at `dueAtMs`, and returns them for `enqueue`. `set` changes
   * more columns.
   */
  release(ids: readonly string[], lease: string, dueAtMs?: number, set?: string): Promise<readonly Row[]>;
  /**
   * Keeps the lease until it expires without counting a death: the process ends with running
   * attempts.
   */
  abandon(ids: readonly string[], lease: string): Promise<void>;
  /** No worker died while they were isolated: resets their deaths and keeps the lease. */
  clear(ids: readonly string[], lease: string): Promise<void>;
  /** Deletes finished rows. */
  remove(ids: readonly string[], lease: string): Promise<void>;
  /** Makes free rows due now and returns them for `enqueue`. */
  bringForward(ids: readonly string[]): Promise<readonly Row[]>;
  /**
   * Enqueues committed rows, immediately or for when they are due. Returns those that the engine
   * took; the sweeper re-enqueues the others. Never throws.
   */
  enqueue(rows: readonly Row[]): Promise<readonly Row[]>;
  /**
   * One round: re-enqueues rows whose job was lost or whose lease expired. Replicas may sweep
   * concurrently.
   */
  sweep(): Promise<SweepResult<Row>>;
}

/** A row with which workers died. */
export interface SuspectedRow {
  readonly id: string;
  readonly organizationId: string;
}

const COLUMNS = { dueAt: 'due_at', lease: 'lease', leasedUntil: 'leased_until' };
const LEASE_MS = 10_000;
/**
 * The engine's clock decides when a delayed job is due. A job that comes a moment early would find
 * nothing to claim.
 */
const DELAY_MARGIN_MS = 10;
const SWEEP_ROWS_MAX = 200;
const SWEEP_BATCHES_MAX = 50;

export function createWorkTable<Row extends WorkRow>(options: WorkTableOptions<Row>): WorkTable<Row> {
  const {
    table,
    pool,
    queues,
    clock,
    toJobs,
    leaseMs = LEASE_MS,
    earlyMs = 0,
    enqueueForMs = Infinity,
    leased = true,
  } = options;
  const { sweepRowsMax = SWEEP_ROWS_MAX, sweepBatchesMax = SWEEP_BATCHES_MAX } = options;
  const { dueAt, lease, leasedUntil } = { ...COLUMNS, ...options.columns };
  const sql = sqlOf(pool);
  const row = `${table}.id, ${table}.rings, ${table}.${dueAt} AS "dueAt"${options.select ? `, ${options.select}` : ''}`;
  const at = (ms: number) => new Date(ms);
  /**
   * A row that was settled elsewhere while in flight has no lease, although its holder column is
   * set.
   */
  const held = `id = ANY($1::text[]) AND ${lease} = $2 AND ${leasedUntil} IS NOT NULL`;
  const select = workStatements({
    ...options,
    leased,
    row,
    dueAt,
    lease,
    leasedUntil,
    organization: organizationSql(table),
  });

  async function enqueue(rows: readonly Row[]): Promise<readonly Row[]> {
    const nowMs = clock();
    const byKind = new Map<string, WorkJob<Row>[]>();
    for (const job of toJobs(rows)) {
      const key = `${job.kind.queue} ${job.kind.name}`;
      if (!byKind.get(key)?.push(job)) byKind.set(key, [job]);
    }
    const enqueued: Row[] = [];
    for (const jobs of byKind.values()) {
      const newJobs = jobs.map((job) => {
        const waitMs = Math.ceil(Math.max(...job.rows.map((one) => one.dueAt.getTime())) - nowMs);
        return waitMs > 0 ? { ...job.newJob, delayMs: waitMs + DELAY_MARGIN_MS } : job.newJob;
      });
      if (await queues.producer(jobs[0]!.kind).enqueue(newJobs))
        enqueued.push(...jobs.flatMap((job) => job.rows));
    }
    return enqueued;
  }

  /**
   * Those of the rows whose last job is still pending; undefined while the engine is away. A shared
   * job is named after its first row: its other rows are not found and may be enqueued once too
   * often.
   */
  async function findQueued(rows: readonly Row[]): Promise<ReadonlySet<Row> | undefined> {
    const queued = new Set<Row>();
    // as they were enqueued, not as they would be grouped now
    const jobs = rows.flatMap((one) => toJobs([one]));
    for (const queue of new Set(jobs.map(({ kind }) => kind.queue))) {
      const ofQueue = jobs.filter(({ kind }) => kind.queue === queue);
      const idOf = ({ newJob }: WorkJob<Row>) => buildJobId(newJob.row, newJob.attempt, newJob.enqueueNumber);
      const found = await queues.findQueued(queue, ofQueue.map(idOf));
      if (!found) return undefined;
      for (const job of ofQueue) if (found.has(idOf(job))) for (const one of job.rows) queued.add(one);
    }
    return queued;
  }

  /**
   * Locks the rows while enqueueing, so that another sweeper takes others. If the engine is away or
   * this process dies, they keep their number and time, and the next round finds them due. Rows
   * with a pending job are skipped: workers an hour behind would otherwise have dozens of jobs for
   * each row.
   */
  async function sweepBatch(): Promise<
    SweepResult<Row> & { readonly more: boolean; readonly after?: () => void }
  > {
    return inTransaction(pool, async (sql) => {
      const nowMs = clock();
      const found = await sql<Row & { lost: boolean }>(select.sweep, [at(nowMs), sweepRowsMax]);
      if (found.length === 0) return { enqueued: 0, jobless: [], givenUp: [], more: false };
      const lost = found.filter((one) => one.lost);
      const after = lost.length > 0 ? await quarantine(sql, lost, nowMs) : undefined;
      const due = found.filter((one) => !one.lost);
      const queued = await findQueued(due);
      const withJob = new Set(toJobs(due).flatMap(({ rows }) => rows));
      const jobless = due.filter((one) => !withJob.has(one));
      const again = (one: Row): Row => ({ ...one, rings: one.rings + 1 });
      const enqueued = queued
        ? await enqueue(due.filter((one) => withJob.has(one) && !queued.has(one)).map(again))
        : [];
      const moved = [...jobless.map(again), ...(queued ?? []), ...enqueued];
      const times = moved.map((one) => computeNextRingAt(one.dueAt, nowMs, enqueueForMs));
      await sql(
        `UPDATE ${table} SET rings = next.rings, next_ring_at = next.at
         FROM unnest($1::text[], $2::int[], $3::timestamptz[]) AS next (id, rings, at) WHERE ${table}.id = next.id`,
        [moved.map(({ id }) => id), moved.map(({ rings }) => rings), times],
      );
      const givenUp = moved.filter((_, index) => times[index] === NEVER);
      const more =
        (found.length === sweepRowsMax || options.sweepBytes !== undefined) && moved.length === due.length;
      return { enqueued: enqueued.length, jobless, givenUp, more, ...(after ? { after } : {}) };
    });
  }

  async function quarantine(sql: Sql, rows: readonly Row[], nowMs: number): Promise<(() => void) | void> {
    await sql(
      `UPDATE ${table} SET deaths = ${QUARANTINE_DEATHS}, quarantined_at = $2, ${lease} = NULL, ${leasedUntil} = NULL, next_ring_at = $3
       WHERE id = ANY($1::text[])`,
      [rows.map(({ id }) => id), at(nowMs), NEVER],
    );
    return options.onQuarantine?.(sql, rows);
  }

  return {
    table,
    leaseMs,
    claimBytesMax: options.claimBytes?.max,
    isolation: queues.isolation,
    prepareClaim: <Claimed>(statement: { readonly set?: string; readonly select: string }) => {
      const { together, isolated } = select.claims(statement);
      return (ids, holder, values = [], isIsolated = false) => {
        const nowMs = clock();
        const until = at(nowMs + leaseMs);
        const given = [ids, holder, at(nowMs), until, at(nowMs + earlyMs), ...values];
        return sql<Claimed>(isIsolated ? isolated : together, given);
      };
    },
    explainUnclaimed: async (ids) => {
      const nowMs = clock();
      const given = [ids, at(nowMs), at(nowMs + earlyMs)];
      const rows = await sql<SuspectedRow & { deaths: number }>(select.free, given);
      const suspected = rows.filter(({ deaths }) => deaths === ISOLATION_DEATHS);
      const unfit = rows.filter(({ deaths }) => deaths < ISOLATION_DEATHS).map(({ id }) => id);
      return { suspected, unfit };
    },
    renew: async (ids, holder) => {
      const rows = await sql<{ id: string }>(
        `UPDATE ${table} SET ${leasedUntil} = $3, next_ring_at = $3 WHERE ${held} RETURNING id`,
        [ids, holder, at(clock() + leaseMs)],
      );
      return new Set(rows.map(({ id }) => id));
    },
    clear: async (ids, holder) => {
      await sql(`UPDATE ${table} SET deaths = 0 WHERE ${held}`, [ids, holder]);
    },
    release: async (ids, holder, dueAtMs, set) => {
      const nowMs = clock();
      const more = [options.setOnRelease, set].map((one) => (one ? `, ${one}` : '')).join('');
      return sql<Row>(
        `UPDATE ${table} SET ${lease} = NULL, ${leasedUntil} = NULL, rings = rings + 1${more},
           ${dueAt} = COALESCE($3::timestamptz, ${dueAt}), next_ring_at = $4
         WHERE ${held} RETURNING ${row}`,
        [
          ids,
          holder,
          dueAtMs === undefined ? null : at(dueAtMs),
          computeNextRingAt(at(dueAtMs ?? nowMs), dueAtMs ?? nowMs),
        ],
      );
    },
    abandon: async (ids, holder) => {
      await sql(`UPDATE ${table} SET ${lease} = NULL WHERE ${held}`, [ids, holder]);
    },
    remove: async (ids, holder) => {
      await sql(`DELETE FROM ${table} WHERE ${held}`, [ids, holder]);
    },
    bringForward: async (ids) => {
      const nowMs = clock();
      return sql<Row>(
        `UPDATE ${table} SET ${dueAt} = $2, next_ring_at = $3, rings = rings + 1
         WHERE id = ANY($1::text[]) AND ${dueAt} > $2 AND ${lease} IS NULL AND quarantined_at IS NULL
         RETURNING ${row}`,
        [ids, at(nowMs), computeNextRingAt(at(nowMs), nowMs)],
      );
    },
    enqueue,
    sweep: async () => {
      const total = { enqueued: 0, jobless: [] as Row[], givenUp: [] as Row[] };
      for (let batch = 0; batch < sweepBatchesMax; batch += 1) {
        const { enqueued, jobless, givenUp, more, after } = await sweepBatch();
        after?.();
        total.enqueued += enqueued;
        total.jobless.push(...jobless);
        total.givenUp.push(...givenUp);
        if (!more) break;
      }
      return total;
    },
  };
}
