// The rows of a work table that one process has in flight: their leases, and a lane for each
// receiver. A queue job only passes rows on, so it never waits for a receiver:
//
//   accept(ids) ── places ── claim ── each entry to the lane of its receiver ── attempt ── result
//
// The rows of a killed process are free again when their lease expires. No organisation can take
// all places (docs/platform.md#lanes): a claim waits for those with quick attempts, and the excess
// of slow ones is deferred to Postgres.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ignoreFailure, repeat, type Clock, type Log } from '@parley/server/runtime';
import { endsInAMoment } from '../isolation/crash-isolation.ts';
import { createLanes, type AttemptTiming, type LaneEntry, type Lanes } from './lanes.ts';
import type { LaneLimits } from './pacing.rules.ts';
import { createSemaphore } from './semaphore.ts';
import { createShares } from './shares.ts';
import type { SuspectedRow, WorkRow, WorkTable } from './work-rows.ts';

/** One attempt to make. A row may stand for several. */
export interface WorkEntry extends LaneEntry {
  /** The row of the work table whose lease covers it. */
  readonly rowId: string;
  /**
   * Memory that it holds while in flight. Counted where the table's claims are limited by bytes.
   */
  readonly bytes?: number;
  /**
   * The claim of its row. After a lost lease the same row may be in flight again with other
   * entries.
   */
  held?: ClaimedRow;
}

export interface Claim<Entry> {
  /** The rows that this process holds now. */
  readonly rowIds: readonly string[];
  /** The attempts to make, at most `entriesPerClaim` together. */
  readonly entries: readonly Entry[];
}

export interface WorkInFlightOptions<Row extends WorkRow, Entry extends WorkEntry> {
  readonly table: WorkTable<Row>;
  readonly clock: Clock;
  readonly log: Log;
  /** Maximum of entries in flight, waiting or running. Bounds the memory of a worker. */
  readonly placesMax: number;
  /**
   * Maximum bytes of entries in flight, where claims are limited by bytes
   * (docs/platform.md#byte-budgets).
   */
  readonly bytesMax?: number;
  /** Maximum of entries of one `accept`. */
  readonly entriesPerClaim: number;
  /** Pause of a receiver after a timeout (ms). */
  readonly pauseMs: number;
  /** Default: those of pacing.rules.ts. */
  readonly limits?: LaneLimits;
  /** `isIsolated`: one row, with which workers died. */
  readonly claim: (ids: readonly string[], lease: string, isIsolated: boolean) => Promise<Claim<Entry>>;
  /**
   * Makes one attempt and handles its result; null when none was made. Must not reject: a failure
   * of ours is a result as well. `signal` returns a signal that aborts when the process ends.
   */
  readonly attempt: (entry: Entry, signal: () => AbortSignal) => Promise<AttemptTiming | null>;
  /**
   * Writes that these are due then, without an attempt. `isInDoubt`: their receiver let an attempt
   * time out. Default: `release`, right for rows of one entry.
   */
  readonly defer?: (entries: readonly Entry[], dueAtMs: number, inDoubt: boolean) => void;
  /** Writes pending results before a stopping process releases its rows. */
  readonly flush?: (deadlineMs: number) => Promise<void>;
}

