// When unfinished work is re-enqueued, and when that stops. Pure; the same for every work table
// (README.md, "Back-off"). For messages these limits also prevent a second effect:
//
//   re-enqueueing stops   REENQUEUE_FOR_MS    =  7 days after the message was written
//   a job may linger in   the queue while its consumer is down; a message is refused if older than
//                         MESSAGE_AGE_MAX_MS  = 14 days
//   the inbox remembers   an effect from its commit for
//                         INBOX_RETENTION_MS  = 15 days, one day of it for clocks that disagree
//
// So the inbox still remembers the effect of every message that may be applied. A message that is
// given up stays in the outbox and counts as stuck (stats.ts).

/** First re-enqueue: long enough for a busy worker, which claims within milliseconds. */
export const REENQUEUE_AFTER_MS = 10_000;
/** Longest wait between two re-enqueues: the delay of work after the engine lost its memory. */
export const REENQUEUE_WAIT_MS_MAX = 10 * 60_000;
const DAY_MS = 86_400_000;
export const REENQUEUE_FOR_MS = 7 * DAY_MS;
export const MESSAGE_AGE_MAX_MS = 14 * DAY_MS;
export const INBOX_RETENTION_MS = 15 * DAY_MS;

/** The next_ring_at of work that is given up: never due, and recognisable. */
export const NEVER = new Date('9999-12-31T00:00:00Z');

/**
 * The wait doubles with the time since the work was due: enqueued at 0, 10, 20, 40, 80 … s, then
 * every ten minutes.
 */
export function computeNextRingAt(dueAt: Date, nowMs: number, enqueueForMs: number = REENQUEUE_FOR_MS): Date {
  const lateMs = nowMs - dueAt.getTime();
  if (lateMs >= enqueueForMs) return NEVER;
  return new Date(nowMs + Math.min(REENQUEUE_WAIT_MS_MAX, Math.max(REENQUEUE_AFTER_MS, lateMs)));
}

/**
 * Pause after a failure of ours (Postgres away, a missing key): 1, 2, 4 … s by the number of
 * re-enqueues, up to the longest wait.
 */
export function computeFailureWaitMs(enqueues: number): number {
  return Math.min(REENQUEUE_WAIT_MS_MAX, OWN_FAILURE_WAIT_MS * 2 ** Math.min(enqueues, DOUBLINGS_MAX));
}
const OWN_FAILURE_WAIT_MS = 1_000;
/** Doublings after which the wait is at its maximum. More would overflow. */
const DOUBLINGS_MAX = 10;

/** Whether a message is refused because the inbox may have forgotten its effect. */
export function isTooOld(createdAtMs: number, nowMs: number): boolean {
  return nowMs - createdAtMs >= MESSAGE_AGE_MAX_MS;
}
