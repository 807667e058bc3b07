// Pure: when a recurring send occurs. The rule is expanded on the clock of the time zone, and each
// time of that clock is then a moment like that of a digest: a skipped time is the moment of the
// skip, a repeated one its first.
import { DateTime } from 'luxon';
import { RRuleTemporal } from 'rrule-temporal';
import { findChange } from './quiet-hours.ts';

export interface Recurrence {
  /** Parts of RFC 5545, such as `FREQ=WEEKLY;BYDAY=MO`. */
  readonly rrule: string;
  readonly timezone: string;
  /** The time of day and the phase of the rule, where it does not say them. */
  readonly startsAtMs: number;
}

/** Between two occurrences. */
export const OCCURRENCE_GAP_MS = 60 * 60_000;
export const RULE_CHARS_MAX = 255;

const list = (item: string) => new RegExp(`^${item}(,${item})*$`);
/** What a rule may have. Times are at least an hour apart: one minute, no seconds. */
const PARTS: Readonly<Record<string, RegExp>> = {
  FREQ: /^(HOURLY|DAILY|WEEKLY|MONTHLY|YEARLY)$/,
  INTERVAL: /^[1-9]\d{0,2}$/,
  /** At most 1,000: missed occurrences are counted one by one. */
  COUNT: /^([1-9]\d{0,2}|1000)$/,
  UNTIL: /^\d{8}T\d{6}Z$/,
  BYMONTH: list('(0?[1-9]|1[0-2])'),
  BYWEEKNO: list('[+-]?\\d{1,2}'),
  BYYEARDAY: list('[+-]?\\d{1,3}'),
  BYMONTHDAY: list('[+-]?\\d{1,2}'),
  BYDAY: list('([+-]?\\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)'),
  BYHOUR: list('([01]?\\d|2[0-3])'),
  BYMINUTE: /^[0-5]?\d$/,
  BYSETPOS: list('[+-]?\\d{1,3}'),
  WKST: /^(MO|TU|WE|TH|FR|SA|SU)$/,
};

/** What is wrong with the rule; undefined: nothing. */
export function findRuleProblem(recurrence: Recurrence): string | undefined {
  const names = new Set<string>();
  for (const part of recurrence.rrule.split(';')) {
    const [name = '', value = '', more] = part.split('=');
    const shape = PARTS[name];
    if (!shape) return `has "${name}": its parts must be among ${Object.keys(PARTS).join(', ')}`;
    if (more !== undefined || !shape.test(value)) return `has a value that ${name} must not have`;
    if (names.has(name)) return `has ${name} twice`;
    names.add(name);
  }
  if (names.has('COUNT') && names.has('UNTIL')) return 'must not have both COUNT and UNTIL';
  try {
    return findFirstOccurrence(recurrence) === null ? 'has no occurrence' : undefined;
  } catch (error) {
    return `is not accepted: ${(error as Error).message}`;
  }
}

export function findFirstOccurrence(recurrence: Recurrence): number | null {
  return findFrom(recurrence, recurrence.startsAtMs, true);
}

/** A moment of the rule, and which of its occurrences it is, from 1. */
export interface Occurrence {
  readonly atMs: number;
  readonly number: number;
}

/** The occurrence after both; occurrences in between are missed. Null: there is no other. */
export function findNextOccurrence(
  recurrence: Recurrence,
  last: Occurrence,
  nowMs: number,
): Occurrence | null {
  const countMax = Number(/(?:^|;)COUNT=(\d+)/.exec(recurrence.rrule)?.[1] ?? Infinity);
  let { atMs, number } = last;
  do {
    if (number >= countMax) return null;
    // Only a rule with a count must count what was missed.
    const fromMs = countMax === Infinity ? Math.max(atMs, nowMs - OCCURRENCE_GAP_MS + 1) : atMs;
    const found = findFrom(recurrence, fromMs, false);
    if (found === null) return null;
    atMs = found;
    number += 1;
  } while (atMs <= nowMs);
  return { atMs, number };
}

/** Bounds the search of the library; a rule without an occurrence within them has none. */
const BOUNDS = { maxIterations: 1_000, maxCandidateEvaluations: 10_000 };
/** An hour before and after a clock change has at most this many occurrences too close. */
const TRIES_MAX = 8;

function findFrom(recurrence: Recurrence, fromMs: number, isFirst: boolean): number | null {
  const { timezone } = recurrence;
  const rule = createRule(recurrence);
  let wall = toWall(fromMs, timezone);
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const next = rule.next(new Date(`${wall}Z`), isFirst && tries === 0);
    if (next === null) return null;
    wall = next.toString().slice(0, wall.length);
    const atMs = toMoment(wall, timezone);
    if (atMs >= fromMs + (isFirst ? 0 : OCCURRENCE_GAP_MS)) return atMs;
  }
  return null;
}

/** On the clock of the zone, as if it were UTC, so that the library sees no changes. */
function createRule({ rrule, timezone, startsAtMs }: Recurrence): RRuleTemporal {
  const start = `${toWall(startsAtMs, timezone)}+00:00[UTC]`;
  return new RRuleTemporal({
    // Counted in findNextOccurrence, since missed occurrences count too.
    rruleString: rrule
      .replace(/(^|;)COUNT=\d+/, '')
      .replace(/^;/, '')
      .replace(/UNTIL=(\w+)/, (_, until: string) => `UNTIL=${toWallUntil(until, timezone)}`),
    dtstart: { timeZoneId: 'UTC', toString: () => start },
    strict: true,
    ...BOUNDS,
  });
}

const WALL = "yyyy-MM-dd'T'HH:mm:ss";

function toWall(ms: number, zone: string): string {
  return DateTime.fromMillis(ms, { zone }).toFormat(WALL);
}

function toWallUntil(until: string, zone: string): string {
  const at = DateTime.fromFormat(until, "yyyyMMdd'T'HHmmss'Z'", { zone: 'utc' });
  if (!at.isValid) throw new RangeError('UNTIL is not a time');
  return `${at.setZone(zone).toFormat("yyyyMMdd'T'HHmmss")}Z`;
}

function toMoment(wall: string, zone: string): number {
  const shown = DateTime.fromISO(wall, { zone });
  const moments = shown.getPossibleOffsets();
  const exact = moments.filter((one) => one.toFormat(WALL) === wall).map((one) => one.toMillis());
  if (exact.length > 0) return Math.min(...exact);
  return findChange(shown.minus({ days: 1 }), shown.plus({ hours: 3 })).toMillis();
}
