// What an analytics question asks for, read from its query parameters: the window, its buckets, and how they are looked at.
import { AppError, problemIn } from '@parley/envelopes';
import { DateTime, IANAZone } from 'luxon';
import { QUARTER_MS, quarterOf } from './blocks.rules.ts';
import { bucketEdges } from './buckets.rules.ts';
import type { AnalyticsQuery } from './schemas.ts';

const DAYS_DEFAULT = 7;
/** A leap year. */
export const DAYS_MAX = 366;
const DAY_MS = 86_400_000;
/** Nothing is older, and since then all zones but one (Newfoundland until 2011, by a minute) change on the quarter of an hour. */
const FROM_MIN_MS = Date.UTC(2000, 0, 1);
const TO_MAX_MS = Date.UTC(2200, 0, 1);

export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
  /** Bucket i is [edges[i], edges[i + 1]). */
  readonly edges: readonly number[];
}

/** @throws AppError invalid_request, naming each parameter that is wrong */
export function windowOf(query: AnalyticsQuery, nowMs: number): Window {
  const zone = IANAZone.create(query.timezone);
  if (!zone.isValid) refuse('timezone', 'must be a time zone of the IANA database, such as Europe/Berlin');
  // The quarter that is under way belongs to "until now".
  const toMs =
    query.to === undefined ? quarterOf(nowMs).getTime() + QUARTER_MS : instant('to', query.to, zone);
  const fromMs = query.from === undefined ? toMs - DAYS_DEFAULT * DAY_MS : instant('from', query.from, zone);
  if (fromMs >= toMs) refuse('from', 'must be before `to`, which is now when it is absent');
  if (fromMs < FROM_MIN_MS) refuse('from', 'must not be before 2000');
  if (toMs > TO_MAX_MS) refuse('to', 'must not be after 2199');
  // Local days: with a change of clocks among them, 366 of them have an hour more or less.
  const localMax = DateTime.fromMillis(fromMs, { zone }).plus({ days: DAYS_MAX }).toMillis();
  if (toMs > Math.max(localMax, fromMs + DAYS_MAX * DAY_MS)) {
    refuse('from', `must be at most ${DAYS_MAX} days before \`to\``);
  }
  const offsetAt = (atMs: number): number => zone.offset(atMs) * 60_000;
  return { fromMs, toMs, edges: bucketEdges(fromMs, toMs, query.interval, offsetAt) };
}

/** A time with an offset is that instant; one without, or a date alone, is of the time zone of the question. */
function instant(name: 'from' | 'to', text: string, zone: IANAZone): number {
  const parsed = DateTime.fromISO(text, { zone });
  if (!parsed.isValid) {
    refuse(name, 'must be an ISO 8601 date, or date and time, such as 2026-11-01 or 2026-11-01T00:00:00Z');
  }
  const atMs = parsed.toMillis();
  if (atMs % QUARTER_MS !== 0) {
    refuse(name, 'must be on a quarter of an hour: seconds 0 and minutes 0, 15, 30 or 45');
  }
  return atMs;
}

export function refuse(name: string, message: string): never {
  const fields = [problemIn('query', [name], message, 'invalid_value')];
  throw new AppError('invalid_request', 'the request is not valid', { fields });
}
