// A work table: rows that say what is still to be done, in the table of a service. Postgres remembers the work and the queue only rings
// for it (docs/platform.md#nothing-accepted-is-lost). Every statement that the rows of all of them share is here, once:
// claim, renew, release, ring, ring again. See README.md, "Work tables".
import type pg from 'pg';
import { inTransaction, sqlOf, type Sql } from '@parley/postgres';
import type { Clock } from '@parley/runtime';
import { jobIdOf, type JobKind } from '../job-kind.ts';
import type { Ring } from '../producer.ts';
import type { Queues } from '../queues.ts';
import type { Company } from './company.ts';
import { organizationOf } from './quarantines.ts';
import { nextRingAt, NEVER } from './ring.rules.ts';
import { workStatements, QUARANTINE_DEATHS, SUSPECT_DEATHS, type ByteBudget } from './work-statements.ts';

/** What every work table has, under these names in the code. */
export interface WorkRow {
  readonly id: string;
  /** How often it was rung again; part of the job's id. */
  readonly rings: number;
  /** Not to be claimed before. */
  readonly dueAt: Date;
}

/** One job, and the rows that it rings for. */
export interface WorkJob<Row> {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a payload is checked by its own kind
  readonly kind: JobKind<any>;
  readonly ring: Ring<unknown>;
  readonly rows: readonly Row[];
}

export interface WorkTableOptions<Row extends WorkRow> {
  /** Names are part of the statements: constants of the code, never data. */
  readonly table: string;
  /** Where a column has another name. */
  readonly columns?: Partial<typeof COLUMNS>;
  /** Columns that `jobsOf` needs beside those of WorkRow, as a select list. */
  readonly select?: string;
  /** What else a row must be to be claimed. */
  readonly claimable?: string;
  /** Changes more of a row that is handed back: what undoes the `set` of its claim. */
  readonly released?: string;
  /** False: nobody leases its rows, so nobody can die with one in hand. Default: true. */
  readonly leased?: boolean;
  /** A claim takes no more than this together. Default: as many as it is asked for. */
  readonly claimBytes?: ByteBudget;
  /** So does a transaction of a sweep, of what `select` names. Default: by number alone. */
  readonly sweepBytes?: ByteBudget;
  /**
   * In the transaction that sets rows aside (docs/platform.md#quarantine): what they stand for says so, and their organisation is told.
   * May give what is to be done after the commit.
   */
  readonly setAside?: (sql: Sql, rows: readonly Row[]) => Promise<(() => void) | void>;
  /** The jobs that ring for these rows; a row that stands in none has no job at all. */
  readonly jobsOf: (rows: readonly Row[]) => readonly WorkJob<Row>[];
  readonly pool: pg.Pool;
  readonly queues: Queues;
  readonly clock: Clock;
  /** A killed worker's rows are free again after so long, and a sweep. Default 10 s. */
  readonly leaseMs?: number;
  /** Clocks of two replicas differ: rows that are rung for may be claimed so long before they are due. Default 0: never early. */
  readonly earlyMs?: number;
  /** Rows that were due so long ago are not rung for any more. Default: never given up. */
  readonly ringForMs?: number;
  /** Rows that one transaction of a sweep holds while it rings for them, and transactions of one round. */
  readonly sweepRowsMax?: number;
  readonly sweepBatchesMax?: number;
}

export interface Swept<Row> {
  readonly rung: number;
  /** Rows that have no job, to be done by whoever sweeps. */
  readonly jobless: readonly Row[];
  /** Rows that are rung for no more. */
  readonly givenUp: readonly Row[];
}

