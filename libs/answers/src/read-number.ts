// Reads numbers at a place of an answer: digits with the marks of the language, and its number
// words. The words come from the lexicon; composing hundreds and thousands is implemented once,
// here.
import { compilePhrases, phraseRows, type Phrases } from './grammar/phrases.ts';
import { tokenFrom, tokenize, type TokenizedUtterance } from './grammar/tokens.ts';
import type { Language, Lexicon, NumberWords } from './language/language.ts';
import { findLanguage } from './language/languages.ts';

export interface NumberReading {
  readonly value: number;
  /** The first token after it. */
  readonly next: number;
}

/** The number of an English answer, or null: every word must belong to it. */
export function readNumber(answer: string): number | null {
  const said = tokenize(answer);
  const reading = readNumberAt(said, 0, findLanguage('en')!);
  return reading?.next === said.tokens.length ? reading.value : null;
}

/** The longest whole number in words that begins at a token, without a sign, for dictation. */
export function readWholeAt(said: TokenizedUtterance, at: number, language: Language): NumberReading | null {
  const token = said.tokens[at];
  const words = compileWords(language.lexicon);
  const begins = token?.kind === 'word' && words.starts.has(token.text);
  return begins ? readCardinal(said, at, language, words) : null;
}

/**
 * The longest number that begins at a token: "1,234.5", "twenty-one", "minus three point two", "2
 * million".
 */
export function readNumberAt(said: TokenizedUtterance, at: number, language: Language): NumberReading | null {
  const words = compileWords(language.lexicon);
  const token = said.tokens[at];
  if (token === undefined || (token.kind === 'word' && !words.starts.has(token.text))) return null;
  const minus = words.minus.match(said, at);
  const from = minus?.next ?? at;
  const positive = readPositive(said, from, language, words);
  if (positive === null || minus === null) return positive;
  return positive.value < 0 ? null : { value: -positive.value, next: positive.next };
}

function readPositive(
  said: TokenizedUtterance,
  at: number,
  language: Language,
  words: Words,
): NumberReading | null {
  const whole = readCardinal(said, at, language, words);
  const from = whole?.next ?? at;
  const point = (whole === null ? words.point : words.anyPoint).match(said, from);
  const decimals = point === null ? null : readDecimals(said, point.next, language, words);
  if (decimals === null) return whole;
  const value = Number(`${whole?.value ?? 0}.${decimals.digits}`);
  // "One point five million".
  const scale = words.scales.match(said, decimals.next);
  return scale === null
    ? { value, next: decimals.next }
    : { value: Number((value * scale.meaning).toPrecision(significantDigits)), next: scale.next };
}

/** Digits that a product of decimals keeps exactly. */
const significantDigits = 15;

/**
 * Spoken decimal places: digits, words below ten, and in some languages one group: "coma
 * veintiséis".
 */
function readDecimals(
  said: TokenizedUtterance,
  at: number,
  language: Language,
  words: Words,
): { digits: string; next: number } | null {
  let digits = '';
  let next = at;
  for (;;) {
    said.budget.text(1);
    const token = said.tokens[next];
    const small = token?.kind === 'word' ? words.small.match(said, next) : null;
    if (token?.kind === 'digits') [digits, next] = [digits + token.text, next + 1];
    else if (small !== null && small.meaning < 10)
      [digits, next] = [digits + String(small.meaning), small.next];
    else if (words.oh.match(said, next) !== null) [digits, next] = [`${digits}0`, next + 1];
    else {
      const group = words.groupedDecimals ? readCardinal(said, next, language, words) : null;
      if (group === null || group.value >= 1000 || /[1-9]/.test(digits)) break;
      return { digits: digits + String(group.value), next: group.next };
    }
  }
  return digits === '' ? null : { digits, next };
}

/**
 * A cardinal in words. The next small number must stay below `room`: nothing fits after a unit, so
 * "one two three" and "twenty twelve" are several numbers, which is no number.
 */
function readCardinal(
  said: TokenizedUtterance,
  at: number,
  language: Language,
  words: Words,
): NumberReading | null {
  let total = 0;
  let group: number | null = null;
  let room = 1000;
  let scaleBelow = Infinity;
  let next = at;
  /** The end of the number so far; later words may turn out not to belong to it. */
  let end = at;
  let value = 0;
  for (let started = false; ; started = true) {
    const opening = started ? null : readOpening(said, next, language, words);
    const small = opening ?? words.small.match(said, next);
    const scale = words.scales.match(said, next);
    const hundred = words.hundred.match(said, next);
    if (opening !== null || small !== null) {
      const number = opening?.value ?? (small as { meaning: number }).meaning;
      if (opening === null && (number >= room || (number === 0 && started))) break;
      group = (group ?? 0) + number;
      // A compound hundred ("doscientos") leaves room for smaller numbers.
      room = opening === null && number >= 100 ? 100 : 0;
      next = (opening ?? small!).next;
      // "A" is no number without the word that it counts.
      if (opening?.isArticle === true) continue;
    } else if (hundred !== null) {
      if (group === null && !words.bareScale) break;
      if (group !== null && (group <= 0 || group > 99)) break;
      group = (group ?? 1) * 100;
      [room, next] = [100, hundred.next];
    } else if (scale !== null) {
      const bare = group === null && words.bareScale && scale.meaning === 1000;
      if ((!bare && (group === null || group <= 0)) || scale.meaning >= scaleBelow) break;
      total += (group ?? 1) * scale.meaning;
      [group, room, scaleBelow, next] = [null, 1000, scale.meaning, scale.next];
    } else {
      const and = started && joins(room, group) ? words.and.match(said, next) : null;
      const after = and === null ? null : words.small.match(said, and.next);
      if (and === null || after === null || after.meaning >= room) break;
      next = and.next;
      continue;
    }
    [end, value] = [next, total + (group ?? 0)];
  }
  return end === at ? null : { value, next: end };
}

