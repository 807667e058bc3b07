// The types of work in flight: attempts to make, and the rows that they are of.
import type { Clock, Log } from '@parley/server/runtime';
import type { AttemptTiming, LaneEntry, Lanes } from './lanes.ts';
import type { LaneLimits } from './pacing.rules.ts';
import type { WorkRow, WorkTable } from './work-rows.ts';

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
  /** Both, for an entry whose result is written. */
  finish(entry: Entry): void;
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
