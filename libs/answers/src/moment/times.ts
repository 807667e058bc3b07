// Finds the time of day of an answer, and the instant of day and time. Eight may be in the morning
// or in the evening: a part of the day decides, otherwise `prefer`.
import type { DayPart } from '../language/language.ts';
import type { Now } from '../read-date.ts';
import { instantOfWall } from '../time-zone.ts';
import { hasHours, addAmounts, type Day } from './days.ts';
import type { Amount, Clock, MomentPiece } from './pieces.ts';

/** The facts of an answer about time, without its day. */
export interface Moment {
  readonly clock: Clock | null;
  /** Of the day without a time: "Monday morning". */
  readonly part: DayPart | null;
  /** Minutes east of UTC of the clock, if the answer has a zone. */
  readonly zone: number | null;
  /** A moment relative to now: "in three hours". */
  readonly shift: readonly Amount[] | null;
}

/** Combines the pieces about time; null when they contradict each other. */
export function toMoment(pieces: readonly MomentPiece[]): Moment | null {
  const clocks = pieces.filter((piece) => piece.kind === 'clock');
  const zones = pieces.filter((piece) => piece.kind === 'zone');
  const parts = pieces.filter((piece) => piece.kind === 'part').map(({ part }) => part);
  const shifts = pieces.filter((piece) => piece.kind === 'shift');
  const shift = shifts.find(({ amounts }) => hasHours(amounts))?.amounts ?? null;
  if (clocks.length > 1 || zones.length > 1 || shifts.length > 1) return null;
  const others = pieces.length - shifts.length;
  if (shift !== null) return others > 0 ? null : { clock: null, part: null, zone: null, shift };
  let [clock = null] = clocks;
  if (clock?.alone === true && pieces.some(({ kind }) => !besideNumber.has(kind))) return null;
  if (clock === null)
    return zones.length > 0 || parts.some(isHalf) || parts.length > 1
      ? null
      : { clock, part: parts[0] ?? null, zone: null, shift };
  for (const part of clock.part === null ? parts : [clock.part, ...parts]) {
    clock = inPart(clock, part);
    if (clock === null) return null;
  }
  return { clock, part: null, zone: zones[0]?.minutes ?? null, shift };
}

/** What may accompany a number that is an hour. */
const besideNumber: ReadonlySet<string> = new Set(['clock', 'part', 'zone']);

const isHalf = (part: DayPart): boolean => part === 'am' || part === 'pm';

/**
 * Hours of the clock with twelve hours that a part of the day has, and the first of them: five in
 * the afternoon is 17.
 */
export const hoursByPart: Readonly<Record<DayPart, (hour: number) => number | null>> = {
  am: (hour) => hour % 12,
  pm: (hour) => (hour % 12) + 12,
  morning: (hour) => (hour === 12 ? null : hour),
  afternoon: (hour) => (hour === 12 ? 12 : hour <= 8 ? hour + 12 : null),
  evening: (hour) => (hour >= 4 && hour <= 11 ? hour + 12 : null),
  night: (hour) => (hour === 12 ? 0 : hour >= 6 ? hour + 12 : hour),
};

/** The clock in a part of the day; null when the hour is not in it. */
function inPart(clock: Clock, part: DayPart): Clock | null {
  const { hour } = clock;
  const meant = hoursByPart[part](hour % 12 || 12);
  if (meant === null) return null;
  // On a clock with 24 hours, or beside another part, this one only confirms.
  if (clock.settled || hour === 0 || hour > 12) return meant === hour ? clock : null;
  return { ...clock, hour: meant, bare: false, settled: true };
}

export interface Chosen {
  readonly instantMs: number;
  readonly hasDay: boolean;
  readonly hasTime: boolean;
  /** The answer has seconds. */
  readonly seconds: boolean;
}

const dayMs = 86_400_000;
const noonMs = dayMs / 2;

/**
 * The instant of day and time, or why there are several. Without a day, one of the days around now.
 */
export function chooseTime(moment: Moment, day: Day | null, now: Now, strict: boolean): Chosen | string {
  const { clock, shift, zone } = moment;
  if (shift !== null) {
    const instantMs =
      hasHours(shift) && !hasDays(shift)
        ? addAmounts(now.ms, shift)
        : wall(addAmounts(now.wallMs, shift), now);
    return { instantMs, hasDay: true, hasTime: true, seconds: false };
  }
  if (clock === null)
    return {
      instantMs: wall((day ?? 0) + noonMs, now),
      hasDay: day !== null,
      hasTime: false,
      seconds: false,
    };
  const hours = hoursMeant(clock);
  if (strict && hours.length > 1) return 'ambiguous';
  const today = Math.floor(now.wallMs / dayMs) * dayMs;
  const days = day === null ? [today - dayMs, today, today + dayMs] : [day];
  const instants = days.flatMap((at) =>
    hours.map((hour) => {
      const wallMs = at + ((hour * 60 + clock.minute) * 60 + (clock.second ?? 0)) * 1000;
      return zone === null ? wall(wallMs, now) : wallMs - zone * 60_000;
    }),
  );
  const instantMs = day !== null && hours.length === 1 ? instants[0]! : nearest(instants, now);
  return { instantMs, hasDay: day !== null, hasTime: true, seconds: clock.second !== null };
}

/** Hours at which the parts of a day end. */
const partEnds: Readonly<Record<DayPart, number>> = {
  am: 12,
  pm: 24,
  morning: 12,
  afternoon: 19,
  evening: 24,
  night: 24,
};

/**
 * Whether a time today is on the wrong side of now for `prefer`: then the answer means another
 * Monday than today.
 */
export function isOtherSide({ clock, part }: Moment, { instantMs }: Chosen, now: Now): boolean {
  if (clock !== null) {
    const minute = Math.floor(now.ms / 60_000) * 60_000;
    return now.prefer === 'future' ? instantMs < minute : now.prefer === 'past' && instantMs > now.ms;
  }
  const hour = new Date(now.wallMs).getUTCHours();
  return part !== null && now.prefer === 'future' && hour >= partEnds[part];
}

const wall = (wallMs: number, now: Now): number => instantOfWall(wallMs, now.zone);

const hasDays = (amounts: readonly Amount[]): boolean =>
  amounts.some(({ unit }) => unit === 'day' || unit === 'week' || unit === 'month' || unit === 'year');

/** The hours of 24 that a clock may mean. */
function hoursMeant({ hour, bare }: Clock): readonly number[] {
  if (!bare || hour === 0 || hour > 12) return [hour];
  return hour === 12 ? [0, 12] : [hour, hour + 12];
}

/**
 * The instant nearest to now in the direction of `prefer`; without one there, the nearest of all.
 */
function nearest(instants: readonly number[], { ms, prefer }: Now): number {
  const minute = Math.floor(ms / 60_000) * 60_000;
  const wanted = instants.filter((at) =>
    prefer === 'future' ? at >= minute : prefer !== 'past' || at <= ms,
  );
  const [first, ...others] = wanted.length > 0 ? wanted : instants;
  return others.reduce((best, at) => (Math.abs(at - ms) < Math.abs(best - ms) ? at : best), first!);
}
