// When the sweeper rings for a delivery, and for how long. Pure. Called by sweep-deliveries.ts, and where a claim is given back.

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

/** The queue's own repeats of a job take about so long (job-kind.ts of libs/queues: 0.5 s doubling, six tries). */
const OWN_REPEATS_MS = 30_000;

/** The wait for the sweeper after a failure of ours: the queue's own repeats come first, and each round waits longer. */
export function ownFailureWaitMs(rings: number): number {
  return Math.max(OWN_REPEATS_MS, ringWaitMs(rings));
}

/**
 * An attempt that was rung for so often, and still fails for a reason of ours, ends as failed. With the waits above that is a day:
 * long enough to mend what is broken, and a notification that is older is nobody's wish any more. Time that a job waits in the
 * queue, or that no worker runs, does not count.
 */
export const OWN_FAILURE_RINGS_MAX = 150;
