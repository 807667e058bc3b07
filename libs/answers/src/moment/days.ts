// Finds the day of an answer. Every piece about the day must agree with it: "Friday the 4th" is no
// day when the next 4th is no Friday.
import type { Now, Prefer } from '../read-date.ts';
import type { Amount, MomentPiece, UnitName } from './pieces.ts';

/** Local midnight of the day, as if it were UTC. */
export type Day = number;

const dayMs = 86_400_000;

/** How one of several days is chosen. */
interface Choice {
  readonly prefer: Prefer;
  readonly notToday: boolean;
}

type DayPiece = Extract<MomentPiece, { kind: 'offset' | 'weekday' | 'date' | 'monthDay' | 'shift' }>;

/**
 * The day, or null when there is none, or why it is ambiguous. `notToday`: of several days, today
 * is not the one.
 */
export function placeDay(pieces: readonly MomentPiece[], now: Now, notToday = false): Day | string | null {
  if (pieces.some(({ kind }) => kind === 'vague')) return 'no_day';
  const today = midnight(now.wallMs);
  const weeks = pieces.filter((piece) => piece.kind === 'week');
  const said = pieces.filter(isDayPiece);
  const weekdays = said.filter((piece) => piece.kind === 'weekday');
  if (weeks.length > 0) {
    const [weekday] = weekdays;
    if (weekday === undefined) return 'no_day';
    if (weeks.length > 1 || said.length > 1 || weekday.which !== 'coming') return 'ambiguous';
    return inWeek(today, weeks[0]!.weeks, weekday.weekday);
  }
  // A bare weekday beside another day only confirms it; alone, it is the day.
  const deciding = said.filter((piece) => piece.kind !== 'weekday' || piece.which !== 'coming');
  const days: (Day | string)[] = (deciding.length > 0 ? deciding : weekdays.slice(0, 1)).map((piece) =>
    findDay(piece, today, { prefer: now.prefer, notToday }),
  );
  const [first, ...others] = days;
  if (first === undefined) return null;
  const failed = days.find((day) => typeof day === 'string');
  if (failed !== undefined) return failed;
  const agree =
    others.every((day) => day === first) &&
    weekdays.every(({ weekday }) => toWeekday(first as Day) === weekday);
  return agree ? first : 'ambiguous';
}

const dayKinds: ReadonlySet<string> = new Set(['offset', 'weekday', 'date', 'monthDay']);

/** "In three hours" is a moment and no day. */
function isDayPiece(piece: MomentPiece): piece is DayPiece {
  if (piece.kind === 'shift') return !hasHours(piece.amounts);
  return dayKinds.has(piece.kind);
}

export const hasHours = (amounts: readonly Amount[]): boolean =>
  amounts.some(({ unit }) => unit === 'hour' || unit === 'minute' || unit === 'second');

function findDay(piece: DayPiece, today: Day, choice: Choice): Day | string {
  switch (piece.kind) {
    case 'offset':
      return today + piece.days * dayMs;
    case 'shift':
      return midnight(addAmounts(today + piece.fromDays * dayMs, piece.amounts));
    case 'weekday':
      return weekdayFrom(piece, today, choice);
    case 'monthDay': {
      const first = addAmounts(today - (new Date(today).getUTCDate() - 1) * dayMs, [
        { count: piece.months, unit: 'month' },
      ]);
      const month = new Date(first);
      return utcDay(month.getUTCFullYear(), month.getUTCMonth() + 1, piece.day) ?? 'not_a_day';
    }
    case 'date':
      return calendarDay(piece, today, choice);
  }
}

