// What one process has in hand of a work table: claimed rows, their leases, and a lane for each receiver. A job of the queue only hands
// rows over, so it never waits for a receiver:
//
//   take(ids) ── places ── claim ── each entry to the lane of its receiver ── attempt ── result, written by the caller
//
// A killed process's rows are free again when their lease runs out. No organisation can take all places (docs/platform.md#lanes): one
// whose attempts are quick will have a place before long, and the next take waits for it. What one with slow attempts has too much
// of goes back to Postgres, so that nobody waits behind it.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ignoreFailure, type Clock, type Log } from '@parley/runtime';
import { repeat } from '../timing.ts';
import { endsInAMoment } from './company.ts';
import { createLanes, type Ended, type LaneEntry, type Lanes } from './lanes.ts';
import type { LaneLimits } from './pacing.rules.ts';
import { createSemaphore } from './semaphore.ts';
import { createShares } from './shares.ts';
import type { Suspect, WorkRow, WorkTable } from './work-table.ts';

/** One attempt to be made. A row may stand for several. */
export interface WorkEntry extends LaneEntry {
  /** The row of the work table whose lease covers it. */
  readonly rowId: string;
  /** What it keeps in memory while it is in hand. Counted where the table's claims go by bytes. */
  readonly bytes?: number;
  /** The claim of that row, set when it is taken: after a lost lease the same row may be in hand anew, with entries of its own. */
  held?: HeldRow;
}

export interface Claimed<Entry> {
  /** The rows that are ours now. */
  readonly rowIds: readonly string[];
  /** What of them is to be attempted, at most `entriesPerTake` together. */
  readonly entries: readonly Entry[];
}

export interface WorkInHandOptions<Row extends WorkRow, Entry extends WorkEntry> {
  readonly table: WorkTable<Row>;
  readonly clock: Clock;
  readonly log: Log;
  /** Entries in hand at once, waiting or under way: what bounds the memory of a worker. */
  readonly placesMax: number;
  /** Bytes of entries in hand at once, where the table's claims go by bytes (docs/platform.md#byte-budgets). */
  readonly bytesMax?: number;
  /** Entries of one `take`, at most. */
  readonly entriesPerTake: number;
  /** How long a receiver is left alone after a time-out (ms). */
  readonly pauseMs: number;
  /** Default: those of pacing.rules.ts. */
  readonly limits?: LaneLimits;
  /** `alone`: one row, with which workers died. */
  readonly claim: (ids: readonly string[], lease: string, alone: boolean) => Promise<Claimed<Entry>>;
  /**
   * Makes one attempt and sees to its result; null when none was made. Must not reject: a failure of ours is a result as well.
   * `signal` gives what is aborted when the process ends.
   */
  readonly attempt: (entry: Entry, signal: () => AbortSignal) => Promise<Ended | null>;
  /**
   * These are not attempted now: to be written as due then. `inDoubt`: since their receiver let an attempt time out. Default:
   * `handBack`, right for rows of one entry.
   */
  readonly defer?: (entries: readonly Entry[], dueAtMs: number, inDoubt: boolean) => void;
  /** Before the rows in hand are handed back while stopping: writes the results that wait to be written. */
  readonly flush?: (deadlineMs: number) => Promise<void>;
}

