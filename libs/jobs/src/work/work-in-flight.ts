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
import { ignoreFailure, repeat, type RepeatedTask } from '@parley/server/runtime';
import { endsInAMoment } from '../isolation/crash-isolation.ts';
import { createLanes, type AttemptTiming, type Lanes } from './lanes.ts';
import { createSemaphore, type Semaphore } from './semaphore.ts';
import { createShares, type Shares } from './shares.ts';
import type { Claim, ClaimedRow, WorkEntry, WorkInFlight, WorkInFlightOptions } from './work-entries.ts';
import type { ClaimRows, SuspectedRow, WorkRow } from './work-rows.ts';

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

/** A claim of rows that are one entry each. */
export function claimEach<Row extends { readonly id: string }, Entry extends WorkEntry>(
  claim: ClaimRows<Row>,
  toEntry: (row: Row) => Entry,
): WorkInFlightOptions<WorkRow, Entry>['claim'] {
  return async (ids, lease, isIsolated) => {
    const rows = await claim(ids, lease, [], isIsolated);
    return { rowIds: rows.map(({ id }) => id), entries: rows.map(toEntry) };
  };
}

export function createWorkInFlight<Row extends WorkRow, Entry extends WorkEntry>(
  options: WorkInFlightOptions<Row, Entry>,
): WorkInFlight<Entry> {
  const work = new RowsInFlight(options);
  return {
    lease: work.lease,
    lanes: work.lanes,
    accept: (ids, signal) => work.accept(ids, signal),
    acceptFitting: (ids, signal) => work.acceptFitting(ids, signal),
    closeEntries: (entries) => work.closeEntries(entries),
    freePlaces: (entries) => work.freePlaces(entries),
    finish: (entry) => work.finish(entry),
    release: (entries, dueAtMs, set) => work.release(entries, dueAtMs, set),
    close: () => work.close(),
  };
}

class RowsInFlight<Row extends WorkRow, Entry extends WorkEntry> implements WorkInFlight<Entry> {
  readonly lease = randomUUID();
  readonly lanes: Lanes<Entry>;
  readonly #options: WorkInFlightOptions<Row, Entry>;
  readonly #defer: (entries: readonly Entry[], dueAtMs: number, isInDoubt: boolean) => void;
  readonly #rows = new Map<string, ClaimedRow>();
  readonly #shares: Shares<Entry>;
  readonly #places: Semaphore;
  readonly #bytes: Semaphore;
  /** Suspected rows that wait for isolation, by organisation. */
  readonly #waitingForIsolation = new Map<string, Set<string>>();
  /**
   * One for each attempt: a signal that lives as long as the process keeps everything combined with
   * it (Node 20).
   */
  readonly #runningAttempts = new Set<{ breakOff?: AbortController }>();
  readonly #renewing: RepeatedTask;
  readonly #tidying: RepeatedTask;
  #closing = false;

