// The types of work tables: rows that say what remains to be done (README.md, "Work tables").
import type pg from 'pg';
import type { Sql } from '@parley/server/postgres';
import type { Clock } from '@parley/server/runtime';
import type { CrashIsolation } from '../isolation/crash-isolation.ts';
import type { JobKind } from '../job-kind.ts';
import type { NewJob } from '../producer.ts';
import type { Queues } from '../queues.ts';
import type { ByteBudget } from './work-statements.ts';

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
  readonly columns?: Partial<Record<'dueAt' | 'lease' | 'leasedUntil', string>>;
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

/** Claims those of the rows that are due and free. */
export type ClaimRows<Claimed> = (
  ids: readonly string[],
  lease: string,
  values?: readonly unknown[],
  isIsolated?: boolean,
) => Promise<Claimed[]>;

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
  prepareClaim<Claimed>(statement: { readonly set?: string; readonly select: string }): ClaimRows<Claimed>;
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
