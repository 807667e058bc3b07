// A sliding-window log in memory: the times of what was admitted, oldest first. Pure.

export interface WindowLog {
  /** Rising. */
  readonly times: number[];
  /** How many at the front have left the window already; they are cut off now and then. */
  gone: number;
}

export function emptyLog(): WindowLog {
  return { times: [], gone: 0 };
}

/** What has left is cut off when it is this much, and half of the whole: each entry is then moved at most once. */
const CUT_FROM = 64;

/** How many entries are younger than `windowMs`: those of the half-open window that ends now. */
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
 * Until one request more fits under `limit`, or, where one fits now, until the oldest leaves. Call `countSince` before.
 * 0 when nothing is counted.
 */
export function untilRoomMs(log: WindowLog, nowMs: number, windowMs: number, limit: number): number {
  const { times, gone } = log;
  const counted = times.length - gone;
  const leaves = times[gone + Math.max(0, counted - limit)];
  return leaves === undefined ? 0 : leaves + windowMs - nowMs;
}