export interface WorkTable<Row extends WorkRow> {
  readonly table: string;
  readonly leaseMs: number;
  /** Bytes that one claim takes at most; undefined: it goes by number. */
  readonly claimBytesMax: number | undefined;
  /** Who works beside whom in this process. */
  readonly company: Company;
  /**
   * A statement that claims those of the rows that are due and nobody's, and then runs `select` over `claimed` (all of their columns).
   * `set` changes more of them ($6 and so on are the values given). Of two workers that claim at once, the second waits for the first's
   * row and then sees its lease. Rows with which workers died are claimed `alone`, and only so.
   */
  claiming<Claimed>(statement: {
    readonly set?: string;
    readonly select: string;
  }): (
    ids: readonly string[],
    lease: string,
    values?: readonly unknown[],
    alone?: boolean,
  ) => Promise<Claimed[]>;
  /** Why these were not claimed: suspects are to be taken alone, `left` did not fit into the claim. The rest is not to be had. */
  unclaimed(ids: readonly string[]): Promise<{ suspects: readonly Suspect[]; left: readonly string[] }>;
  /** Gives those that are still ours. */
  renew(ids: readonly string[], lease: string): Promise<ReadonlySet<string>>;
  /** Hands rows back, due at once or then, for another worker to claim; gives them, to be rung for. `set` changes more of them. */
  release(ids: readonly string[], lease: string, dueAtMs?: number, set?: string): Promise<readonly Row[]>;
  /** Stays theirs until their lease runs out, but nobody has died with them: the process ends with attempts under way. */
  abandon(ids: readonly string[], lease: string): Promise<void>;
  /** Nobody died of them while they were alone: what is counted against them is no longer, but they stay theirs. */
  clear(ids: readonly string[], lease: string): Promise<void>;
  /** Forgets rows of which nothing is left to be done. */
  remove(ids: readonly string[], lease: string): Promise<void>;
  /** Makes rows that nobody has claimed due now; gives them, to be rung for. */
  bringForward(ids: readonly string[]): Promise<readonly Row[]>;
  /** Rings for committed rows, at once or when they are due. Gives those that the engine took; the sweeper rings for the others. Never throws. */
  ring(rows: readonly Row[]): Promise<readonly Row[]>;
  /** One round: rings for rows whose job was lost or whose lease ran out. Several replicas may sweep at once. */
  sweep(): Promise<Swept<Row>>;
}

/** A row with which workers died. */
export interface Suspect {
  readonly id: string;
  readonly organizationId: string;
}

const COLUMNS = { dueAt: 'due_at', lease: 'lease', leasedUntil: 'leased_until' };
const LEASE_MS = 10_000;
/** Delayed jobs become due by the engine's reckoning; one that came a moment early would find nothing to claim. */
const DELAY_MARGIN_MS = 10;
const SWEEP_ROWS_MAX = 200;
const SWEEP_BATCHES_MAX = 50;

