// Reads an answer as a day, a time of day or a moment, with chrono-node, relative to the turn's clock and the bag's time zone. What
// an answer leaves open is never filled in: "next month" is no day and "tomorrow" no moment.
import type { ParsedComponents } from 'chrono-node';
import { parse } from 'chrono-node/en';
import { instantOfWall, isoWithOffset, zoneOffset, type ZoneOffset } from './time-zone.ts';

export type DateKind = 'date' | 'time' | 'datetime';

export type DateReading =
  { readonly ok: true; readonly value: string } | { readonly ok: false; readonly reason: string };

/**
 * Reads an answer relative to now (epoch ms) in a time zone (IANA name or offset; anything else is UTC).
 * A weekday or a month without a year is the next one. Two different readings, or a span, are no answer.
 */
export function readDate(answer: string, kind: DateKind, nowMs: number, timezone: unknown): DateReading {
  const zone = zoneOffset(timezone);
  const reference = { instant: new Date(nowMs), timezone: zone(nowMs) };
  const results = parse(plainer(answer), reference, { forwardDate: true });
  if (results.length === 0) return { ok: false, reason: `not_a_${kind}` };
  if (results.some((result) => result.end != null)) return { ok: false, reason: 'is_a_range' };
  const readings = results.map((result) => write[kind](result.start, zone));
  const failed = readings.find((reading) => !reading.ok);
  if (failed !== undefined) return failed;
  const values = new Set(readings.map((reading) => (reading.ok ? reading.value : '')));
  return values.size === 1 ? (readings[0] as DateReading) : { ok: false, reason: 'ambiguous' };
}

/** chrono reads "the day after tomorrow" as tomorrow. */
function plainer(answer: string): string {
  return answer
    .replace(/\b(?:the )?day after tomorrow\b/gi, 'in 2 days')
    .replace(/\b(?:the )?day before yesterday\b/gi, '2 days ago');
}

const write: Record<DateKind, (said: ParsedComponents, zone: ZoneOffset) => DateReading> = {
  date: (said, zone) => (saysDay(said) ? written(said, zone, 0, 10) : { ok: false, reason: 'no_day' }),
  time: (said, zone) => {
    if (!said.isCertain('hour')) return { ok: false, reason: 'no_time' };
    return written(said, zone, 11, said.isCertain('second') && !isRelative(said) ? 19 : 16);
  },
  datetime: (said, zone) => (said.isCertain('hour') ? written(said, zone) : { ok: false, reason: 'no_time' }),
};

const saysDay = (said: ParsedComponents): boolean => said.isCertain('day') || said.isCertain('weekday');
/** "in 3 hours", "now": chrono knows every member, also the seconds that nobody said. */
const isRelative = (said: ParsedComponents): boolean => said.isCertain('millisecond');

/** The wall time of the zone as ISO 8601, or a piece of it. */
function written(said: ParsedComponents, zone: ZoneOffset, from?: number, to?: number): DateReading {
  const instantMs = instantOf(said, zone);
  const year = new Date(instantMs).getUTCFullYear();
  if (!(year >= 1 && year <= 9998)) return { ok: false, reason: 'out_of_range' };
  return { ok: true, value: isoWithOffset(instantMs, zone).slice(from, to) };
}

function instantOf(said: ParsedComponents, zone: ZoneOffset): number {
  // With an offset said ("5pm UTC") or relative to now, chrono knows the instant; otherwise it knows only what clocks show,
  // and it would take the offset of now, which is wrong on the other side of a clock change.
  if (said.isCertain('timezoneOffset')) return said.date().getTime();
  const part = (name: 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'): number => said.get(name) ?? 0;
  const wall = new Date(0);
  wall.setUTCFullYear(part('year'), part('month') - 1, part('day')); // Date.UTC would read the year 26 as 1926
  wall.setUTCHours(part('hour'), part('minute'), part('second'));
  return instantOfWall(wall.getTime(), zone);
}
