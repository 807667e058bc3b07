// Time and ids, passed in so that rules and tests can choose them.
import { monotonicFactory } from 'ulid';

/** Now, in epoch milliseconds. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/**
 * A new id with the given prefix, such as `bot_01jd2x…`: sortable by time, safe in URLs and job
 * ids.
 */
export type Ids = (prefix: string) => string;

export function createIds(clock: Clock = systemClock): Ids {
  const next = monotonicFactory();
  return (prefix) => `${prefix}_${next(clock()).toLowerCase()}`;
}
