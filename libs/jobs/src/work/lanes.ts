// One lane for each receiver: its waiting entries, those in flight, and its pace. An entry that
// cannot start soon leaves the lane (pacing.rules.ts), so that no lane delays another. Each
// organisation has its own lanes, even for the same address.
import type { Clock } from '@parley/server/runtime';
import {
  recordAttempt,
  createPace,
  scheduleDeferrals,
  mayStart,
  type LaneLimits,
  type Pace,
} from './pacing.rules.ts';

export interface LaneEntry {
  readonly organizationId: string;
  /**
   * The receiver within the organisation: a webhook's id, an address, a provider. Null: there is
   * none, so the entry starts immediately.
   */
  readonly receiver: string | null;
  /** Not the first attempt. */
  readonly retry: boolean;
}

/** The key of an entry's lane. It may hold an address with a token: do not log it. */
export function computeLaneKey({
  organizationId,
  receiver,
}: Pick<LaneEntry, 'organizationId' | 'receiver'>): string {
  return `${organizationId} ${receiver}`;
}

/** Duration and outcome of an attempt, for the pace of its lane. */
export interface AttemptTiming {
  readonly ms: number;
  readonly timedOut: boolean;
}

export interface LaneHooks<Entry> {
  /**
   * Makes the attempt. Null: none was made, which says nothing about the receiver. Must not reject.
   */
  readonly start: (entry: Entry) => Promise<AttemptTiming | null>;
  /**
   * These leave the lane without an attempt, due at `dueAtMs`. `isInDoubt`: because the receiver
   * let an attempt time out.
   */
  readonly defer: (entries: readonly Entry[], dueAtMs: number, inDoubt: boolean) => void;
}

interface Lane<Entry> {
  readonly pace: Pace;
  readonly waiting: Entry[];
  /** When each entry in flight started. */
  readonly startedAtMs: Set<{ atMs: number }>;
  lastUsedMs: number;
}

/**
 * How long the pace of a receiver in doubt is remembered after its last attempt. Longer than any
 * pause.
 */
const REMEMBERED_MS = 5 * 60_000;
/**
 * The same for a receiver that answers. There may be thousands a second: each user of web push is
 * one.
 */
const ANSWERING_REMEMBERED_MS = 10_000;

export interface Lanes<Entry extends LaneEntry> {
  /**
   * Adds each entry to the lane of its receiver. Entries that cannot start soon are deferred
   * together.
   */
  add(entries: readonly Entry[]): void;
  /** Whether the receiver is not in doubt and nothing waits for it. `lane` is a lane key. */
  isFree(lane: string): boolean;
  /** Removes and returns everything that has not started. */
  clear(): readonly Entry[];
  /** Defers entries that waited too long, and forgets unused receivers. Call it regularly. */
  tidy(): void;
}

/** `pauseMs`: pause of a receiver after a timeout. */
export function createLanes<Entry extends LaneEntry>(
  clock: Clock,
  pauseMs: number,
  hooks: LaneHooks<Entry>,
  limits?: LaneLimits,
): Lanes<Entry> {
  const lanes = new Map<string, Lane<Entry>>();

  function openLane(key: string): Lane<Entry> {
    let lane = lanes.get(key);
    if (!lane) {
      lane = { pace: createPace(limits), waiting: [], startedAtMs: new Set(), lastUsedMs: 0 };
      lanes.set(key, lane);
    }
    return lane;
  }

  function measureLoad({ startedAtMs }: Lane<Entry>, ahead: number) {
    const [oldest] = startedAtMs; // a set keeps its order
    return { inFlight: startedAtMs.size, oldestStartedAtMs: oldest?.atMs ?? Infinity, ahead };
  }

  function start(lane: Lane<Entry>, entry: Entry): void {
    const begun = { atMs: clock() };
    lane.startedAtMs.add(begun);
    lane.lastUsedMs = begun.atMs;
    void hooks.start(entry).then((ended) => {
      lane.startedAtMs.delete(begun);
      if (ended) recordAttempt(lane.pace, { ms: ended.ms, timedOut: ended.timedOut, pauseMs }, clock());
      advance(lane);
    });
  }

  /** Starts what may start, then defers what would wait too long. */
  function advance(lane: Lane<Entry>): void {
    const nowMs = clock();
    const { waiting } = lane;
    let started = 0;
    while (started < waiting.length) {
      const entry = waiting[started] as Entry;
      if (mayStart(lane.pace, measureLoad(lane, 0), entry.retry, nowMs) !== 'start') break;
      start(lane, entry);
      started += 1;
    }
    if (started > 0) waiting.splice(0, started);
    // From the last one forward: entries near the front wait less.
    const back: Entry[] = [];
    while (waiting.length > 0) {
      const last = waiting[waiting.length - 1] as Entry;
      if (mayStart(lane.pace, measureLoad(lane, waiting.length - 1), last.retry, nowMs) !== 'go back') break;
      back.push(last);
      waiting.pop();
    }
    if (back.length === 0) return;
    back.reverse();
    const { inFlight, oldestStartedAtMs } = measureLoad(lane, 0);
    const unansweredMs = inFlight > 0 ? nowMs - oldestStartedAtMs : 0;
    const groups = scheduleDeferrals(lane.pace, back.length, pauseMs, nowMs, { unansweredMs });
    for (const { count, dueAtMs } of groups) {
      hooks.defer(back.splice(0, count), dueAtMs, lane.pace.doubtful);
    }
  }

  return {
    add: (entries) => {
      const touched = new Set<Lane<Entry>>();
      for (const entry of entries) {
        if (entry.receiver === null) {
          void hooks.start(entry);
          continue;
        }
        const lane = openLane(computeLaneKey(entry));
        touched.add(lane);
        if (entry.retry) {
          // A due retry goes before the first attempts and after other retries.
          const place = lane.waiting.findIndex((other) => !other.retry);
          lane.waiting.splice(place === -1 ? lane.waiting.length : place, 0, entry);
        } else {
          lane.waiting.push(entry);
        }
      }
      for (const lane of touched) advance(lane);
    },
    isFree: (key) => {
      const lane = lanes.get(key);
      return lane === undefined || (!lane.pace.doubtful && lane.waiting.length === 0);
    },
    clear: () => [...lanes.values()].flatMap((lane) => lane.waiting.splice(0)),
    tidy: () => {
      const nowMs = clock();
      for (const [key, lane] of lanes) {
        const { pace, waiting, startedAtMs, lastUsedMs } = lane;
        if (waiting.length > 0) advance(lane);
        if (waiting.length > 0 || startedAtMs.size > 0 || pace.bookedUntilMs > nowMs) continue;
        const rememberedMs = pace.doubtful ? REMEMBERED_MS : ANSWERING_REMEMBERED_MS;
        if (nowMs - lastUsedMs > rememberedMs) lanes.delete(key);
      }
    },
  };
}
