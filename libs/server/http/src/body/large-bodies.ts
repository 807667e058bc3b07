// Queues requests with large bodies: each keeps the process and Postgres busy for tens of
// milliseconds. Those of one organisation run one after the other, with rests while others wait
// (docs/platform.md#large-bodies).
import { createFairQueue, NoPlace } from '@parley/server/runtime';
import { toNoPlaceError } from '../no-place.ts';

/** In one process. */
const AT_ONCE = 4;
/** Waiting bodies are in memory: usually as many megabytes. */
const WAITING_OF_ONE = 64;
const WAIT_MS = 20_000;
/**
 * Multiple of the processor time. Postgres works as long again, so an organisation keeps them busy
 * a sixth of the time.
 */
const REST_FACTOR = 10;

/**
 * Runs the work when it is the organisation's turn.
 * @throws AppError concurrency_limited, unavailable, and the errors of the work
 */
export type LargeBodies = (organizationId: string, work: () => Promise<void>) => Promise<void>;

export function createLargeBodies(): LargeBodies {
  const queue = createFairQueue({
    places: AT_ONCE,
    placesOfOne: 1,
    restFactor: REST_FACTOR,
    waitingOfOne: WAITING_OF_ONE,
    waitMs: WAIT_MS,
  });
  return (organizationId, work) =>
    queue.run(organizationId, work).catch((error: unknown) => {
      throw error instanceof NoPlace ? toNoPlaceError(error, 'large bodies') : error;
    });
}
