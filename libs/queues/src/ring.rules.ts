// When a message is rung again, and when no more. Pure. The arithmetic that keeps an effect from happening twice:
//
//   rings stop at      RING_FOR_MS          = 7 days after the message was written
//   a job may linger   in the queue while its consumer is down; a message older than
//                      MESSAGE_AGE_MAX_MS   = 14 days is refused unseen
//   an effect is       remembered by the inbox, from its commit (which is after the message was written), for
//                      INBOX_KEPT_MS        = 15 days, the odd day being for clocks that disagree
//
// So a message that may still be applied always finds the memory of its effect.
// A message that is given up is not lost: its row stays in the outbox and is counted as stuck (stats.ts).

/** First re-ring: long enough for a consumer that is merely busy, since an acknowledgement takes milliseconds. */
export const RING_AGAIN_AFTER_MS = 10_000;
/** Longest wait between two re-rings: what a message waits at most after a long outage of the engine's memory. */
export const RING_WAIT_MAX_MS = 10 * 60_000;
const DAY_MS = 86_400_000;
export const RING_FOR_MS = 7 * DAY_MS;
export const MESSAGE_AGE_MAX_MS = 14 * DAY_MS;
export const INBOX_KEPT_MS = 15 * DAY_MS;

/** The next_ring_at of a message that is given up: never due, and told apart by whoever looks. */
export const NEVER = new Date('9999-12-31T00:00:00Z');

/** The wait doubles with the message's age: rung at 0, 10, 20, 40, 80 … s, then every ten minutes, for seven days. */
export function nextRingAt(createdAt: Date, nowMs: number): Date {
  const ageMs = nowMs - createdAt.getTime();
  if (ageMs >= RING_FOR_MS) return NEVER;
  return new Date(nowMs + Math.min(RING_WAIT_MAX_MS, Math.max(RING_AGAIN_AFTER_MS, ageMs)));
}

/** Whether a message that was written then is refused, because the inbox might have forgotten its effect. */
export function isTooOld(createdAtMs: number, nowMs: number): boolean {
  return nowMs - createdAtMs >= MESSAGE_AGE_MAX_MS;
}
