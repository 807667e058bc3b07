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
import { createLanes, type Ended, type LaneEntry, type Lanes } from './lanes.ts';
import { attemptEnded, freshPace, goBack, PATIENCE_MS, type LaneLimits, type Pace } from './pacing.rules.ts';
import { createSemaphore } from './semaphore.ts';
import type { WorkRow, WorkTable } from './work-table.ts';

/** One attempt to be made. A row may stand for several. */
export interface WorkEntry extends LaneEntry {
  /** The row of the work table whose lease covers it. */
  readonly rowId: string;
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
  /** Entries of one `take`, at most. */
  readonly entriesPerTake: number;
  /** How long a receiver is left alone after a time-out (ms). */
  readonly pauseMs: number;
  /** Default: those of pacing.rules.ts. */
  readonly limits?: LaneLimits;
  readonly claim: (ids: readonly string[], lease: string) => Promise<Claimed<Entry>>;
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
}

interface Organization {
  /** Of its entries, those that have a place. */
  inHand: number;
  /** Until then its attempts count as quick. */
  quickUntilMs: number;
  /** When its last attempt ended; before that, when its first entry came. */
  movedAtMs: number;
  /** At which its work is done. */
  readonly pace: Pace;
}

/** Of the places that others leave, an organisation may take three quarters: whoever comes next finds some. */
const ORGANIZATION_SHARE = 0.75;
/** The rest is for those who come when such shares have become nothing. */
const SHARED = 0.9;
/** A third: one renewal may fail. */
const RENEWALS_PER_LEASE = 3;
/** Lanes are looked through as often: an entry leaves a receiver that hangs at most so long after its patience is over. */
const TIDY_EVERY_MS = 500;
/** When stopping, what is under way gets so long; with the workers' own grace within the 25 s of a process. */
const STOP_MS = 6_000;
const STOP_LOOK_EVERY_MS = 20;
/** What is broken off then needs a moment to say so. */
const BREAK_OFF_MS = 500;
/** Results get at least so long to be written: an attempt whose result is lost is made again. */
const FLUSH_MS = 1_500;

