// A sliding-window log in memory: the times of admissions, oldest first. Pure.

export interface WindowLog {
  /** Ascending. */
  readonly times: number[];
  /** Number of expired entries at the front; cut off now and then. */
  gone: number;
}

export function emptyLog(): WindowLog {
  return { times: [], gone: 0 };
}

/**
 * Expired entries are cut off at this number and half of the log: each entry moves at most once.
 */
const CUT_FROM = 64;

/** Number of entries younger than `windowMs`: the half-open window that ends now. */
export function countSince(log: WindowLog, nowMs: number, windowMs: number): number {
  const { times } = log;
  while (log.gone < times.length && times[log.gone]! <= nowMs - windowMs) log.gone += 1;
  if (log.gone >= CUT_FROM && log.gone * 2 >= times.length) {
    times.splice(0, log.gone);
    log.gone = 0;
  }
  return times.length - log.gone;
}

/**
 * Until another request fits under `limit` or, if one fits now, until the oldest entry expires.
 * Call `countSince` first. 0 when nothing is counted.
 */
export function untilRoomMs(log: WindowLog, nowMs: number, windowMs: number, limit: number): number {
  const { times, gone } = log;
  const counted = times.length - gone;
  const leaves = times[gone + Math.max(0, counted - limit)];
  return leaves === undefined ? 0 : leaves + windowMs - nowMs;
}
