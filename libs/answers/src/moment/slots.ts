// Reads the slots of a phrase about days and times: hours, minutes, days of a month, years, names
// of months and weekdays.
import {
  compilePhrases,
  phraseRows,
  type SlotReader,
  type Slots,
  type SlotStarts,
} from '../grammar/phrases.ts';
import { isGlued, type TokenizedUtterance } from '../grammar/tokens.ts';
import type { Language } from '../language/language.ts';
import { numberStarts, readNumberAt } from '../read-number.ts';

export function slotStarts(language: Language): SlotStarts {
  const { names, numbers } = language.lexicon;
  const of = (...lists: readonly string[]): Set<string> =>
    new Set(lists.flatMap((patterns) => [...compilePhrases(phraseRows(patterns, true)).starts]));
  const ordinal = compilePhrases(numbers.ordinals).starts;
  const small = compilePhrases(numbers.small).starts;
  const any = numberStarts(language);
  const shares = of(names.quarter, names.half, names.threeQuarters);
  return {
    month: of(...names.months),
    weekday: of(...names.weekdays),
    unit: of(...names.units),
    part: of(...names.parts),
    ordinal,
    mo: ordinal,
    d: new Set([...ordinal, ...small]),
    mn: small,
    h: small,
    h13: small,
    m: new Set([...shares, ...small]),
    mm: new Set([...small, ...of(names.oh)]),
    n: new Set([...any, ...of(numbers.one)]),
    year: any,
    dd: digitsOnly,
    dotted: digitsOnly,
    compact: digitsOnly,
    military: digitsOnly,
  };
}

const digitsOnly: ReadonlySet<string> = new Set();

export function momentSlots(language: Language): Slots {
  const { names, numbers } = language.lexicon;
  const named = (rows: readonly string[], from: number): SlotReader => {
    const phrases = compilePhrases(rows.flatMap((patterns, index) => phraseRows(patterns, index + from)));
    return (said, at) => {
      const match = phrases.match(said, at);
      return match === null ? null : { value: match.meaning, next: match.next };
    };
  };
  const small = compilePhrases(numbers.small);
  const ordinals = compilePhrases(numbers.ordinals);
  const suffixes = compilePhrases(phraseRows(numbers.ordinalSuffixes, true));
  const shares = compilePhrases([
    ...phraseRows(names.quarter, 15),
    ...phraseRows(names.half, 30),
    ...phraseRows(names.threeQuarters, 45),
  ]);
  const ones = compilePhrases(phraseRows(numbers.one, 1));
  const oh = compilePhrases(phraseRows(names.oh, 0));

  const word = (said: TokenizedUtterance, at: number) => {
    const match = small.match(said, at);
    return match === null ? null : { value: match.meaning, next: match.next };
  };
  const ordinal: SlotReader = (said, at) => {
    const row = digits(said, at, 1, 2);
    if (row !== null) {
      const suffix = isGlued(said, row.next) ? suffixes.match(said, row.next) : null;
      return suffix === null || !isDay(row.value) ? null : { value: row.value, next: suffix.next };
    }
    const match = ordinals.match(said, at);
    return match === null ? null : { value: match.meaning, next: match.next };
  };
  const within = (reader: SlotReader, low: number, high: number): SlotReader => {
    return (said, at) => {
      const reading = reader(said, at);
      return reading === null || reading.value < low || reading.value > high ? null : reading;
    };
  };
  const wordOrDigits: SlotReader = (said, at) => plainDigits(said, at, 1, 2) ?? word(said, at);

  return {
    month: named(names.months, 1),
    weekday: named(names.weekdays, 1),
    unit: named(names.units, 0),
    part: named(names.parts, 0),
    ordinal,
    /** A month by its number: "am ersten zwölften", "31 do 12". */
    mo: within((said, at) => ordinal(said, at) ?? dottedDay(said, at), 1, 12),
    mn: within(wordOrDigits, 1, 12),
    dd: within(dottedDay, 1, 31),
    d: within((said, at) => ordinal(said, at) ?? dottedDay(said, at) ?? wordOrDigits(said, at), 1, 31),
    h: within(wordOrDigits, 0, 23),
    h13: within(wordOrDigits, 13, 23),
    m: within((said, at) => toShare(shares.match(said, at)) ?? wordOrDigits(said, at), 1, 59),
    mm: (said, at) => {
      const row = plainDigits(said, at, 2, 2) ?? word(said, at);
      if (row !== null && row.value < 60 && (row.value >= 10 || said.tokens[at]!.kind === 'digits'))
        return row;
      const zero = oh.match(said, at);
      const unit = zero === null ? null : word(said, zero.next);
      return unit !== null && unit.value < 10 ? unit : null;
    },
    n: (said, at) => {
      const reading = readNumberAt(said, at, language) ?? toShare(ones.match(said, at));
      return reading !== null && Number.isInteger(reading.value) && Math.abs(reading.value) <= countMax
        ? reading
        : null;
    },
    year: (said, at) => year(said, at, language),
    dotted: (said, at) => pattern(said, at, /(\d{1,2})[.:h](\d{2})(?!\d|[.:]\d|(?![ap]\.? ?m)\p{L})/uy),
    compact: (said, at) => pattern(said, at, /(\d{1,2})(\d{2})(?![\d.:])/uy),
    military: (said, at) => pattern(said, at, /(\d{2})(\d{2})(?![\d.:])/uy),
  };
}