export function createWorkInHand<Row extends WorkRow, Entry extends WorkEntry>(
  options: WorkInHandOptions<Row, Entry>,
): WorkInHand<Entry> {
  const { table, clock, log, placesMax, entriesPerTake, pauseMs } = options;
  const defer = options.defer ?? ((entries, dueAtMs) => void handBack(entries, dueAtMs));
  const sharedMax = placesMax * SHARED;
  const organizationLimits = { concurrencyMax: sharedMax * ORGANIZATION_SHARE, patienceMs: PATIENCE_MS };
  const lease = randomUUID();
  const rows = new Map<string, HeldRow>();
  const places = createSemaphore(placesMax, mayTake);
  /** Of the places, those of entries. The others are of takes that do not know theirs yet. */
  let inHand = 0;
  const organizations = new Map<string, Organization>();
  /** One an attempt: whatever is combined with a signal that lives as long as the process is kept by it (Node 20). */
  const underWay = new Set<{ breakOff?: AbortController }>();
  let closing = false;
  const lanes = createLanes<Entry>(clock, pauseMs, { start, sendBack: defer }, options.limits);

  function shareOf(organization: Organization): number {
    const others = inHand - organization.inHand;
    return Math.max(entriesPerTake, Math.floor((sharedMax - others) * ORGANIZATION_SHARE));
  }

  /** What is taken next may all be one organisation's: it waits until each quick one has places for it within its share. */
  function mayTake(): boolean {
    if (closing) return true;
    const nowMs = clock();
    const comingMax = places.taken() - inHand + entriesPerTake;
    for (const organization of organizations.values()) {
      if (organization.quickUntilMs <= nowMs) continue;
      if (organization.inHand + comingMax > shareOf(organization)) return false;
    }
    return true;
  }

  async function take(ids: readonly string[], signal: AbortSignal): Promise<void> {
    // Places for as many as a job may carry, until it is known how many there are.
    if (!(await places.acquire(entriesPerTake, signal))) return; // the job is lost, and the sweeper rings again
    const leasedUntilMs = clock() + table.leaseMs;
    let claimed: Claimed<Entry> = { rowIds: [], entries: [] };
    let admitted: readonly Entry[] = [];
    let empty: readonly string[] = [];
    const fresh = new Map<string, HeldRow>();
    try {
      if (!closing) claimed = await options.claim(ids, lease);
      for (const id of claimed.rowIds) fresh.set(id, { id, open: 0, underWay: 0, leasedUntilMs });
      for (const entry of claimed.entries) {
        const row = fresh.get(entry.rowId) as HeldRow;
        row.open += 1;
        entry.held = row;
      }
      for (const row of fresh.values()) if (row.open > 0) rows.set(row.id, row);
      // Looked for before anything is handed over: an entry may go back, and be finished, at once.
      empty = [...fresh.values()].filter(({ open }) => open === 0).map(({ id }) => id);
      admitted = withinShare(claimed.entries);
    } finally {
      places.release(entriesPerTake - claimed.entries.length);
    }
    lanes.add(admitted);
    // Last, because it may fail: what is claimed has to be in its lanes by then, or it would be leased and never attempted.
    if (empty.length > 0) await table.remove(empty, lease);
  }

  /**
   * Counts these as in hand, and gives those that are within their organisation's share. The rest goes back, due at the pace at which
   * the organisation's work is done.
   */
  function withinShare(entries: readonly Entry[]): readonly Entry[] {
    const nowMs = clock();
    const admitted: Entry[] = [];
    const over = new Map<Organization, Entry[]>();
    for (const entry of entries) {
      let organization = organizations.get(entry.organizationId);
      if (!organization) {
        const quickUntilMs = nowMs + PATIENCE_MS; // quick until it is known
        organization = { inHand: 0, quickUntilMs, movedAtMs: nowMs, pace: freshPace(organizationLimits) };
        organizations.set(entry.organizationId, organization);
      }
      organization.inHand += 1;
      inHand += 1;
      if (organization.inHand <= shareOf(organization)) admitted.push(entry);
      else if (!over.get(organization)?.push(entry)) over.set(organization, [entry]);
    }
    for (const [{ pace, movedAtMs }, its] of over) {
      for (const { count, dueAtMs } of goBack(pace, its.length, pauseMs, nowMs, nowMs - movedAtMs))
        defer(its.splice(0, count), dueAtMs, false);
    }
    return admitted;
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
    const ended = await options.attempt(entry, () => (one.breakOff ??= new AbortController()).signal);
    row.underWay -= 1;
    underWay.delete(one);
    const organization = organizations.get(entry.organizationId);
    if (ended && organization) {
      const nowMs = clock();
      organization.movedAtMs = nowMs;
      attemptEnded(organization.pace, { ms: ended.ms, timedOut: false, pauseMs }, nowMs);
      if (ended.ms < PATIENCE_MS) organization.quickUntilMs = nowMs + PATIENCE_MS;
    }
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
      if (row.open <= 0 && rows.get(row.id) === row) rows.delete(row.id);
      const organization = organizations.get(entry.organizationId) as Organization;
      organization.inHand -= 1;
      if (organization.inHand === 0) organizations.delete(entry.organizationId);
    }
    inHand -= entries.length;
    places.release(entries.length);
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
    places.release(lanes.clear().length);
    while (clock() < deadlineMs && underWay.size > 0) await delay(STOP_LOOK_EVERY_MS);
    for (const { breakOff } of underWay) breakOff?.abort();
    while (clock() < deadlineMs + BREAK_OFF_MS && underWay.size > 0) await delay(STOP_LOOK_EVERY_MS);
    await options.flush?.(Math.max(deadlineMs, clock() + FLUSH_MS));
    await renewing.close();
    // Those with an attempt under way keep their lease until it runs out: it must not be made twice at once.
    const idle = [...rows.values()].filter((row) => row.underWay === 0).map(({ id }) => id);
    if (idle.length > 0) await table.ring(await table.release(idle, lease));
  }

  return { lease, lanes, take, finishing, finished, handBack, close };
}
