// One lane a receiver: what waits for it, what is under way to it, and its pace. A lane holds nobody else up: what cannot start
// soon leaves it again (pacing.rules.ts). Receivers of two organisations are never the same, even at one address.
import type { Clock } from '@parley/runtime';
import { attemptEnded, freshPace, goBack, mayStart, type LaneLimits, type Pace } from './pacing.rules.ts';

export interface LaneEntry {
  readonly organizationId: string;
  /** Who is called, within the organisation: a webhook's id, an address, a provider. Null: nobody is, so it starts at once. */
  readonly receiver: string | null;
  /** Not the first attempt. */
  readonly retry: boolean;
}

/** What tells the lane of an entry from others. It may hold an address with a token in it: not for the log. */
export function laneOf({ organizationId, receiver }: Pick<LaneEntry, 'organizationId' | 'receiver'>): string {
  return `${organizationId} ${receiver}`;
}

/** How an attempt went, for the pace of its lane. */
export interface Ended {
  readonly ms: number;
  readonly timedOut: boolean;
}

export interface LaneHooks<Entry> {
  /** Makes the attempt. Null: none was made, which says nothing of the receiver. Must not reject. */
  readonly start: (entry: Entry) => Promise<Ended | null>;
  /** These leave the lane unattempted, due at `dueAtMs`. `inDoubt`: since the receiver let an attempt time out. */
  readonly sendBack: (entries: readonly Entry[], dueAtMs: number, inDoubt: boolean) => void;
}

interface Lane<Entry> {
  readonly pace: Pace;
  readonly waiting: Entry[];
  /** When each of those under way started. */
  readonly startedAtMs: Set<{ atMs: number }>;
  lastUsedMs: number;
}

/** The pace of a receiver in doubt is remembered so long after its last attempt: longer than any pause. */
const REMEMBERED_MS = 5 * 60_000;
/** That of one which answers has little to say; there may be thousands of them a second (a user of web push is one). */
const ANSWERING_REMEMBERED_MS = 10_000;

export interface Lanes<Entry extends LaneEntry> {
  /** Each goes to the lane of its receiver; those that have to go back go back together. */
  add(entries: readonly Entry[]): void;
  /** Its receiver is not in doubt, and nobody waits for it. By `laneOf`. */
  isFree(lane: string): boolean;
  /** Takes out everything that has not started. */
  clear(): readonly Entry[];
  /** Sends back what has been waiting too long, and forgets receivers that are not called any more. To be called now and then. */
  tidy(): void;
}

/** `pauseMs`: how long a receiver is left alone after a time-out. */
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
      lane = { pace: freshPace(limits), waiting: [], startedAtMs: new Set(), lastUsedMs: 0 };
      lanes.set(key, lane);
    }
    return lane;
  }

  function loadOf({ startedAtMs }: Lane<Entry>, ahead: number) {
    const [oldest] = startedAtMs; // a set keeps its order
    return { inFlight: startedAtMs.size, oldestStartedAtMs: oldest?.atMs ?? Infinity, ahead };
  }

  function start(lane: Lane<Entry>, entry: Entry): void {
    const begun = { atMs: clock() };
    lane.startedAtMs.add(begun);
    lane.lastUsedMs = begun.atMs;
    void hooks.start(entry).then((ended) => {
      lane.startedAtMs.delete(begun);
      if (ended) attemptEnded(lane.pace, { ms: ended.ms, timedOut: ended.timedOut, pauseMs }, clock());
      move(lane);
    });
  }

  /** Starts what may start; then lets go of what would wait too long. */
  function move(lane: Lane<Entry>): void {
    const nowMs = clock();
    const { waiting } = lane;
    let started = 0;
    while (started < waiting.length) {
      const entry = waiting[started] as Entry;
      if (mayStart(lane.pace, loadOf(lane, 0), entry.retry, nowMs) !== 'start') break;
      start(lane, entry);
      started += 1;
    }
    if (started > 0) waiting.splice(0, started);
    // From the last one forward: whoever is nearer to the front waits less.
    const back: Entry[] = [];
    while (waiting.length > 0) {
      const last = waiting[waiting.length - 1] as Entry;
      if (mayStart(lane.pace, loadOf(lane, waiting.length - 1), last.retry, nowMs) !== 'go back') break;
      back.push(last);
      waiting.pop();
    }
    if (back.length === 0) return;
    back.reverse();
    const { inFlight, oldestStartedAtMs } = loadOf(lane, 0);
    const unansweredMs = inFlight > 0 ? nowMs - oldestStartedAtMs : 0;
    for (const { count, dueAtMs } of goBack(lane.pace, back.length, pauseMs, nowMs, unansweredMs)) {
      hooks.sendBack(back.splice(0, count), dueAtMs, lane.pace.doubtful);
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
        const lane = openLane(laneOf(entry));
        touched.add(lane);
        if (entry.retry) {
          // Its time has come: before the first attempts, after the other retries.
          const place = lane.waiting.findIndex((other) => !other.retry);
          lane.waiting.splice(place === -1 ? lane.waiting.length : place, 0, entry);
        } else {
          lane.waiting.push(entry);
        }
      }
      for (const lane of touched) move(lane);
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
        if (waiting.length > 0) move(lane);
        if (waiting.length > 0 || startedAtMs.size > 0 || pace.bookedUntilMs > nowMs) continue;
        const rememberedMs = pace.doubtful ? REMEMBERED_MS : ANSWERING_REMEMBERED_MS;
        if (nowMs - lastUsedMs > rememberedMs) lanes.delete(key);
      }
    },
  };
}
