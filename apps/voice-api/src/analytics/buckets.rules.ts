// Computes where the hours, days, weeks and months of a time zone begin and end. Pure.
//
// A day, week or month begins at the first instant whose local date belongs to it. A day on which
// the clocks change has 23, 25 or (Lord Howe) 23.5 or 24.5 hours. A day whose midnight is skipped
// begins at one. An hour bucket has one local hour and one offset: a repeated hour makes two
// buckets, and half a skipped hour makes a short one.
import { QUARTER_MS, floorToQuarter } from './blocks.rules.ts';

export const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

/** Local time minus UTC at an instant, in milliseconds. */
export type OffsetAt = (atMs: number) => number;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A period in which the offset of the zone does not change. */
interface OffsetPeriod {
  readonly untilMs: number;
  readonly offsetMs: number;
}

/**
 * The edges of the buckets of [fromMs, toMs): bucket i is [edges[i], edges[i + 1]). The window cuts
 * the first and last bucket. Both ends and every edge are aligned to quarters of an hour.
 */
export function bucketEdges(fromMs: number, toMs: number, interval: Interval, offsetAt: OffsetAt): number[] {
  const edges = [fromMs];
  let atMs = fromMs;
  let period = -Infinity;
  for (const { untilMs, offsetMs } of findOffsetPeriods(fromMs, toMs, offsetAt)) {
    const here = computePeriod(interval, atMs + offsetMs);
    // The clocks have just changed. A new hour begins in any case, a day only if the date has
    // advanced.
    if (atMs > fromMs && (interval === 'hour' || here > period)) edges.push(atMs);
    period = interval === 'hour' ? here : Math.max(period, here);
    for (;;) {
      const nextMs = computePeriodStart(interval, period + 1) - offsetMs;
      if (nextMs >= untilMs) break;
      edges.push(nextMs);
      period += 1;
    }
    atMs = untilMs;
  }
  edges.push(toMs);
  return edges;
}

/** Distance of samples between which offset changes are searched. No zone changes twice in it. */
const SAMPLE_MS = 6 * HOUR_MS;

function findOffsetPeriods(fromMs: number, toMs: number, offsetAt: OffsetAt): OffsetPeriod[] {
  const found: OffsetPeriod[] = [];
  let offsetMs = offsetAt(fromMs);
  for (let atMs = fromMs; atMs < toMs; atMs += SAMPLE_MS) {
    const nextMs = Math.min(toMs, atMs + SAMPLE_MS);
    const later = offsetAt(nextMs);
    if (later === offsetMs) continue;
    found.push({ untilMs: findOffsetChange(atMs, nextMs, offsetAt), offsetMs });
    offsetMs = later;
  }
  if (found.at(-1)?.untilMs !== toMs) found.push({ untilMs: toMs, offsetMs });
  return found;
}

/** The first quarter of an hour with the new offset. This century has no other changes. */
function findOffsetChange(beforeMs: number, afterMs: number, offsetAt: OffsetAt): number {
  const old = offsetAt(beforeMs);
  let low = floorToQuarter(beforeMs).getTime();
  let high = floorToQuarter(afterMs + QUARTER_MS - 1).getTime();
  while (high - low > QUARTER_MS) {
    const middle = floorToQuarter((low + high) / 2).getTime();
    if (offsetAt(middle) === old) low = middle;
    else high = middle;
  }
  return high;
}

/** The number of the period with a local time (milliseconds without zone). Rises by one. */
function computePeriod(interval: Interval, localMs: number): number {
  switch (interval) {
    case 'hour':
      return Math.floor(localMs / HOUR_MS);
    case 'day':
      return Math.floor(localMs / DAY_MS);
    case 'week':
      // 1970 began on a Thursday; weeks begin on Mondays (ISO 8601).
      return Math.floor((localMs / DAY_MS + 3) / 7);
    case 'month': {
      const date = new Date(localMs);
      return date.getUTCFullYear() * 12 + date.getUTCMonth();
    }
  }
}

/** The local time at which a period begins. */
function computePeriodStart(interval: Interval, period: number): number {
  switch (interval) {
    case 'hour':
      return period * HOUR_MS;
    case 'day':
      return period * DAY_MS;
    case 'week':
      return (period * 7 - 3) * DAY_MS;
    case 'month':
      return Date.UTC(Math.floor(period / 12), period % 12, 1);
  }
}