export interface WorkInFlight<Entry extends WorkEntry> {
  /** The holder of the rows of this process. */
  readonly lease: string;
  readonly lanes: Lanes<Entry>;
  /** Claims rows and passes their entries on. Waits while too much is in flight. */
  accept(ids: readonly string[], signal: AbortSignal): Promise<void>;
  /** The same, with one claim. Returns the rows that did not fit. */
  acceptFitting(ids: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Counts entries as finished, before their results are written. Returns the rows without open
   * entries.
   */
  closeEntries(entries: readonly Entry[]): readonly string[];
  /** Frees the places of entries whose results are written. */
  freePlaces(entries: readonly Entry[]): void;
  /**
   * Finishes entries without a result. Releases rows without open entries, due immediately or at
   * `dueAtMs`. Never rejects.
   */
  release(entries: readonly Entry[], dueAtMs?: number, set?: string): Promise<void>;
  /** Waits for attempts in flight and releases the rest. Close the workers first. */
  close(): Promise<void>;
}

export interface ClaimedRow {
  readonly id: string;
  /** Number of its entries without a result. */
  open: number;
  /** Number of its entries with a running attempt. */
  running: number;
  leasedUntilMs: number;
  readonly isIsolated: boolean;
  /** Called when none of its entries is in flight any more. */
  ended?: () => void;
}

/** A third: one renewal may fail. */
const RENEWALS_PER_LEASE = 3;
/**
 * How often lanes are checked: an entry leaves a hanging receiver at most this long after its
 * patience.
 */
const TIDY_EVERY_MS = 250;
/**
 * Grace for running attempts when stopping. With the workers' own grace it fits the 25 s of a
 * process.
 */
const STOP_MS = 6_000;
const STOP_LOOK_EVERY_MS = 20;
/** An aborted attempt needs a moment to report. */
const BREAK_OFF_MS = 500;
/**
 * Suspected rows of an organisation that wait in this process for isolation. The rest is
 * re-enqueued.
 */
const SUSPECTED_MAX = 100;
/** Minimum time to write results: an attempt whose result is lost is repeated. */
const FLUSH_MS = 1_500;

export function createWorkInFlight<Row extends WorkRow, Entry extends WorkEntry>(
  options: WorkInFlightOptions<Row, Entry>,
): WorkInFlight<Entry> {
  const { table, clock, log, placesMax, entriesPerClaim, pauseMs } = options;
  const defer = options.defer ?? ((entries, dueAtMs) => void release(entries, dueAtMs));
  const lease = randomUUID();
  const rows = new Map<string, ClaimedRow>();
  const { bytesMax = Infinity } = options;
  const weigh = ({ bytes = 0 }: Entry) => Math.max(1, Math.ceil((bytes / bytesMax) * placesMax));
  const shares = createShares<Entry>({ placesMax, entriesPerClaim, pauseMs, clock, weigh });
  const places = createSemaphore(placesMax, () => closing || shares.canAccept(places.taken()));
  const { claimBytesMax = 0, isolation } = table;
  const bytes = createSemaphore(bytesMax);
  /** Suspected rows that wait for isolation, by organisation. */
  const waitingForIsolation = new Map<string, Set<string>>();
  /**
   * One for each attempt: a signal that lives as long as the process keeps everything combined with
   * it (Node 20).
   */
  const runningAttempts = new Set<{ breakOff?: AbortController }>();
  let closing = false;
  const lanes = createLanes<Entry>(clock, pauseMs, { start, defer }, options.limits);

  async function accept(ids: readonly string[], signal: AbortSignal): Promise<void> {
    for (let left = ids; left.length > 0;) left = await acceptFitting(left, signal);
  }

  async function acceptFitting(ids: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    if (closing) return [];
    const claimed = await acceptSome(ids, signal);
    const others = ids.filter((id) => !claimed.has(id));
    if (others.length === 0 || closing || signal.aborted) return [];
    const { suspected, unfit } = await table.explainUnclaimed(others);
    suspected.forEach(acceptIsolated);
    return claimed.size > 0 ? unfit : [];
  }

  /** Returns the rows that it claimed. */
  async function acceptSome(ids: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>> {
    // Reserves places and bytes for a full claim until their real number is known.
    const none: ReadonlySet<string> = new Set();
    // the job is lost, and the sweeper re-enqueues
    if (!(await places.acquire(entriesPerClaim, signal))) return none;
    if (!(await bytes.acquire(claimBytesMax, signal))) {
      places.release(entriesPerClaim);
      return none;
    }
    let claimed: Claim<Entry> = { rowIds: [], entries: [] };
    let held: ReturnType<typeof hold> = { rows: [], empty: [] };
    let admitted: readonly Entry[] = [];
    try {
      const leasedUntilMs = clock() + table.leaseMs;
      if (!closing) claimed = await options.claim(ids, lease, false);
      // Before anything is passed on: an entry may be deferred and finished immediately.
      held = hold(claimed, leasedUntilMs, false);
      admitted = shares.admit(claimed.entries, defer);
    } finally {
      places.release(entriesPerClaim - claimed.entries.length);
      bytes.release(claimBytesMax - countBytes(claimed.entries));
    }
    lanes.add(admitted);
    // Last, because it may fail. Claimed entries must be in their lanes by then, or they would
    // never be attempted.
    if (held.empty.length > 0) await table.remove(held.empty, lease);
    return new Set(claimed.rowIds);
  }

  function hold({ rowIds, entries }: Claim<Entry>, leasedUntilMs: number, isIsolated: boolean) {
    const fresh = new Map<string, ClaimedRow>();
    for (const id of rowIds) fresh.set(id, { id, open: 0, running: 0, leasedUntilMs, isIsolated });
    for (const entry of entries) {
      const row = fresh.get(entry.rowId) as ClaimedRow;
      row.open += 1;
      entry.held = row;
    }
    for (const row of fresh.values()) if (row.open > 0) rows.set(row.id, row);
    const empty = [...fresh.values()].filter(({ open }) => open === 0).map(({ id }) => id);
    return { rows: [...fresh.values()], empty };
  }

  /** Runs in the background, so that the job does not wait for it. */
  function acceptIsolated({ id, organizationId }: SuspectedRow): void {
    const its = waitingForIsolation.get(organizationId) ?? new Set();
    if (its.has(id) || its.size === SUSPECTED_MAX) return;
    waitingForIsolation.set(organizationId, its.add(id));
    const one = isolation
      .runIsolated(organizationId, () => attemptIsolated(id))
      .finally(() => its.delete(id) && its.size === 0 && waitingForIsolation.delete(organizationId));
    void ignoreFailure(one, 'it is re-enqueued', log);
  }

  /**
   * Claims the row only when no other work starts: a worker that dies now dies of it. Bypasses the
   * lane. Ends with the attempt, or when the attempt waits for its receiver.
   */
  async function attemptIsolated(id: string): Promise<void> {
    if (closing) return;
    const leasedUntilMs = clock() + table.leaseMs;
    const claimed = await options.claim([id], lease, true);
    if (claimed.rowIds.length === 0) return;
    log.warn({ table: table.table, row_id: id }, 'work.taken_alone');
    const { rows: heldRows, empty } = hold(claimed, leasedUntilMs, true);
    // may exceed the limit: those who hold the places wait for this
    places.release(-claimed.entries.length);
    bytes.release(-countBytes(claimed.entries));
    claimed.entries.forEach(shares.enter);
    const ended = heldRows
      .filter(({ open }) => open > 0)
      .map((row) => new Promise<void>((done) => (row.ended = done)));
    const attempts = attemptEach(claimed.entries, ended);
    if (await endsInAMoment(attempts)) await attempts;
    else await table.clear([id], lease); // it waits for an answer: later deaths have another cause
    if (empty.length > 0) await table.remove(empty, lease);
  }

  async function attemptEach(entries: readonly Entry[], ended: readonly Promise<void>[]): Promise<void> {
    for (const entry of entries) await start(entry);
    await Promise.all(ended);
  }

  /** Called by the lane scheduler. */
  async function start(entry: Entry): Promise<AttemptTiming | null> {
    const row = entry.held as ClaimedRow;
    if (row.leasedUntilMs <= clock()) {
      // The process or Postgres was frozen for too long: another process may hold the row by now.
      log.warn({ table: table.table, row_id: entry.rowId }, 'work.lease_lost');
      row.open = 0;
      freePlaces([entry]);
      return null;
    }
    const one: { breakOff?: AbortController } = {};
    runningAttempts.add(one);
    row.running += 1;
    const attempt = () => options.attempt(entry, () => (one.breakOff ??= new AbortController()).signal);
    const ended = await (row.isIsolated ? attempt() : isolation.runConcurrent(attempt));
    row.running -= 1;
    runningAttempts.delete(one);
    if (ended) shares.recordAttempt(entry, ended.ms);
    return ended;
  }

  function closeEntries(entries: readonly Entry[]): readonly string[] {
    const done: string[] = [];
    for (const entry of entries) {
      const row = entry.held as ClaimedRow;
      row.open -= 1;
      if (row.open === 0) done.push(row.id);
    }
    return done;
  }

  function freePlaces(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const row = entry.held as ClaimedRow;
      if (row.open <= 0) {
        if (rows.get(row.id) === row) rows.delete(row.id);
        row.ended?.();
      }
      shares.leave(entry);
    }
    places.release(entries.length);
    bytes.release(countBytes(entries));
  }

  async function release(entries: readonly Entry[], dueAtMs?: number, set?: string): Promise<void> {
    const released = table.release(closeEntries(entries), lease, dueAtMs, set).then(table.enqueue);
    await ignoreFailure(released, 'the leases expire', log);
    freePlaces(entries);
  }

  const renewEveryMs = table.leaseMs / RENEWALS_PER_LEASE;
  const renewing = repeat(
    { everyMs: renewEveryMs, firstAfterMs: renewEveryMs, name: `${table.table}.renew`, log },
    async () => {
      const asked = [...rows.values()];
      if (asked.length === 0) return;
      const nowMs = clock();
      const ours = await table.renew(
        asked.map(({ id }) => id),
        lease,
      );
      for (const row of asked) row.leasedUntilMs = ours.has(row.id) ? nowMs + table.leaseMs : 0;
    },
  );
  const tidying = repeat(
    { everyMs: TIDY_EVERY_MS, firstAfterMs: TIDY_EVERY_MS, name: `${table.table}.tidy`, log },
    async () => {
      lanes.tidy();
      places.recheck();
    },
  );

  async function close(): Promise<void> {
    closing = true;
    const deadlineMs = clock() + STOP_MS;
    await tidying.close();
    const waiting = lanes.clear();
    places.release(waiting.length);
    bytes.release(countBytes(waiting));
    while (clock() < deadlineMs && runningAttempts.size > 0) await delay(STOP_LOOK_EVERY_MS);
    for (const { breakOff } of runningAttempts) breakOff?.abort();
    while (clock() < deadlineMs + BREAK_OFF_MS && runningAttempts.size > 0) await delay(STOP_LOOK_EVERY_MS);
    await options.flush?.(Math.max(deadlineMs, clock() + FLUSH_MS));
    await renewing.close();
    // Rows with a running attempt keep their lease until it expires: no two attempts at once.
    const busy = [...rows.values()].filter((row) => row.running > 0).map(({ id }) => id);
    if (busy.length > 0) await table.abandon(busy, lease);
    const idle = [...rows.values()].filter((row) => row.running === 0).map(({ id }) => id);
    if (idle.length > 0) await table.enqueue(await table.release(idle, lease));
  }

  return { lease, lanes, accept, acceptFitting, closeEntries, freePlaces, release, close };
}

function countBytes(entries: readonly WorkEntry[]): number {
  return entries.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
}
