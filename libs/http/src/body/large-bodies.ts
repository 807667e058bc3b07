// Where requests with large bodies wait for each other: each keeps the process and Postgres busy for some ten milliseconds. Those of one
// organisation are worked off one after the other, with rests between them while there are others (docs/platform.md#large-bodies).
import { createFairQueue, NoPlace } from '@parley/runtime';
import { noPlace } from '../no-place.ts';

/** In a process. */
const AT_ONCE = 4;
/** What waits is in memory: as many megabytes, as a rule. */
const WAITING_OF_ONE = 64;
const WAIT_MS = 20_000;
/** Of the process's processor time, beside which Postgres works as long: a sixth of the time an organisation keeps them busy so. */
const REST_FACTOR = 10;

/**
 * Does the work when it is the organisation's turn.
 * @throws AppError concurrency_limited, unavailable, and what the work throws
 */
export type LargeBodies = (organizationId: string, work: () => Promise<void>) => Promise<void>;

export function createLargeBodies(): LargeBodies {
  const queue = createFairQueue({
    ...{ places: AT_ONCE, placesOfOne: 1, restFactor: REST_FACTOR },
    ...{ waitingOfOne: WAITING_OF_ONE, waitMs: WAIT_MS },
  });
  return (organizationId, work) =>
    queue.run(organizationId, work).catch((error: unknown) => {
      throw error instanceof NoPlace ? noPlace(error, 'large bodies') : error;
    });
}
