// A work table: rows that say what remains to be done. Postgres is the source of truth and the
// queue only carries wake-ups (docs/platform.md#nothing-accepted-is-lost). Holds every statement
// that all work tables share: claim, renew, release, enqueue, sweep. See README.md, "Work tables".
import { inTransaction, sqlOf, type Sql } from '@parley/server/postgres';
import { ISOLATION_DEATHS, QUARANTINE_DEATHS } from '../isolation/deaths.ts';
import { organizationSql } from '../isolation/quarantines.ts';
import { buildJobId, type JobKind } from '../job-kind.ts';
import { computeNextRingAt, NEVER } from '../reenqueue.rules.ts';
import type {
  SuspectedRow,
  SweepResult,
  WorkJob,
  WorkRow,
  WorkTable,
  WorkTableOptions,
} from './work-rows.ts';
import { workStatements } from './work-statements.ts';

const COLUMNS = { dueAt: 'due_at', lease: 'lease', leasedUntil: 'leased_until' };
const LEASE_MS = 10_000;
/**
 * The engine's clock decides when a delayed job is due. A job that comes a moment early would find
 * nothing to claim.
 */
const DELAY_MARGIN_MS = 10;
const SWEEP_ROWS_MAX = 200;
const SWEEP_BATCHES_MAX = 50;

/** A work table with its statements. */
interface OpenTable<Row extends WorkRow> extends WorkTableOptions<Row> {
  readonly leaseMs: number;
  readonly dueAt: string;
  readonly lease: string;
  readonly leasedUntil: string;
  /** The select list of a row. */
  readonly row: string;
  /** SQL condition: $1 ids, $2 the holder. */
  readonly held: string;
  readonly sql: Sql;
  readonly statements: ReturnType<typeof workStatements>;
}

export function createWorkTable<Row extends WorkRow>(options: WorkTableOptions<Row>): WorkTable<Row> {
  const { table, pool, queues, leaseMs = LEASE_MS, leased = true } = options;
  const { dueAt, lease, leasedUntil } = { ...COLUMNS, ...options.columns };
  const row = `${table}.id, ${table}.rings, ${table}.${dueAt} AS "dueAt"${options.select ? `, ${options.select}` : ''}`;
  const organization = organizationSql(table);
  const open: OpenTable<Row> = {
    ...options,
    leaseMs,
    dueAt,
    lease,
    leasedUntil,
    row,
    sql: sqlOf(pool),
    // A row that was settled elsewhere while in flight has no lease, although its holder column is
    // set.
    held: `id = ANY($1::text[]) AND ${lease} = $2 AND ${leasedUntil} IS NOT NULL`,
    statements: workStatements({ ...options, leased, row, dueAt, lease, leasedUntil, organization }),
  };
  return {
    table,
    leaseMs,
    claimBytesMax: options.claimBytes?.max,
    isolation: queues.isolation,
    ...createClaims(open),
    ...createLeaseStatements(open),
    ...createReleaseStatements(open),
    enqueue: (rows) => enqueueRows(open, rows),
    sweep: () => sweepRows(open),
  };
}

/** The job of one row, whose payload is its id. */
export function toRowJob<Row extends WorkRow>(
  kind: JobKind<{ id: string }>,
  row: Row,
  attempt = 1,
): WorkJob<Row> {
  const { id, rings } = row;
  return { kind, newJob: { row: id, attempt, enqueueNumber: rings, payload: { id } }, rows: [row] };
}

const toDate = (ms: number) => new Date(ms);

function createClaims<Row extends WorkRow>({
  sql,
  clock,
  leaseMs,
  earlyMs = 0,
  statements,
}: OpenTable<Row>): Pick<WorkTable<Row>, 'prepareClaim' | 'explainUnclaimed'> {
  return {
    prepareClaim: <Claimed>(statement: { readonly set?: string; readonly select: string }) => {
      const { together, isolated } = statements.claims(statement);
      return (ids, holder, values = [], isIsolated = false) => {
        const nowMs = clock();
        const times = [toDate(nowMs), toDate(nowMs + leaseMs), toDate(nowMs + earlyMs)];
        return sql<Claimed>(isIsolated ? isolated : together, [ids, holder, ...times, ...values]);
      };
    },
    explainUnclaimed: async (ids) => {
      const nowMs = clock();
      const given = [ids, toDate(nowMs), toDate(nowMs + earlyMs)];
      const rows = await sql<SuspectedRow & { deaths: number }>(statements.free, given);
      const suspected = rows.filter(({ deaths }) => deaths === ISOLATION_DEATHS);
      const unfit = rows.filter(({ deaths }) => deaths < ISOLATION_DEATHS).map(({ id }) => id);
      return { suspected, unfit };
    },
  };
}

/** Statements on rows that the caller holds. */
function createLeaseStatements<Row extends WorkRow>(
  open: OpenTable<Row>,
): Pick<WorkTable<Row>, 'renew' | 'clear' | 'abandon' | 'remove'> {
  const { sql, clock, table, held, lease, leasedUntil, leaseMs } = open;
  return {
    renew: async (ids, holder) => {
      const rows = await sql<{ id: string }>(
        `UPDATE ${table} SET ${leasedUntil} = $3, next_ring_at = $3 WHERE ${held} RETURNING id`,
        [ids, holder, toDate(clock() + leaseMs)],
      );
      return new Set(rows.map(({ id }) => id));
    },
    clear: async (ids, holder) => {
      await sql(`UPDATE ${table} SET deaths = 0 WHERE ${held}`, [ids, holder]);
    },
    abandon: async (ids, holder) => {
      await sql(`UPDATE ${table} SET ${lease} = NULL WHERE ${held}`, [ids, holder]);
    },
    remove: async (ids, holder) => {
      await sql(`DELETE FROM ${table} WHERE ${held}`, [ids, holder]);
    },
  };
}

