// How fast one receiver is called, so that no receiver delays the others (docs/platform.md#lanes). Pure. lanes.ts keeps one `Pace` a
// receiver and process.
//
// A receiver that answers is called up to 10 times at once. One that let an attempt time out is left alone for a while and then
// asked once at a time, until it answers again. What would have to wait longer than PATIENCE_MS goes back to Postgres, due at the
// pace at which the receiver was seen to work: it takes no place in the process, and nobody else waits behind it. What went back
// in doubt may be brought forward when the receiver answers again.

/** Attempts with one receiver at once, in one process. */
export const CONCURRENCY_MAX = 10;
/** A delivery that would wait longer for its turn goes back to Postgres. */
export const PATIENCE_MS = 2_000;

export interface LaneLimits {
  readonly concurrencyMax: number;
  readonly patienceMs: number;
}

const USUAL_LIMITS: LaneLimits = { concurrencyMax: CONCURRENCY_MAX, patienceMs: PATIENCE_MS };
/** Goes back for at most so long, in case nobody notices that the receiver has recovered. */
export const DEFERRAL_MS_MAX = 60_000;
const DEFERRAL_MS_MIN = 1_000;
/** Weight of the newest answer in the mean time of an answer. */
const NEWEST_WEIGHT = 0.2;

export interface Pace {
  readonly limits: LaneLimits;
  /** Mean time of an attempt, newest ones first. */
  meanMs: number;
  /** Not called before, because an attempt timed out. */
  pausedUntilMs: number;
  /** The last attempt timed out: one at a time until one is answered. */
  doubtful: boolean;
  /** Up to when the receiver's time is given to deliveries that went back. */
  bookedUntilMs: number;
}

export function freshPace(limits = USUAL_LIMITS): Pace {
  return { limits, meanMs: 0, pausedUntilMs: 0, doubtful: false, bookedUntilMs: 0 };
}

/** What waits for a receiver, and what is under way to it. */
export interface Load {
  readonly inFlight: number;
  /** Since when the oldest one is under way; Infinity when none is. */
  readonly oldestStartedAtMs: number;
  /** How many wait before the one that is asked about. */
  readonly ahead: number;
}

/**
 * What to do with a delivery whose turn it might be. First attempts respect the pause and the doubt; a retry does not, since its
 * wait was its pause: the schedule promises when it comes.
 */
export function mayStart(
  pace: Pace,
  load: Load,
  retry: boolean,
  nowMs: number,
): 'start' | 'wait' | 'go back' {
  const cap = pace.doubtful && !retry ? 1 : pace.limits.concurrencyMax;
  const paused = !retry && pace.pausedUntilMs > nowMs;
  if (!paused && load.ahead === 0 && load.inFlight < cap) return 'start';
  if (paused || waitMs(pace, load, cap, nowMs) > pace.limits.patienceMs) return 'go back';
  return 'wait';
}

/** How long a delivery has to wait for its turn, as far as one can tell: also a receiver that never answered has an age. */
function waitMs(
  pace: Pace,
  { inFlight, oldestStartedAtMs, ahead }: Load,
  cap: number,
  nowMs: number,
): number {
  const eachMs = Math.max(pace.meanMs, inFlight > 0 ? nowMs - oldestStartedAtMs : 0);
  return (Math.ceil((ahead + 1) / cap) - (inFlight < cap ? 1 : 0)) * eachMs;
}

/** So many of those that go back, in their order, are due then. */
export interface GoingBack {
  readonly count: number;
  readonly dueAtMs: number;
}

/**
 * When `count` deliveries that go back are due: after the pause and after those that went back before, each taking its share of
 * the receiver's time. Books that time. Of a receiver in doubt one at a time is due, with room for the pause that may follow it:
 * so somebody asks before long whether it answers again. `unansweredMs`: for how long it has not answered, or those that go back would
 * come back to a receiver that hangs every second. `weight`: places that they take together.
 */
export function goBack(
  pace: Pace,
  count: number,
  pauseMs: number,
  nowMs: number,
  unansweredMs = 0,
  weight = count,
): GoingBack[] {
  const lastMs = nowMs + DEFERRAL_MS_MAX;
  const fromMs = Math.max(nowMs + DEFERRAL_MS_MIN, pace.pausedUntilMs, pace.bookedUntilMs);
  let dueAtMs = Math.min(fromMs, lastMs);
  const eachMs = Math.max(pace.meanMs, unansweredMs);
  if (!pace.doubtful) {
    pace.bookedUntilMs = Math.min(dueAtMs + (weight * eachMs) / pace.limits.concurrencyMax, lastMs);
    return [{ count, dueAtMs }];
  }
  const apartMs = Math.max(pace.meanMs + pauseMs, DEFERRAL_MS_MIN);
  const groups: GoingBack[] = [];
  for (let left = count; left > 0; left -= groups.at(-1)!.count) {
    groups.push({ count: dueAtMs < lastMs ? 1 : left, dueAtMs });
    dueAtMs = Math.min(dueAtMs + apartMs, lastMs);
  }
  pace.bookedUntilMs = dueAtMs;
  return groups;
}

/** Takes an answer, or its absence, into account. `pauseMs`: how long a receiver is left alone after a time-out. */
export function attemptEnded(
  pace: Pace,
  ended: { readonly ms: number; readonly timedOut: boolean; readonly pauseMs: number },
  nowMs: number,
): void {
  if (pace.doubtful && !ended.timedOut) {
    // It answers again: what it took while it hung says nothing of now, and what was booked at that pace is not needed.
    Object.assign(pace, freshPace(pace.limits), { meanMs: ended.ms });
    return;
  }
  pace.meanMs = pace.meanMs === 0 ? ended.ms : pace.meanMs + (ended.ms - pace.meanMs) * NEWEST_WEIGHT;
  pace.doubtful = ended.timedOut;
  if (ended.timedOut) pace.pausedUntilMs = nowMs + ended.pauseMs;
}