function weekdayFrom(
  { weekday, which }: Extract<DayPiece, { kind: 'weekday' }>,
  today: Day,
  choice: Choice,
): Day | string {
  const ahead = (weekday - toWeekday(today) + 7) % 7;
  switch (which) {
    case 'coming':
      return preferred(
        [ahead - 7, ahead, ahead + 7].map((days) => today + days * dayMs),
        today,
        choice,
      )!;
    case 'next':
      return inWeek(today, 1, weekday);
    case 'either':
      return inWeek(today, 0, weekday) > today ? 'ambiguous' : inWeek(today, 1, weekday);
    case 'lastWeek':
      return inWeek(today, -1, weekday);
    case 'last':
      return today + (ahead === 0 ? -7 : ahead - 7) * dayMs;
    case 'this': {
      // A weekday that is over may mean the past one or the coming one.
      const day = inWeek(today, 0, weekday);
      return day < today && choice.prefer !== 'past' ? 'ambiguous' : day;
    }
  }
}

/** A weekday of this week (0), the next (1) or the last (-1); weeks begin on Monday. */
const inWeek = (today: Day, weeks: number, weekday: number): Day =>
  today + (weekday - toWeekday(today) + weeks * 7) * dayMs;

/**
 * Years to search for a day without a year: February 29 can be eight years away, any other day one.
 */
const yearsMax = (month: number, day: number): number => (month === 2 && day === 29 ? 8 : 1);

function calendarDay(
  { year, month, day }: Extract<DayPiece, { kind: 'date' }>,
  today: Day,
  choice: Choice,
): Day | string {
  if (year !== null && month !== null) return utcDay(year, month, day) ?? 'not_a_day';
  const now = new Date(today);
  const thisYear = now.getUTCFullYear();
  const candidates: Day[] = [];
  if (month === null) {
    for (let ahead = -2; ahead <= 2; ahead++) {
      const first = new Date(Date.UTC(thisYear, now.getUTCMonth() + ahead, 1));
      candidates.push(...there(utcDay(first.getUTCFullYear(), first.getUTCMonth() + 1, day)));
    }
  } else
    for (let years = yearsMax(month, day), ahead = -years; ahead <= years; ahead++)
      candidates.push(...there(utcDay(thisYear + ahead, month, day)));
  return preferred(candidates, today, choice) ?? 'not_a_day';
}

const there = (day: Day | null): Day[] => (day === null ? [] : [day]);

/** The day in the direction of `prefer`; today counts in both directions. */
function preferred(days: readonly Day[], today: Day, { prefer, notToday }: Choice): Day | null {
  const wanted = days.filter((day) => {
    if (notToday && day === today) return false;
    return prefer === 'future' ? day >= today : prefer !== 'past' || day <= today;
  });
  const [first = null, ...others] = wanted;
  return others.reduce<Day | null>((best, day) => {
    const gap = Math.abs(day - today) - Math.abs(best! - today);
    return gap < 0 || (gap === 0 && day > best!) ? day : best;
  }, first);
}

/** Null for February 30. */
function utcDay(year: number, month: number, day: number): Day | null {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day); // Date.UTC would read the year 26 as 1926
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : null;
}

const midnight = (wallMs: number): Day => Math.floor(wallMs / dayMs) * dayMs;

/** Monday is 1, Sunday 7. */
const toWeekday = (day: Day): number => new Date(day).getUTCDay() || 7;

const unitMs: Readonly<Record<Exclude<UnitName, 'month' | 'year'>, number>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: dayMs,
  week: 7 * dayMs,
};

/** A time moved by amounts. A month after January 31 is the last of February. */
export function addAmounts(fromMs: number, amounts: readonly Amount[]): number {
  let ms = fromMs;
  for (const { count, unit } of amounts) {
    if (unit !== 'month' && unit !== 'year') {
      ms += count * unitMs[unit];
      continue;
    }
    const date = new Date(ms);
    const day = date.getUTCDate();
    date.setUTCDate(1);
    date.setUTCMonth(date.getUTCMonth() + count * (unit === 'year' ? 12 : 1));
    const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
    date.setUTCDate(Math.min(day, lastDay));
    ms = date.getTime();
  }
  return ms;
}