  constructor(options: WorkInFlightOptions<Row, Entry>) {
    const { table, clock, log, placesMax, entriesPerClaim, pauseMs, bytesMax = Infinity } = options;
    const weigh = ({ bytes = 0 }: Entry) => Math.max(1, Math.ceil((bytes / bytesMax) * placesMax));
    const canAccept = () => this.#closing || this.#shares.canAccept(this.#places.taken());
    this.#options = options;
    this.#defer = options.defer ?? ((entries, dueAtMs) => void this.release(entries, dueAtMs));
    this.#shares = createShares<Entry>({ placesMax, entriesPerClaim, pauseMs, clock, weigh });
    this.#places = createSemaphore(placesMax, canAccept);
    this.#bytes = createSemaphore(bytesMax);
    const hooks = { start: (entry: Entry) => this.#start(entry), defer: this.#defer };
    this.lanes = createLanes<Entry>(clock, pauseMs, hooks, options.limits);
    const every = (everyMs: number, name: string, task: () => Promise<void>) =>
      repeat({ everyMs, name: `${table.table}.${name}`, log }, task);
    this.#renewing = every(table.leaseMs / RENEWALS_PER_LEASE, 'renew', () => this.#renew());
    this.#tidying = every(TIDY_EVERY_MS, 'tidy', async () => {
      this.lanes.tidy();
      this.#places.recheck();
    });
  }

  async accept(ids: readonly string[], signal: AbortSignal): Promise<void> {
    for (let left = ids; left.length > 0;) left = await this.acceptFitting(left, signal);
  }

  async acceptFitting(ids: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    if (this.#closing) return [];
    const claimed = await this.#acceptSome(ids, signal);
    const others = ids.filter((id) => !claimed.has(id));
    if (others.length === 0 || this.#closing || signal.aborted) return [];
    const { suspected, unfit } = await this.#options.table.explainUnclaimed(others);
    for (const row of suspected) this.#acceptIsolated(row);
    return claimed.size > 0 ? unfit : [];
  }

  /** Returns the rows that it claimed. */
  async #acceptSome(ids: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>> {
    const { table, clock, entriesPerClaim } = this.#options;
    const { claimBytesMax = 0 } = table;
    // Reserves places and bytes for a full claim until their real number is known.
    const none: ReadonlySet<string> = new Set();
    // the job is lost, and the sweeper re-enqueues
    if (!(await this.#places.acquire(entriesPerClaim, signal))) return none;
    if (!(await this.#bytes.acquire(claimBytesMax, signal))) {
      this.#places.release(entriesPerClaim);
      return none;
    }
    let claimed: Claim<Entry> = { rowIds: [], entries: [] };
    let empty: readonly string[] = [];
    let admitted: readonly Entry[] = [];
    try {
      const leasedUntilMs = clock() + table.leaseMs;
      if (!this.#closing) claimed = await this.#options.claim(ids, this.lease, false);
      // Before anything is passed on: an entry may be deferred and finished immediately.
      ({ empty } = this.#hold(claimed, leasedUntilMs, false));
      admitted = this.#shares.admit(claimed.entries, this.#defer);
    } finally {
      this.#places.release(entriesPerClaim - claimed.entries.length);
      this.#bytes.release(claimBytesMax - countBytes(claimed.entries));
    }
    this.lanes.add(admitted);
    // Last, because it may fail. Claimed entries must be in their lanes by then, or they would
    // never be attempted.
    if (empty.length > 0) await table.remove(empty, this.lease);
    return new Set(claimed.rowIds);
  }

  #hold({ rowIds, entries }: Claim<Entry>, leasedUntilMs: number, isIsolated: boolean) {
    const fresh = new Map<string, ClaimedRow>();
    for (const id of rowIds) fresh.set(id, { id, open: 0, running: 0, leasedUntilMs, isIsolated });
    for (const entry of entries) {
      const row = fresh.get(entry.rowId) as ClaimedRow;
      row.open += 1;
      entry.held = row;
    }
    for (const row of fresh.values()) if (row.open > 0) this.#rows.set(row.id, row);
    const empty = [...fresh.values()].filter(({ open }) => open === 0).map(({ id }) => id);
    return { rows: [...fresh.values()], empty };
  }

  /** Runs in the background, so that the job does not wait for it. */
  #acceptIsolated({ id, organizationId }: SuspectedRow): void {
    const { table, log } = this.#options;
    const waiting = this.#waitingForIsolation;
    const its = waiting.get(organizationId) ?? new Set();
    if (its.has(id) || its.size === SUSPECTED_MAX) return;
    waiting.set(organizationId, its.add(id));
    const one = table.isolation
      .runIsolated(organizationId, () => this.#attemptIsolated(id))
      .finally(() => its.delete(id) && its.size === 0 && waiting.delete(organizationId));
    void ignoreFailure(one, 'it is re-enqueued', log);
  }

  /**
   * Claims the row only when no other work starts: a worker that dies now dies of it. Bypasses the
   * lane. Ends with the attempt, or when the attempt waits for its receiver.
   */
  async #attemptIsolated(id: string): Promise<void> {
    if (this.#closing) return;
    const { table, clock, log } = this.#options;
    const leasedUntilMs = clock() + table.leaseMs;
    const claimed = await this.#claimIsolated(id);
    if (claimed.rowIds.length === 0) return;
    log.warn({ table: table.table, row_id: id }, 'work.taken_alone');
    const { rows: heldRows, empty } = this.#hold(claimed, leasedUntilMs, true);
    // may exceed the limit: those who hold the places wait for this
    this.#places.release(-claimed.entries.length);
    this.#bytes.release(-countBytes(claimed.entries));
    claimed.entries.forEach(this.#shares.enter);
    const ended = heldRows
      .filter(({ open }) => open > 0)
      .map((row) => new Promise<void>((done) => (row.ended = done)));
    const attempts = this.#attemptEach(claimed.entries, ended);
    if (await endsInAMoment(attempts)) await attempts;
    else await table.clear([id], this.lease); // it waits for an answer: later deaths have another cause
    if (empty.length > 0) await table.remove(empty, this.lease);
  }

  /** A stopping process waits for it, like for an attempt: or its row would count another death. */
  async #claimIsolated(id: string): Promise<Claim<Entry>> {
    const claiming = {};
    this.#runningAttempts.add(claiming);
    try {
      return await this.#options.claim([id], this.lease, true);
    } finally {
      this.#runningAttempts.delete(claiming);
    }
  }

  async #attemptEach(entries: readonly Entry[], ended: readonly Promise<void>[]): Promise<void> {
    for (const entry of entries) await this.#start(entry);
    await Promise.all(ended);
  }

  /** Called by the lane scheduler. */
  async #start(entry: Entry): Promise<AttemptTiming | null> {
    const { table, clock, log } = this.#options;
    const row = entry.held as ClaimedRow;
    if (row.leasedUntilMs <= clock()) {
      // The process or Postgres was frozen for too long: another process may hold the row by now.
      log.warn({ table: table.table, row_id: entry.rowId }, 'work.lease_lost');
      row.open = 0;
      this.freePlaces([entry]);
      return null;
    }
    const one: { breakOff?: AbortController } = {};
    this.#runningAttempts.add(one);
    row.running += 1;
    const signal = () => (one.breakOff ??= new AbortController()).signal;
    const attempt = () => this.#options.attempt(entry, signal);
    const ended = await (row.isIsolated ? attempt() : table.isolation.runConcurrent(attempt));
    row.running -= 1;
    this.#runningAttempts.delete(one);
    if (ended) this.#shares.recordAttempt(entry, ended.ms);
    return ended;
  }

  closeEntries(entries: readonly Entry[]): readonly string[] {
    const done: string[] = [];
    for (const entry of entries) {
      const row = entry.held as ClaimedRow;
      row.open -= 1;
      if (row.open === 0) done.push(row.id);
    }
    return done;
  }

  freePlaces(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const row = entry.held as ClaimedRow;
      if (row.open <= 0) {
        if (this.#rows.get(row.id) === row) this.#rows.delete(row.id);
        row.ended?.();
      }
      this.#shares.leave(entry);
    }
    this.#places.release(entries.length);
    this.#bytes.release(countBytes(entries));
  }

  finish(entry: Entry): void {
    this.closeEntries([entry]);
    this.freePlaces([entry]);
  }

  async release(entries: readonly Entry[], dueAtMs?: number, set?: string): Promise<void> {
    const { table, log } = this.#options;
    const released = table.release(this.closeEntries(entries), this.lease, dueAtMs, set).then(table.enqueue);
    await ignoreFailure(released, 'the leases expire', log);
    this.freePlaces(entries);
  }

  async #renew(): Promise<void> {
    const { table, clock } = this.#options;
    const asked = [...this.#rows.values()];
    if (asked.length === 0) return;
    const nowMs = clock();
    const ours = await table.renew(
      asked.map(({ id }) => id),
      this.lease,
    );
    for (const row of asked) row.leasedUntilMs = ours.has(row.id) ? nowMs + table.leaseMs : 0;
  }

  async close(): Promise<void> {
    const { table, clock, flush } = this.#options;
    this.#closing = true;
    const deadlineMs = clock() + STOP_MS;
    await this.#tidying.close();
    const waiting = this.lanes.clear();
    this.#places.release(waiting.length);
    this.#bytes.release(countBytes(waiting));
    await this.#untilIdle(deadlineMs);
    for (const { breakOff } of this.#runningAttempts) breakOff?.abort();
    await this.#untilIdle(deadlineMs + BREAK_OFF_MS);
    await flush?.(Math.max(deadlineMs, clock() + FLUSH_MS));
    await this.#renewing.close();
    // Rows with a running attempt keep their lease until it expires: no two attempts at once.
    const rows = [...this.#rows.values()];
    const busy = rows.filter(({ running }) => running > 0).map(({ id }) => id);
    if (busy.length > 0) await table.abandon(busy, this.lease);
    const idle = [...this.#rows.values()].filter(({ running }) => running === 0).map(({ id }) => id);
    if (idle.length > 0) await table.enqueue(await table.release(idle, this.lease));
  }

  async #untilIdle(deadlineMs: number): Promise<void> {
    const { clock } = this.#options;
    while (clock() < deadlineMs && this.#runningAttempts.size > 0) await delay(STOP_LOOK_EVERY_MS);
  }
}

function countBytes(entries: readonly WorkEntry[]): number {
  return entries.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
}
