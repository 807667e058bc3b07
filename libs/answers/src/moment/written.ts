// Days and times in written forms: 2026-11-16, 16.11.2026, 11/16/26, 8:30, 15h30,
// 2026-11-16T10:00:00Z.
import type { TokenizedUtterance } from '../grammar/tokens.ts';
import type { DateOrder } from '../language/language.ts';
import type { MomentPiece } from './pieces.ts';
import { addCentury } from './slots.ts';

interface Written {
  readonly pieces: readonly MomentPiece[];
  /** Place in the text after it. */
  readonly end: number;
}

// Each ends where no digit, and no mark with a digit, follows.
const yearFirst = /(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d|[-/.]\d)/y;
const threeParts = /(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{1,2})(?!\d|[-/.:]\d)/y;
const twoParts = /(\d{1,2})(?:\/(\d{1,2})(?!\d|[-/.:]\d|\/)|\.(\d{1,2})\.(?!\d))/y;
const clockTime = /(\d{1,2})(?::|h)(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(?![\d:])/y;
const isoTime = /t(\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(z|[+-]\d{2}:?\d{2})?(?![\d:\p{L}])/uy;

/** Reads a written form at a token; null also for a day or a time that does not exist. */
export function readWritten(
  { text, tokens }: TokenizedUtterance,
  at: number,
  order: DateOrder,
): Written | null {
  const token = tokens[at]!;
  if (token.kind !== 'digits') return null;
  const from = token.start;
  if (at > 0 && /[-+/.:$\p{L}]/u.test(text[from - 1] ?? ' ') && tokens[at - 1]!.text !== '.') return null;
  const exec = (pattern: RegExp, start = from) => {
    pattern.lastIndex = start;
    return pattern.exec(text);
  };
  const iso = exec(yearFirst);
  if (iso !== null) {
    const end = from + iso[0].length;
    const day = toDayPiece(iso[1], iso[3], iso[4]);
    if (day === null) return null;
    const time = iso[2] === '-' ? exec(isoTime, end) : null;
    if (time === null) return { pieces: [day], end };
    const clock = toClockPiece(time[1], time[2], time[3]);
    if (clock === null) return null;
    return { pieces: [day, clock, ...toZonePieces(time[4])], end: end + time[0].length };
  }
  const full = exec(threeParts);
  if (full !== null) {
    const day = ordered([full[1]!, full[3]!, full[4]!], order);
    return day && { pieces: [day], end: from + full[0].length };
  }
  const time = exec(clockTime);
  if (time !== null) {
    const clock = toClockPiece(time[1], time[2], time[3]);
    return clock && { pieces: [clock], end: from + time[0].length };
  }
  const short = exec(twoParts);
  if (short === null) return null;
  const day = ordered([short[1]!, short[2] ?? short[3]!], order);
  return day && { pieces: [day], end: from + short[0].length };
}

/** The parts of a date in the order of the language, or in the only valid order. */
function ordered(parts: readonly string[], order: DateOrder): MomentPiece | null {
  const [asSaid, ...others] = (parts.length === 3 ? ordersOfThree : ordersOfTwo)[order].map(
    ([day, month, year]) =>
      toDayPiece(year === undefined ? undefined : parts[year], parts[month], parts[day]),
  );
  if (asSaid != null) return asSaid;
  const possible = others.filter((date) => date !== null);
  return possible.length === 1 ? possible[0]! : null;
}

/**
 * Places of day, month and year: as the language has them, then the orders that it may be instead.
 */
const ordersOfThree: Readonly<Record<DateOrder, readonly (readonly [number, number, number])[]>> = {
  dmy: [
    [0, 1, 2],
    [1, 0, 2],
  ],
  mdy: [
    [1, 0, 2],
    [0, 1, 2],
  ],
  ymd: [
    [2, 1, 0],
    [0, 1, 2],
    [1, 0, 2],
  ],
};
const ordersOfTwo: Readonly<Record<DateOrder, readonly (readonly [number, number, undefined?])[]>> = {
  dmy: [
    [0, 1],
    [1, 0],
  ],
  mdy: [
    [1, 0],
    [0, 1],
  ],
  ymd: [
    [1, 0],
    [0, 1],
  ],
};

function toDayPiece(
  yearText: string | undefined,
  monthText: string | undefined,
  dayText: string | undefined,
): MomentPiece | null {
  const [month, day] = [Number(monthText), Number(dayText)];
  if (month < 1 || month > 12 || day < 1 || day > 31 || (dayText?.length ?? 0) > 2) return null;
  if (yearText?.length === 1 || yearText?.length === 3) return null;
  if (yearText === undefined) return { kind: 'date', year: null, month, day };
  return {
    kind: 'date',
    year: yearText.length === 2 ? addCentury(Number(yearText)) : Number(yearText),
    month,
    day,
  };
}

function toClockPiece(hour = '', minute = '', second?: string): MomentPiece | null {
  const [h, m, s] = [Number(hour), Number(minute), second === undefined ? null : Number(second)];
  if (h > 23 || m > 59 || (s ?? 0) > 59) return null;
  return {
    kind: 'clock',
    hour: h,
    minute: m,
    second: s,
    bare: false,
    alone: false,
    settled: false,
    part: null,
  };
}

function toZonePieces(offset: string | undefined): MomentPiece[] {
  if (offset === undefined) return [];
  if (offset === 'z') return [{ kind: 'zone', minutes: 0 }];
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(-2));
  return [{ kind: 'zone', minutes: offset.startsWith('-') ? -minutes : minutes }];
}
