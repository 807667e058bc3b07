// Days of a base language: a name of a day, a weekday, or day and month with or without a year.
// Every letter of the answer belongs to a part or to what CLDR writes between parts.
import type { MomentPiece } from '../moment/pieces.ts';
import type { BaseLanguage, DatePart, Names } from './base-language.ts';
import { readBaseNumber } from './read-number.ts';

interface Part {
  readonly value: number;
  readonly end: number;
}

/** The day in the folded text; null when there is none, or several. */
export function readBaseDay(text: string, base: BaseLanguage): readonly MomentPiece[] | null {
  const days = base.days.flatMap(([name, days]) =>
    name === text ? [[{ kind: 'offset', days } as const]] : [],
  );
  const dates = [[], ...base.dateOrders].flatMap((order) => datesFrom(text, base, order));
  const [reading, ...others] = new Map(
    [...days, ...dates].map((pieces) => [JSON.stringify(pieces), pieces]),
  ).values();
  return reading === undefined || others.length > 0 ? null : reading;
}

/** Ways to try; an answer that needs more has no reading. */
const stepsMax = 2000;

function datesFrom(text: string, base: BaseLanguage, order: readonly DatePart[]): MomentPiece[][] {
  const found: MomentPiece[][] = [];
  let steps = 0;
  const follow = (at: number, values: readonly number[], weekday: number | null): void => {
    if (++steps > stepsMax) return;
    if (at === text.length && values.length === order.length)
      found.push(...asPieces(order, values, weekday, base));
    for (const particle of base.dateParticles)
      if (text.startsWith(particle, at)) follow(at + particle.length, values, weekday);
    if (weekday === null && (values.length === 0 || values.length === order.length))
      for (const { value, end } of named(text, at, base.weekdays)) follow(end, values, value);
    const next = order[values.length];
    if (next === undefined) return;
    for (const { value, end } of partReaders[next](text, at, base)) follow(end, [...values, value], weekday);
  };
  follow(0, [], null);
  return steps > stepsMax ? [] : found;
}

function asPieces(
  order: readonly DatePart[],
  values: readonly number[],
  weekday: number | null,
  { eraYears }: BaseLanguage,
): MomentPiece[][] {
  const said: MomentPiece[] = weekday === null ? [] : [{ kind: 'weekday', weekday, which: 'coming' }];
  if (order.length === 0) return weekday === null ? [] : [said];
  const value = (part: DatePart) => values[order.indexOf(part)] ?? null;
  const year = value('year');
  const gregorian = year !== null && eraYears > 0 && year >= eraYearsMin ? year - eraYears : year;
  return [[{ kind: 'date', year: gregorian, month: value('month'), day: value('day')! }, ...said]];
}

/** A year from here on belongs to the other era: no one plans for the Gregorian year 2400. */
const eraYearsMin = 2400;

const partReaders: Readonly<
  Record<DatePart, (text: string, at: number, base: BaseLanguage) => readonly Part[]>
> = {
  day: (text, at, base) => [
    ...digits(text, at, 2).filter(({ value }) => value >= 1 && value <= 31),
    ...named(text, at, base.dayWords),
  ],
  month: (text, at, base) => named(text, at, base.months),
  year: (text, at, base) => [
    ...digits(text, at, 4).filter(({ value }) => value >= 1000),
    ...yearInWords(text, at, base),
  ],
};

function named(text: string, at: number, names: Names): Part[] {
  return names
    .filter(([name]) => text.startsWith(name, at) && !cutsDigits(text, at + name.length))
    .map(([name, value]) => ({ value, end: at + name.length }));
}

/** A name such as "tháng 1" that ends inside a row of digits is another. */
const cutsDigits = (text: string, end: number): boolean => /\d\d/.test(text.slice(end - 1, end + 1));

/** A row of at most so many digits, with the blanks that separate rows. */
function digits(text: string, at: number, charsMax: number): Part[] {
  const row = /^ ?(\d+) ?/.exec(text.slice(at, at + charsMax + 3));
  if (row === null || row[1]!.length > charsMax) return [];
  return [{ value: Number(row[1]), end: at + row[0].length }];
}

/** Years that people say in words. */
const yearMin = 1900;
const yearMax = 2100;

function yearInWords(text: string, at: number, base: BaseLanguage): Part[] {
  if (at === text.length || /\d/.test(text[at]!)) return [];
  const stops = [...base.dateParticles, ...base.weekdays.map(([name]) => name)];
  const ends = new Set([
    text.length,
    ...stops.map((stop) => text.indexOf(stop, at + 1)).filter((end) => end > at),
  ]);
  return [...ends].flatMap((end) => {
    const value = readBaseNumber(text.slice(at, end), base);
    return value !== null && value >= yearMin && value <= yearMax ? [{ value, end }] : [];
  });
}