/** "In 100000 years" is no day of a calendar. */
const countMax = 100_000;

const isDay = (value: number): boolean => value >= 1 && value <= 31;

const toShare = (match: { readonly meaning: number; readonly next: number } | null) =>
  match && { value: match.meaning, next: match.next };

/** A row of so many digits that does not continue as a number or a written time. */
function digits(said: TokenizedUtterance, at: number, low: number, high: number) {
  const token = said.tokens[at];
  if (token?.kind !== 'digits' || token.text.length < low || token.text.length > high) return null;
  return { value: Number(token.text), next: at + 1 };
}

function plainDigits(said: TokenizedUtterance, at: number, low: number, high: number) {
  const row = digits(said, at, low, high);
  if (row === null) return null;
  const before = said.text[said.tokens[at]!.start - 1];
  const after = said.text.slice(said.tokens[at]!.end, said.tokens[at]!.end + 2);
  const goesOn = /^[.,:/-]\d/.test(after) || before === '-' || before === '+' || before === '$';
  return goesOn ? null : row;
}

/** "16. November" and "am 16." */
function dottedDay(said: TokenizedUtterance, at: number) {
  const row = digits(said, at, 1, 2);
  const dot = said.tokens[at + 1];
  if (row === null || dot?.text !== '.' || !isGlued(said, at + 1)) return null;
  return said.tokens[at + 2]?.kind === 'digits' && isGlued(said, at + 2) ? null : { ...row, next: at + 2 };
}

/** Minutes since midnight of a time written as one. */
function pattern(said: TokenizedUtterance, at: number, written: RegExp) {
  const token = said.tokens[at];
  if (token?.kind !== 'digits') return null;
  written.lastIndex = token.start;
  const match = written.exec(said.text);
  if (match === null) return null;
  const [hour, minute] = [Number(match[1]), Number(match[2])];
  const next = said.tokens.findIndex(
    ({ start }, index) => index > at && start >= token.start + match[0].length,
  );
  return hour > 23 || minute > 59
    ? null
    : { value: hour * 60 + minute, next: next === -1 ? said.tokens.length : next };
}

/**
 * Four digits, two at the end of the utterance, or in words: "two thousand five", "nineteen
 * eighty-five".
 */
function year(said: TokenizedUtterance, at: number, language: Language) {
  const isLast = at + 1 === said.tokens.length || said.tokens[at + 1]!.text === ',';
  const full = plainDigits(said, at, 4, 4) ?? (isLast ? fromTwoDigits(plainDigits(said, at, 2, 2)) : null);
  if (full !== null || said.tokens[at]?.kind !== 'word') return full;
  const whole = readNumberAt(said, at, language);
  if (whole === null || !Number.isInteger(whole.value)) return null;
  if (whole.value >= 1000 && whole.value < 3000) return whole;
  if (whole.value !== 19 && whole.value !== 20) return null;
  const rest = readNumberAt(said, whole.next, language);
  return rest !== null && Number.isInteger(rest.value) && rest.value >= 10 && rest.value < 100
    ? { value: whole.value * 100 + rest.value, next: rest.next }
    : null;
}

export const addCentury = (twoDigits: number): number => twoDigits + (twoDigits > 50 ? 1900 : 2000);

const fromTwoDigits = (row: { value: number; next: number } | null) =>
  row && { value: addCentury(row.value), next: row.next };
