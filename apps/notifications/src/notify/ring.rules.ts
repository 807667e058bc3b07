// When the sweeper rings for a delivery. Pure.

/** After a direct ring: long enough for workers that are merely busy. */
export const RING_AGAIN_AFTER_MS = 10_000;
/** Longest wait between two rings for the same attempt: what a delivery waits at most after a long outage of the engine. */
const RING_WAIT_MAX_MS = 10 * 60_000;
/** Doublings after which the wait is at its longest anyway; more would leave the numbers. */
const DOUBLINGS_MAX = 10;

/** The wait after ring number `rings` of one attempt: 10, 20, 40 … s. */
export function ringWaitMs(rings: number): number {
  return Math.min(RING_WAIT_MAX_MS, RING_AGAIN_AFTER_MS * 2 ** Math.min(rings, DOUBLINGS_MAX));
}