/** Statements that make rows available again, and due at another time. */
function createReleaseStatements<Row extends WorkRow>(
  open: OpenTable<Row>,
): Pick<WorkTable<Row>, 'release' | 'bringForward'> {
  const { sql, clock, table, row, held, dueAt, lease, leasedUntil, setOnRelease } = open;
  return {
    release: async (ids, holder, dueAtMs, set) => {
      const nowMs = clock();
      const more = [setOnRelease, set].map((one) => (one ? `, ${one}` : '')).join('');
      return sql<Row>(
        `UPDATE ${table} SET ${lease} = NULL, ${leasedUntil} = NULL, rings = rings + 1${more},
           ${dueAt} = COALESCE($3::timestamptz, ${dueAt}), next_ring_at = $4
         WHERE ${held} RETURNING ${row}`,
        [
          ids,
          holder,
          dueAtMs === undefined ? null : toDate(dueAtMs),
          computeNextRingAt(toDate(dueAtMs ?? nowMs), dueAtMs ?? nowMs),
        ],
      );
    },
    bringForward: async (ids) => {
      const nowMs = clock();
      return sql<Row>(
        `UPDATE ${table} SET ${dueAt} = $2, next_ring_at = $3, rings = rings + 1
         WHERE id = ANY($1::text[]) AND ${dueAt} > $2 AND ${lease} IS NULL AND quarantined_at IS NULL
         RETURNING ${row}`,
        [ids, toDate(nowMs), computeNextRingAt(toDate(nowMs), nowMs)],
      );
    },
  };
}

async function enqueueRows<Row extends WorkRow>(
  { clock, toJobs, queues }: OpenTable<Row>,
  rows: readonly Row[],
): Promise<readonly Row[]> {
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
async function findQueued<Row extends WorkRow>(
  { toJobs, queues }: OpenTable<Row>,
  rows: readonly Row[],
): Promise<ReadonlySet<Row> | undefined> {
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

async function sweepRows<Row extends WorkRow>(open: OpenTable<Row>): Promise<SweepResult<Row>> {
  const total = { enqueued: 0, jobless: [] as Row[], givenUp: [] as Row[] };
  for (let batch = 0; batch < (open.sweepBatchesMax ?? SWEEP_BATCHES_MAX); batch += 1) {
    const { enqueued, jobless, givenUp, more, after } = await sweepBatch(open);
    after?.();
    total.enqueued += enqueued;
    total.jobless.push(...jobless);
    total.givenUp.push(...givenUp);
    if (!more) break;
  }
  return total;
}

/**
 * Locks the rows while enqueueing, so that another sweeper takes others. If the engine is away or
 * this process dies, they keep their number and time, and the next round finds them due. Rows with
 * a pending job are skipped: workers an hour behind would otherwise have dozens of jobs for each
 * row.
 */
async function sweepBatch<Row extends WorkRow>(
  open: OpenTable<Row>,
): Promise<SweepResult<Row> & { readonly more: boolean; readonly after?: () => void }> {
  const { table, pool, clock, toJobs, enqueueForMs = Infinity, sweepRowsMax = SWEEP_ROWS_MAX } = open;
  return inTransaction(pool, async (sql) => {
    const nowMs = clock();
    const found = await sql<Row & { lost: boolean }>(open.statements.sweep, [toDate(nowMs), sweepRowsMax]);
    if (found.length === 0) return { enqueued: 0, jobless: [], givenUp: [], more: false };
    const lost = found.filter((one) => one.lost);
    const after = lost.length > 0 ? await quarantine(open, sql, lost, nowMs) : undefined;
    const due = found.filter((one) => !one.lost);
    const queued = await findQueued(open, due);
    const withJob = new Set(toJobs(due).flatMap(({ rows }) => rows));
    const jobless = due.filter((one) => !withJob.has(one));
    const again = (one: Row): Row => ({ ...one, rings: one.rings + 1 });
    const lostJobs = queued ? due.filter((one) => withJob.has(one) && !queued.has(one)) : [];
    const enqueued = await enqueueRows(open, lostJobs.map(again));
    const moved = [...jobless.map(again), ...(queued ?? []), ...enqueued];
    const times = moved.map((one) => computeNextRingAt(one.dueAt, nowMs, enqueueForMs));
    await sql(
      `UPDATE ${table} SET rings = next.rings, next_ring_at = next.at
       FROM unnest($1::text[], $2::int[], $3::timestamptz[]) AS next (id, rings, at) WHERE ${table}.id = next.id`,
      [moved.map(({ id }) => id), moved.map(({ rings }) => rings), times],
    );
    const givenUp = moved.filter((_, index) => times[index] === NEVER);
    const isFull = found.length === sweepRowsMax || open.sweepBytes !== undefined;
    const more = isFull && moved.length === due.length;
    return { enqueued: enqueued.length, jobless, givenUp, more, ...(after ? { after } : {}) };
  });
}

async function quarantine<Row extends WorkRow>(
  { table, lease, leasedUntil, onQuarantine }: OpenTable<Row>,
  sql: Sql,
  rows: readonly Row[],
  nowMs: number,
): Promise<(() => void) | void> {
  await sql(
    `UPDATE ${table} SET deaths = ${QUARANTINE_DEATHS}, quarantined_at = $2, ${lease} = NULL, ${leasedUntil} = NULL, next_ring_at = $3
     WHERE id = ANY($1::text[])`,
    [rows.map(({ id }) => id), toDate(nowMs), NEVER],
  );
  return onQuarantine?.(sql, rows);
}
