// How fast one receiver is called, so that no receiver delays the others (docs/platform.md#lanes).
// Pure; lanes.ts keeps one `Pace` for each receiver and process.
//
// A receiver that answers gets up to 10 concurrent attempts. After a timeout it is paused, then
// called one at a time until it answers. Entries that would wait longer than PATIENCE_MS are
// deferred to Postgres, due at the receiver's observed pace. Those deferred in doubt may be brought
// forward when the receiver answers.

/** Concurrent attempts with one receiver in one process. */
export const CONCURRENCY_MAX = 10;
/** A delivery that would wait longer for its turn is deferred. */
export const PATIENCE_MS = 2_000;

export interface LaneLimits {
  readonly concurrencyMax: number;
  readonly patienceMs: number;
}

const USUAL_LIMITS: LaneLimits = { concurrencyMax: CONCURRENCY_MAX, patienceMs: PATIENCE_MS };
/** Longest deferral, in case nothing notices that the receiver has recovered. */
export const DEFERRAL_MS_MAX = 60_000;
const DEFERRAL_MS_MIN = 1_000;
/** Weight of the newest answer in the mean duration. */
const NEWEST_WEIGHT = 0.2;

export interface Pace {
  readonly limits: LaneLimits;
  /** Mean duration of an attempt, weighted towards the newest. */
  meanMs: number;
  /** Not called before, because an attempt timed out. */
  pausedUntilMs: number;
  /** The last attempt timed out: one at a time until the receiver answers. */
  doubtful: boolean;
  /** The receiver's time is booked by deferred deliveries up to then. */
  bookedUntilMs: number;
}

export function createPace(limits = USUAL_LIMITS): Pace {
  return { limits, meanMs: 0, pausedUntilMs: 0, doubtful: false, bookedUntilMs: 0 };
}

/** What waits for a receiver, and what is in flight to it. */
export interface Load {
  readonly inFlight: number;
  /** Start of the oldest attempt in flight; Infinity when there is none. */
  readonly oldestStartedAtMs: number;
  /** How many wait before this one. */
  readonly ahead: number;
}

/**
 * What to do with the next delivery. First attempts respect pause and doubt. A retry does not: its
 * schedule promises when it comes.
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
  if (paused || estimateWaitMs(pace, load, cap, nowMs) > pace.limits.patienceMs) return 'go back';
  return 'wait';
}

/**
 * Estimated wait for a turn. Uses the age of an unanswered attempt for a receiver that never
 * answered.
 */
function estimateWaitMs(
  pace: Pace,
  { inFlight, oldestStartedAtMs, ahead }: Load,
  cap: number,
  nowMs: number,
): number {
  const eachMs = Math.max(pace.meanMs, inFlight > 0 ? nowMs - oldestStartedAtMs : 0);
  return (Math.ceil((ahead + 1) / cap) - (inFlight < cap ? 1 : 0)) * eachMs;
}

/** The next `count` deferred deliveries are due at `dueAtMs`. */
export interface DeferredGroup {
  readonly count: number;
  readonly dueAtMs: number;
}

/**
 * When `count` deferred deliveries are due: after the pause and earlier deferrals, each taking its
 * share of the receiver's time. Books that time. A receiver in doubt gets one at a time, with room
 * for a pause after it, as a probe.
 * `unansweredMs`: how long it has not answered; without it, deliveries would return every second to
 * a receiver that hangs. `weight`: places that they take together.
 */
export function scheduleDeferrals(
  pace: Pace,
  count: number,
  pauseMs: number,
  nowMs: number,
  { unansweredMs = 0, weight = count }: { readonly unansweredMs?: number; readonly weight?: number } = {},
): DeferredGroup[] {
  const lastMs = nowMs + DEFERRAL_MS_MAX;
  const fromMs = Math.max(nowMs + DEFERRAL_MS_MIN, pace.pausedUntilMs, pace.bookedUntilMs);
  let dueAtMs = Math.min(fromMs, lastMs);
  const eachMs = Math.max(pace.meanMs, unansweredMs);
  if (!pace.doubtful) {
    pace.bookedUntilMs = Math.min(dueAtMs + (weight * eachMs) / pace.limits.concurrencyMax, lastMs);
    return [{ count, dueAtMs }];
  }
  const apartMs = Math.max(pace.meanMs + pauseMs, DEFERRAL_MS_MIN);
  const groups: DeferredGroup[] = [];
  for (let left = count; left > 0; left -= groups.at(-1)!.count) {
    groups.push({ count: dueAtMs < lastMs ? 1 : left, dueAtMs });
    dueAtMs = Math.min(dueAtMs + apartMs, lastMs);
  }
  pace.bookedUntilMs = dueAtMs;
  return groups;
}

/** Updates the pace by an answer or a timeout. `pauseMs`: pause of a receiver after a timeout. */
export function recordAttempt(
  pace: Pace,
  ended: { readonly ms: number; readonly timedOut: boolean; readonly pauseMs: number },
  nowMs: number,
): void {
  if (pace.doubtful && !ended.timedOut) {
    // It answers again: durations while it hung say nothing about now, and bookings at that pace
    // are void.
    Object.assign(pace, createPace(pace.limits), { meanMs: ended.ms });
    return;
  }
  pace.meanMs = pace.meanMs === 0 ? ended.ms : pace.meanMs + (ended.ms - pace.meanMs) * NEWEST_WEIGHT;
  pace.doubtful = ended.timedOut;
  if (ended.timedOut) pace.pausedUntilMs = nowMs + ended.pauseMs;
}