export interface WorkInHand<Entry extends WorkEntry> {
  /** Who holds the rows of this process. */
  readonly lease: string;
  readonly lanes: Lanes<Entry>;
  /** Claims rows and hands their entries over; waits while too much is in hand. */
  take(ids: readonly string[], signal: AbortSignal): Promise<void>;
  /** The same, with one claim: gives the rows that did not fit into it. */
  takeFitting(ids: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
  /** Counts these entries as finished, and gives the rows of which nothing is left open. Before their results are written. */
  finishing(entries: readonly Entry[]): readonly string[];
  /** Their results are written: their places are free. */
  finished(entries: readonly Entry[]): void;
  /** Finishes them without a result: rows of which nothing else is open are released, due at once or then. Never rejects. */
  handBack(entries: readonly Entry[], dueAtMs?: number, set?: string): Promise<void>;
  /** Waits for what is under way and hands the rest back. Close the workers first. */
  close(): Promise<void>;
}

export interface HeldRow {
  readonly id: string;
  /** Of its entries, those without a result. */
  open: number;
  /** Of its entries, those under way. */
  underWay: number;
  leasedUntilMs: number;
  /** It is taken alone. */
  readonly alone: boolean;
  /** Called when none of it is in hand any more. */
  ended?: () => void;
}

/** A third: one renewal may fail. */
const RENEWALS_PER_LEASE = 3;
/** Lanes are looked through as often: an entry leaves a receiver that hangs at most so long after its patience is over. */
const TIDY_EVERY_MS = 250;
/** When stopping, what is under way gets so long; with the workers' own grace within the 25 s of a process. */
const STOP_MS = 6_000;
const STOP_LOOK_EVERY_MS = 20;
/** What is broken off then needs a moment to say so. */
const BREAK_OFF_MS = 500;
/** Suspects of an organisation that wait in this process for their turn alone; the rest is rung for again. */
const SUSPECTS_MAX = 100;
/** Results get at least so long to be written: an attempt whose result is lost is made again. */
const FLUSH_MS = 1_500;

export function createWorkInHand<Row extends WorkRow, Entry extends WorkEntry>(
  options: WorkInHandOptions<Row, Entry>,
): WorkInHand<Entry> {
  const { table, clock, log, placesMax, entriesPerTake, pauseMs } = options;
  const defer = options.defer ?? ((entries, dueAtMs) => void handBack(entries, dueAtMs));
  const lease = randomUUID();
  const rows = new Map<string, HeldRow>();
  const { bytesMax = Infinity } = options;
  const weigh = ({ bytes = 0 }: Entry) => Math.max(1, Math.ceil((bytes / bytesMax) * placesMax));
  const shares = createShares<Entry>({ placesMax, entriesPerTake, pauseMs, clock, weigh });
  const places = createSemaphore(placesMax, () => closing || shares.mayTake(places.taken()));
  const { claimBytesMax = 0, company } = table;
  const bytes = createSemaphore(bytesMax);
  /** Suspects that wait for their turn, by organisation. */
  const waitingAlone = new Map<string, Set<string>>();
  /** One an attempt: whatever is combined with a signal that lives as long as the process is kept by it (Node 20). */
  const underWay = new Set<{ breakOff?: AbortController }>();
  let closing = false;
  const lanes = createLanes<Entry>(clock, pauseMs, { start, sendBack: defer }, options.limits);

  async function take(ids: readonly string[], signal: AbortSignal): Promise<void> {
    for (let left = ids; left.length > 0;) left = await takeFitting(left, signal);
  }

  async function takeFitting(ids: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    if (closing) return [];
    const claimed = await takeSome(ids, signal);
    const others = ids.filter((id) => !claimed.has(id));
    if (others.length === 0 || closing || signal.aborted) return [];
    const { suspects, left } = await table.unclaimed(others);
    suspects.forEach(takeAlone);
    return claimed.size > 0 ? left : [];
  }

  /** Gives the rows that it claimed. */
  async function takeSome(ids: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>> {
    // Places for as many as a job may carry, and bytes for as many as a claim may load, until it is known how many there are.
    const none: ReadonlySet<string> = new Set();
    if (!(await places.acquire(entriesPerTake, signal))) return none; // the job is lost, and the sweeper rings again
    if (!(await bytes.acquire(claimBytesMax, signal))) return (places.release(entriesPerTake), none);
    let claimed: Claimed<Entry> = { rowIds: [], entries: [] };
    let held: ReturnType<typeof hold> = { rows: [], empty: [] };
    let admitted: readonly Entry[] = [];
    try {
      const leasedUntilMs = clock() + table.leaseMs;
      if (!closing) claimed = await options.claim(ids, lease, false);
      // Looked for before anything is handed over: an entry may go back, and be finished, at once.
      held = hold(claimed, leasedUntilMs, false);
      admitted = shares.admit(claimed.entries, defer);
    } finally {
      places.release(entriesPerTake - claimed.entries.length);
      bytes.release(claimBytesMax - bytesOf(claimed.entries));
    }
    lanes.add(admitted);
    // Last, because it may fail: what is claimed has to be in its lanes by then, or it would be leased and never attempted.
    if (held.empty.length > 0) await table.remove(held.empty, lease);
    return new Set(claimed.rowIds);
  }

  function hold({ rowIds, entries }: Claimed<Entry>, leasedUntilMs: number, alone: boolean) {
    const fresh = new Map<string, HeldRow>();
    for (const id of rowIds) fresh.set(id, { id, open: 0, underWay: 0, leasedUntilMs, alone });
    for (const entry of entries) {
      const row = fresh.get(entry.rowId) as HeldRow;
      row.open += 1;
      entry.held = row;
    }
    for (const row of fresh.values()) if (row.open > 0) rows.set(row.id, row);
    const empty = [...fresh.values()].filter(({ open }) => open === 0).map(({ id }) => id);
    return { rows: [...fresh.values()], empty };
  }

  /** In its turn, in the background: whoever rang does not wait for it. */
  function takeAlone({ id, organizationId }: Suspect): void {
    const its = waitingAlone.get(organizationId) ?? new Set();
    if (its.has(id) || its.size === SUSPECTS_MAX) return;
    waitingAlone.set(organizationId, its.add(id));
    const one = company
      .alone(organizationId, () => attemptAlone(id))
      .finally(() => its.delete(id) && its.size === 0 && waitingAlone.delete(organizationId));
    void ignoreFailure(one, 'it is rung for again', log);
  }

  /**
   * It is claimed when nobody else begins, and not before: a worker that dies now dies of it. Its lane is not asked. Ends with it, or
   * when it has been alone for so long that it waits for its receiver.
   */
  async function attemptAlone(id: string): Promise<void> {
    if (closing) return;
    const leasedUntilMs = clock() + table.leaseMs;
    const claimed = await options.claim([id], lease, true);
    if (claimed.rowIds.length === 0) return;
    log.warn({ table: table.table, row_id: id }, 'work.taken_alone');
    const { rows: taken, empty } = hold(claimed, leasedUntilMs, true);
    places.release(-claimed.entries.length); // beyond the limit, if need be: those who have the places wait for this
    bytes.release(-bytesOf(claimed.entries));
    claimed.entries.forEach(shares.enter);
    const ended = taken
      .filter(({ open }) => open > 0)
      .map((row) => new Promise<void>((done) => (row.ended = done)));
    const attempted = attemptEach(claimed.entries, ended);
    if (await endsInAMoment(attempted)) await attempted;
    else await table.clear([id], lease); // it waits for an answer: whoever dies from now on dies of something else
    if (empty.length > 0) await table.remove(empty, lease);
  }

  async function attemptEach(entries: readonly Entry[], ended: readonly Promise<void>[]): Promise<void> {
    for (const entry of entries) await start(entry);
    await Promise.all(ended);
  }

  /** The lane's turn has come. */
  async function start(entry: Entry): Promise<Ended | null> {
    const row = entry.held as HeldRow;
    if (row.leasedUntilMs <= clock()) {
      // The process or Postgres stood still for too long: somebody else may have it by now.
      log.warn({ table: table.table, row_id: entry.rowId }, 'work.lease_lost');
      row.open = 0;
      finished([entry]);
      return null;
    }
    const one: { breakOff?: AbortController } = {};
    underWay.add(one);
    row.underWay += 1;
    const attempt = () => options.attempt(entry, () => (one.breakOff ??= new AbortController()).signal);
    const ended = await (row.alone ? attempt() : company.beside(attempt));
    row.underWay -= 1;
    underWay.delete(one);
    if (ended) shares.attempted(entry, ended.ms);
    return ended;
  }

  function finishing(entries: readonly Entry[]): readonly string[] {
    const done: string[] = [];
    for (const entry of entries) {
      const row = entry.held as HeldRow;
      row.open -= 1;
      if (row.open === 0) done.push(row.id);
    }
    return done;
  }

  function finished(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const row = entry.held as HeldRow;
      if (row.open <= 0) {
        if (rows.get(row.id) === row) rows.delete(row.id);
        row.ended?.();
      }
      shares.leave(entry);
    }
    places.release(entries.length);
    bytes.release(bytesOf(entries));
  }

  async function handBack(entries: readonly Entry[], dueAtMs?: number, set?: string): Promise<void> {
    const released = table.release(finishing(entries), lease, dueAtMs, set).then(table.ring);
    await ignoreFailure(released, 'their leases end by themselves', log);
    finished(entries);
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
    bytes.release(bytesOf(waiting));
    while (clock() < deadlineMs && underWay.size > 0) await delay(STOP_LOOK_EVERY_MS);
    for (const { breakOff } of underWay) breakOff?.abort();
    while (clock() < deadlineMs + BREAK_OFF_MS && underWay.size > 0) await delay(STOP_LOOK_EVERY_MS);
    await options.flush?.(Math.max(deadlineMs, clock() + FLUSH_MS));
    await renewing.close();
    // Those with an attempt under way keep their lease until it runs out: it must not be made twice at once.
    const busy = [...rows.values()].filter((row) => row.underWay > 0).map(({ id }) => id);
    if (busy.length > 0) await table.abandon(busy, lease);
    const idle = [...rows.values()].filter((row) => row.underWay === 0).map(({ id }) => id);
    if (idle.length > 0) await table.ring(await table.release(idle, lease));
  }

  return { lease, lanes, take, takeFitting, finishing, finished, handBack, close };
}

function bytesOf(entries: readonly WorkEntry[]): number {
  return entries.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
}
