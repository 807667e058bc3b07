// How comparisons read a JSON value as a number, a moment or a truth value, and how they fold
// texts. Each returns null for any other value: a text is never 0, and nothing compares by its
// length or its alphabet.

import { withoutFullStop } from './sentence.ts';

// `\d+(?:\.\d*)?` and not `\d+\.?\d*`: the latter takes quadratic time on a long row of digits that
// ends in a letter.
const decimalPattern = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

/**
 * Whether a number survives JSON unchanged: a request with a greater one is rejected
 * (docs/platform.md#limits).
 */
export const isCarriable = (number: number): boolean => Math.abs(number) <= Number.MAX_SAFE_INTEGER;

/** A finite number, or a text that is exactly one decimal number ("007" reads as 7). */
export function readDecimal(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string') return null;
  const text = value.trim();
  if (!decimalPattern.test(text)) return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

const booleanWords: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

/** A boolean, 1 or 0, or one of the words true, yes, 1, false, no, 0. */
export function readBoolean(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === 0) return value === 1;
  return typeof value === 'string' ? (booleanWords.get(value.trim().toLowerCase()) ?? null) : null;
}

/**
 * A point in time (epoch ms; without an offset, UTC) or a time of day (ms since midnight). The two
 * never compare.
 */
export interface IsoMoment {
  readonly kind: 'date' | 'time';
  readonly ms: number;
}

const isoDate = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i;
const isoTime = /^(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?$/;

/** An ISO 8601 date, date-time or time of day; the day and the hour must exist. */
export function readIso(value: unknown): IsoMoment | null {
  if (typeof value !== 'string') return null;
  const text = value.trim();
  const timeOfDay = readIsoTime(text);
  if (timeOfDay !== null) return { kind: 'time', ms: timeOfDay };

  const parts = isoDate.exec(text);
  if (parts === null) return null;
  const [, year, month, day, time, offset] = parts;
  const midnight = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  // Date.UTC turns February 30 into March 2: such a day does not exist.
  if (midnight.getUTCMonth() !== Number(month) - 1 || midnight.getUTCDate() !== Number(day)) return null;
  const timeMs = time === undefined ? 0 : readIsoTime(time);
  const offsetMs = offset === undefined ? 0 : readOffset(offset);
  if (timeMs === null || offsetMs === null) return null;
  return { kind: 'date', ms: midnight.getTime() + timeMs - offsetMs };
}

function readIsoTime(text: string): number | null {
  const parts = isoTime.exec(text);
  if (parts === null) return null;
  const [hour, minute, second] = [parts[1], parts[2], parts[3] ?? '0'].map(Number) as [
    number,
    number,
    number,
  ];
  if (hour > 23 || minute > 59 || second > 59) return null;
  return ((hour * 60 + minute) * 60 + second) * 1000 + Number(`0.${parts[4] ?? '0'}`) * 1000;
}

function readOffset(offset: string): number | null {
  if (offset.toUpperCase() === 'Z') return 0;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))];
  if (hours > 23 || minutes > 59) return null;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/**
 * The form in which texts are compared: composed, trimmed, and lower case unless the edge is
 * case-sensitive.
 */
export type Fold = (text: string) => string;

export const foldCase: Fold = (text) => compose(text).trim().toLowerCase();
export const keepCase: Fold = (text) => compose(text).trim();

/**
 * For equality only: also removes marks at the end of the sentence and repeated blanks, which
 * recognisers add.
 */
export const foldSpoken: Fold = (text) => {
  const folded = foldCase(text);
  if (!spokenMarks.test(folded)) return folded;
  const spoken = withoutFullStop(folded).replace(/\s+/g, ' ');
  return spoken === '' ? folded : spoken;
};

const spokenMarks = /[\s.!?,;…]\s|[.!?,;…]$/;

/**
 * Every text below U+0300, where combining marks begin, is already composed; normalize() costs more
 * than this check.
 */
const decomposable = /[^\u0000-\u02ff]/;
export const mayDecompose = (text: string): boolean => decomposable.test(text);

/**
 * Combining marks in a row; no writing system has more (Unicode UAX #15, Stream-Safe Text Format).
 */
const marksMax = 30;
const rowsOfMarks = /(?:(?!\u034f)\p{M})+/gu;
const markGroups = new RegExp(`.{${marksMax}}(?=.)`, 'gsu');
const withJoiners = (row: string): string =>
  row.length <= marksMax ? row : row.replaceAll(markGroups, '$&\u034f');

/**
 * Unicode normal form NFC. Ordering marks takes quadratic time (seven seconds for 100,000 of them),
 * so a longer row is split as in the Stream-Safe Text Format, with combining grapheme joiners.
 */
export function compose(text: string): string {
  if (!mayDecompose(text)) return text;
  return (text.length > marksMax ? text.replaceAll(rowsOfMarks, withJoiners) : text).normalize('NFC');
}

/** A scalar as text; null for lists and objects. */
export function scalarText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** Missing, a blank text, an empty list or an empty object. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'string') return value.trim() === '';
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** A value inside a text: missing is "", objects and lists are JSON. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : toJson(value);
}

/**
 * Variables come from JSON, but a caller in the same process may pass a cycle or a bigint: those
 * read as "".
 */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

/** The elements of an `in` value: a list, a comma-separated text, or one scalar. */
export function listElements(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return value === undefined || value === null ? [] : [value];
  return value
    .split(',')
    .map((element) => element.trim())
    .filter((element) => element !== '');
}
