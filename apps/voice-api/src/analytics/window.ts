// Parses the query parameters of analytics: the window, its buckets and the grouping.
import { AppError, problemIn } from '@parley/envelopes';
import { isTimeZone } from '@parley/server/runtime';
import { DateTime, IANAZone } from 'luxon';
import { QUARTER_MS, floorToQuarter } from './blocks.rules.ts';
import { bucketEdges } from './buckets.rules.ts';
import type { AnalyticsQuery } from './schemas.ts';

const DAYS_DEFAULT = 7;
/** A leap year. */
export const DAYS_MAX = 366;
const DAY_MS = 86_400_000;
/** Since then all zones change on a quarter of an hour (but Newfoundland until 2011). */
const FROM_MIN_MS = Date.UTC(2000, 0, 1);
const TO_MAX_MS = Date.UTC(2200, 0, 1);

export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
  /** Bucket i is [edges[i], edges[i + 1]). */
  readonly edges: readonly number[];
  /** By bucket: it is a whole hour, day, week or month, because the window does not cut it. */
  readonly whole: readonly boolean[];
}

/** @throws AppError invalid_request that names each wrong parameter */
export function parseWindow(query: AnalyticsQuery, nowMs: number): Window {
  if (!isTimeZone(query.timezone))
    rejectParameter('timezone', 'must be an IANA time zone, for example Europe/Berlin');
  const zone = IANAZone.create(query.timezone);
  // "Until now" includes the current quarter.
  const toMs =
    query.to === undefined
      ? floorToQuarter(nowMs).getTime() + QUARTER_MS
      : parseInstant('to', query.to, zone);
  const fromMs =
    query.from === undefined
      ? findDefaultStart(toMs, zone).toMillis()
      : parseInstant('from', query.from, zone);
  if (fromMs >= toMs) rejectParameter('from', 'must be before `to`, which defaults to now');
  if (fromMs < FROM_MIN_MS) rejectParameter('from', 'must not be before 2000');
  if (toMs > TO_MAX_MS) rejectParameter('to', 'must not be after 2199');
  // Local days: when the clocks change among them, 366 days are an hour longer or shorter.
  const localMax = DateTime.fromMillis(fromMs, { zone }).plus({ days: DAYS_MAX }).toMillis();
  if (toMs > Math.max(localMax, fromMs + DAYS_MAX * DAY_MS)) {
    rejectParameter('from', `must be at most ${DAYS_MAX} days before \`to\``);
  }
  const offsetAt = (atMs: number): number => zone.offset(atMs) * 60_000;
  const edges = bucketEdges(fromMs, toMs, query.interval, offsetAt);
  const isEdge = (atMs: number): boolean =>
    bucketEdges(atMs - QUARTER_MS, atMs + QUARTER_MS, query.interval, offsetAt)[1] === atMs;
  const last = edges.length - 2;
  const isWhole = (index: number): boolean => (index > 0 || isEdge(fromMs)) && (index < last || isEdge(toMs));
  return { fromMs, toMs, edges, whole: edges.slice(1).map((_, index) => isWhole(index)) };
}

/** Whole local days: the one in which the window ends, and those before it. */
function findDefaultStart(toMs: number, zone: IANAZone): DateTime {
  return DateTime.fromMillis(toMs - 1, { zone })
    .startOf('day')
    .minus({ days: DAYS_DEFAULT - 1 });
}

/** A time without an offset, or a date, is in the query's time zone. */
function parseInstant(name: 'from' | 'to', text: string, zone: IANAZone): number {
  const parsed = DateTime.fromISO(text, { zone });
  if (!parsed.isValid) {
    rejectParameter(name, 'must be an ISO 8601 date or time, for example 2026-11-01 or 2026-11-01T00:00:00Z');
  }
  const atMs = parsed.toMillis();
  if (atMs % QUARTER_MS !== 0) {
    rejectParameter(name, 'must be on a quarter of an hour: seconds 0 and minutes 0, 15, 30 or 45');
  }
  return atMs;
}

export function rejectParameter(name: string, message: string): never {
  const fields = [problemIn('query', [name], message, 'invalid_value')];
  throw new AppError('invalid_request', 'the request is not valid', { fields });
}