export function createWorkTable<Row extends WorkRow>(options: WorkTableOptions<Row>): WorkTable<Row> {
  const {
    table,
    pool,
    queues,
    clock,
    jobsOf,
    leaseMs = LEASE_MS,
    earlyMs = 0,
    ringForMs = Infinity,
    leased = true,
  } = options;
  const { sweepRowsMax = SWEEP_ROWS_MAX, sweepBatchesMax = SWEEP_BATCHES_MAX } = options;
  const { dueAt, lease, leasedUntil } = { ...COLUMNS, ...options.columns };
  const sql = sqlOf(pool);
  const row = `${table}.id, ${table}.rings, ${table}.${dueAt} AS "dueAt"${options.select ? `, ${options.select}` : ''}`;
  const at = (ms: number) => new Date(ms);
  /** A row that was settled from elsewhere while it was in hand has no lease any more, whatever its holder's name says. */
  const held = `id = ANY($1::text[]) AND ${lease} = $2 AND ${leasedUntil} IS NOT NULL`;
  const select = workStatements({
    ...{ ...options, leased, row, dueAt, lease, leasedUntil },
    organization: organizationOf(table),
  });

  async function ring(rows: readonly Row[]): Promise<readonly Row[]> {
    const nowMs = clock();
    const byKind = new Map<string, WorkJob<Row>[]>();
    for (const job of jobsOf(rows)) {
      const key = `${job.kind.queue} ${job.kind.name}`;
      if (!byKind.get(key)?.push(job)) byKind.set(key, [job]);
    }
    const rung: Row[] = [];
    for (const jobs of byKind.values()) {
      const rings = jobs.map((job) => {
        const waitMs = Math.ceil(Math.max(...job.rows.map((one) => one.dueAt.getTime())) - nowMs);
        return waitMs > 0 ? { ...job.ring, delayMs: waitMs + DELAY_MARGIN_MS } : job.ring;
      });
      if (await queues.producer(jobs[0]!.kind).ring(rings)) rung.push(...jobs.flatMap((job) => job.rows));
    }
    return rung;
  }

  /**
   * Of these rows, those whose last job still waits or runs; undefined while the engine is away. A job is named for the first of its
   * rows: those that shared it are not found, and may be rung once too often.
   */
  async function stillQueued(rows: readonly Row[]): Promise<ReadonlySet<Row> | undefined> {
    const queued = new Set<Row>();
    const jobs = rows.flatMap((one) => jobsOf([one])); // as they were rung, and not as they would be shared out now
    for (const queue of new Set(jobs.map(({ kind }) => kind.queue))) {
      const ofQueue = jobs.filter(({ kind }) => kind.queue === queue);
      const idOf = ({ ring }: WorkJob<Row>) => jobIdOf(ring.row, ring.attempt, ring.ring);
      const found = await queues.findQueued(queue, ofQueue.map(idOf));
      if (!found) return undefined;
      for (const job of ofQueue) if (found.has(idOf(job))) for (const one of job.rows) queued.add(one);
    }
    return queued;
  }

  /**
   * The rows stay locked while the bell is rung, so that another sweeper takes others. With the engine away, or this process killed,
   * they keep their ring number and their time: the next round finds them due again. Rows whose last job still waits are not rung:
   * with the workers an hour behind, the queue would hold dozens of jobs for each of them.
   */
  async function sweepBatch(): Promise<Swept<Row> & { readonly more: boolean; readonly after?: () => void }> {
    return inTransaction(pool, async (sql) => {
      const nowMs = clock();
      const found = await sql<Row & { lost: boolean }>(select.sweep, [at(nowMs), sweepRowsMax]);
      if (found.length === 0) return { rung: 0, jobless: [], givenUp: [], more: false };
      const lost = found.filter((one) => one.lost);
      const after = lost.length > 0 ? await setAside(sql, lost, nowMs) : undefined;
      const due = found.filter((one) => !one.lost);
      const queued = await stillQueued(due);
      const withJob = new Set(jobsOf(due).flatMap(({ rows }) => rows));
      const jobless = due.filter((one) => !withJob.has(one));
      const again = (one: Row): Row => ({ ...one, rings: one.rings + 1 });
      const rung = queued
        ? await ring(due.filter((one) => withJob.has(one) && !queued.has(one)).map(again))
        : [];
      const moved = [...jobless.map(again), ...(queued ?? []), ...rung];
      const times = moved.map((one) => nextRingAt(one.dueAt, nowMs, ringForMs));
      await sql(
        `UPDATE ${table} SET rings = next.rings, next_ring_at = next.at
         FROM unnest($1::text[], $2::int[], $3::timestamptz[]) AS next (id, rings, at) WHERE ${table}.id = next.id`,
        [moved.map(({ id }) => id), moved.map(({ rings }) => rings), times],
      );
      const givenUp = moved.filter((_, index) => times[index] === NEVER);
      const more =
        (found.length === sweepRowsMax || options.sweepBytes !== undefined) && moved.length === due.length;
      return { rung: rung.length, jobless, givenUp, more, ...(after ? { after } : {}) };
    });
  }

  async function setAside(sql: Sql, rows: readonly Row[], nowMs: number): Promise<(() => void) | void> {
    await sql(
      `UPDATE ${table} SET deaths = ${QUARANTINE_DEATHS}, quarantined_at = $2, ${lease} = NULL, ${leasedUntil} = NULL, next_ring_at = $3
       WHERE id = ANY($1::text[])`,
      [rows.map(({ id }) => id), at(nowMs), NEVER],
    );
    return options.setAside?.(sql, rows);
  }

  return {
    table,
    leaseMs,
    claimBytesMax: options.claimBytes?.max,
    company: queues.company,
    claiming: <Claimed>(statement: { readonly set?: string; readonly select: string }) => {
      const { together, alone } = select.claims(statement);
      return (ids, holder, values = [], byItself = false) => {
        const nowMs = clock();
        const until = at(nowMs + leaseMs);
        const given = [ids, holder, at(nowMs), until, at(nowMs + earlyMs), ...values];
        return sql<Claimed>(byItself ? alone : together, given);
      };
    },
    unclaimed: async (ids) => {
      const nowMs = clock();
      const given = [ids, at(nowMs), at(nowMs + earlyMs)];
      const rows = await sql<Suspect & { deaths: number }>(select.free, given);
      const suspects = rows.filter(({ deaths }) => deaths === SUSPECT_DEATHS);
      const left = rows.filter(({ deaths }) => deaths < SUSPECT_DEATHS).map(({ id }) => id);
      return { suspects, left };
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
      const more = [options.released, set].map((one) => (one ? `, ${one}` : '')).join('');
      return sql<Row>(
        `UPDATE ${table} SET ${lease} = NULL, ${leasedUntil} = NULL, rings = rings + 1${more},
           ${dueAt} = COALESCE($3::timestamptz, ${dueAt}), next_ring_at = $4
         WHERE ${held} RETURNING ${row}`,
        [
          ids,
          holder,
          dueAtMs === undefined ? null : at(dueAtMs),
          nextRingAt(at(dueAtMs ?? nowMs), dueAtMs ?? nowMs),
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
        [ids, at(nowMs), nextRingAt(at(nowMs), nowMs)],
      );
    },
    ring,
    sweep: async () => {
      const total = { rung: 0, jobless: [] as Row[], givenUp: [] as Row[] };
      for (let batch = 0; batch < sweepBatchesMax; batch += 1) {
        const { rung, jobless, givenUp, more, after } = await sweepBatch();
        after?.();
        total.rung += rung;
        total.jobless.push(...jobless);
        total.givenUp.push(...givenUp);
        if (!more) break;
      }
      return total;
    },
  };
}
