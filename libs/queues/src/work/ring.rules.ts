// When work that was not done is rung for again, and when no more. Pure. One arithmetic for every work table (README.md, "Back-off").
// For messages it is also what keeps an effect from happening twice:
//
//   rings stop at      RING_FOR_MS          = 7 days after the message was written
//   a job may linger   in the queue while its consumer is down; a message older than
//                      MESSAGE_AGE_MAX_MS   = 14 days is refused unseen
//   an effect is       remembered by the inbox, from its commit (which is after the message was written), for
//                      INBOX_KEPT_MS        = 15 days, the odd day being for clocks that disagree
//
// So a message that may still be applied always finds the memory of its effect.
// A message that is given up is not lost: its row stays in the outbox and is counted as stuck (stats.ts).

/** First re-ring: long enough for a worker that is merely busy, since taking up work takes milliseconds. */
export const RING_AGAIN_AFTER_MS = 10_000;
/** Longest wait between two re-rings: what work waits at most after a long outage of the engine's memory. */
export const RING_WAIT_MAX_MS = 10 * 60_000;
const DAY_MS = 86_400_000;
export const RING_FOR_MS = 7 * DAY_MS;
export const MESSAGE_AGE_MAX_MS = 14 * DAY_MS;
export const INBOX_KEPT_MS = 15 * DAY_MS;

/** The next_ring_at of work that is given up: never due, and told apart by whoever looks. */
export const NEVER = new Date('9999-12-31T00:00:00Z');

/** The wait doubles with the time since the work was due: rung at 0, 10, 20, 40, 80 … s, then every ten minutes. */
export function nextRingAt(dueAt: Date, nowMs: number, ringForMs: number = RING_FOR_MS): Date {
  const lateMs = nowMs - dueAt.getTime();
  if (lateMs >= ringForMs) return NEVER;
  return new Date(nowMs + Math.min(RING_WAIT_MAX_MS, Math.max(RING_AGAIN_AFTER_MS, lateMs)));
}

/** The pause after a failure of ours (Postgres away, no key for a seal): 1, 2, 4 … s by how often the row was rung, up to the longest wait. */
export function ownFailureWaitMs(rings: number): number {
  return Math.min(RING_WAIT_MAX_MS, OWN_FAILURE_WAIT_MS * 2 ** Math.min(rings, DOUBLINGS_MAX));
}
const OWN_FAILURE_WAIT_MS = 1_000;
/** Doublings after which the wait is at its longest anyway; more would leave the numbers. */
const DOUBLINGS_MAX = 10;

/** Whether a message that was written then is refused, because the inbox might have forgotten its effect. */
export function isTooOld(createdAtMs: number, nowMs: number): boolean {
  return nowMs - createdAtMs >= MESSAGE_AGE_MAX_MS;
}