/** "And" may follow a hundred or a scale: when there is room for a smaller number. */
const joins = (room: number, group: number | null): boolean => room > 0 || group === null;

/** Openings of a number beside words: digits, or "a" before a hundred or a scale. */
function readOpening(
  said: TokenizedUtterance,
  at: number,
  language: Language,
  words: Words,
): (NumberReading & { readonly isArticle: boolean }) | null {
  const literal = readLiteral(said, at, language);
  if (literal !== null) return { ...literal, isArticle: false };
  const one = words.one.match(said, at);
  if (one === null) return null;
  const counts = words.hundred.match(said, one.next) ?? words.scales.match(said, one.next);
  return counts === null ? null : { value: 1, next: one.next, isArticle: true };
}

const literalPatterns = new Map<string, RegExp>();

/**
 * Digits with groups of three, the same mark throughout, and decimals; nothing that could belong to
 * the number may touch it.
 */
function literalPattern({ decimal, groups }: Language): RegExp {
  const key = decimal + groups;
  let pattern = literalPatterns.get(key);
  if (pattern === undefined) {
    const places = `[${decimal}]`;
    // With a decimal comma, a dot is a decimal mark only without a group of three after it.
    const dotted = decimal === ',' ? '|\\d+\\.(?!\\d{3}(?!\\d))\\d+' : '';
    pattern = new RegExp(
      `[+-]?(?:\\d{1,3}([${groups}\\u00a0\\u202f])\\d{3}(?:\\1\\d{3})*(?:${places}\\d+)?${dotted}|\\d+(?:${places}\\d*)?|${places}\\d+)` +
        "(?![\\d\\p{L}]|[.,:/'_-]\\d)",
      'uy',
    );
    literalPatterns.set(key, pattern);
  }
  return pattern;
}

function readLiteral(said: TokenizedUtterance, at: number, language: Language): NumberReading | null {
  const token = said.tokens[at];
  if (token === undefined || token.kind === 'word') return null;
  const before = said.tokens[at - 1];
  // A sign or mark that touches the text before it belongs to that text: "5-7", "a-1".
  if (before !== undefined && before.end === token.start && before.kind !== 'mark') return null;
  const pattern = literalPattern(language);
  pattern.lastIndex = token.start;
  const digits = pattern.exec(said.text)?.[0];
  if (digits === undefined) return null;
  const plain = digits.replace(/[^\d.,+-]/g, '');
  const mark = Math.max(plain.lastIndexOf('.'), plain.lastIndexOf(','));
  const isGroup =
    mark !== -1 && language.groups.includes(plain[mark]!) && /^\d{3}$/.test(plain.slice(mark + 1));
  const value = Number(
    mark === -1 || isGroup
      ? plain.replace(/[.,]/g, '')
      : `${plain.slice(0, mark).replace(/[.,]/g, '')}.${plain.slice(mark + 1)}`,
  );
  return Number.isFinite(value) ? { value, next: tokenFrom(said, at, token.start + digits.length) } : null;
}

/** Words that a number may begin with. */
export const numberStarts = ({ lexicon }: Language): ReadonlySet<string> => compileWords(lexicon).starts;

/** Whether a token is a word that occurs only in numbers: "hundred", "point", "minus". */
export const isNumberWord = (said: TokenizedUtterance, at: number, { lexicon }: Language): boolean =>
  compileWords(lexicon).only.has(said.tokens[at]!.text);

interface Words {
  readonly small: Phrases<number>;
  readonly hundred: Phrases<number>;
  readonly scales: Phrases<number>;
  readonly and: Phrases<number>;
  readonly minus: Phrases<number>;
  /** Before decimals without a whole number: "point five". */
  readonly point: Phrases<number>;
  readonly anyPoint: Phrases<number>;
  readonly oh: Phrases<number>;
  readonly groupedDecimals: boolean;
  readonly one: Phrases<number>;
  readonly bareScale: boolean;
  readonly starts: ReadonlySet<string>;
  /** Words that occur only in numbers. */
  readonly only: ReadonlySet<string>;
}

const compiled = new Map<NumberWords, Words>();

function compileWords({ numbers, names }: Lexicon): Words {
  let words = compiled.get(numbers);
  if (words === undefined) {
    const list = (patterns: string, value = 0) => compilePhrases(phraseRows(patterns, value));
    const lists = {
      small: compilePhrases(numbers.small),
      hundred: list(numbers.hundred, 100),
      scales: compilePhrases(numbers.scales.flatMap(([patterns, scale]) => phraseRows(patterns, scale))),
      and: list(numbers.and),
      minus: list(numbers.minus),
      point: list(numbers.point.split(';')[0]!),
      anyPoint: list(numbers.point),
      oh: list(names.oh),
      one: list(numbers.one, 1),
    };
    const starts = new Set(Object.values(lists).flatMap((phrases) => [...phrases.starts]));
    const { groupedDecimals, bareScale } = numbers;
    const { hundred, scales, point, anyPoint, minus } = lists;
    const only = new Set([hundred, scales, point, anyPoint, minus].flatMap((list) => [...list.starts]));
    words = { ...lists, groupedDecimals, bareScale, starts, only };
    compiled.set(numbers, words);
  }
  return words;
}
