// The normaliser: splits an utterance into tokens with spans. Words without case and accents, rows
// of digits, single marks; "p.m." and "p m" are one word. Every cast reads these, so that every
// cast can account for each word.
import { uncounted, type ReadingBudget } from '../budget.ts';
import { compose } from '../readings.ts';

export interface Token {
  readonly kind: 'word' | 'digits' | 'mark';
  readonly text: string;
  /** Place in the composed utterance, and in `TokenizedUtterance.text`. */
  readonly start: number;
  readonly end: number;
}

export interface TokenizedUtterance {
  /** The utterance in Unicode normal form C. */
  readonly utterance: string;
  /**
   * Its characters in lower case and without accents, one for one, for readers of written forms
   * such as 8:30.
   */
  readonly text: string;
  readonly tokens: readonly Token[];
  /**
   * The budget that reading counts against: every place is read once, and every step of a phrase
   * there counts.
   */
  readonly budget: ReadingBudget;
}

/** Cost of tokenising a character: it is composed, folded, matched and perhaps split. */
const tokenizingChars = 16;

/** Splits a word that a language writes as one ("dreihundertvier"), or null. */
export type Splitter = (word: string) => readonly string[] | null;

export function tokenize(
  answer: string,
  split: Splitter | null = null,
  budget = uncounted,
): TokenizedUtterance {
  budget.text(answer.length * tokenizingChars);
  const utterance = compose(isPlain.test(answer) ? answer : answer.replace(invisible, ''));
  const text = foldChars(utterance);
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    const start = at;
    const kind = kindAt(text, at);
    if (kind === 'blank') {
      at++;
      continue;
    }
    at += kind === 'mark' ? markLength(text, at) : 1;
    if (kind === 'mark') {
      if (!joinsLetters(text, start)) tokens.push({ kind, text: text.slice(start, at), start, end: at });
      continue;
    }
    while (at < text.length && kindAt(text, at) === kind) at++;
    if (kind === 'word') {
      const half = halfOfDay(text, start, at);
      if (half > at) {
        tokens.push({ kind, text: `${text[start]}m`, start, end: half });
        at = half;
        continue;
      }
    }
    const piece = kind === 'word' ? spell(utterance, text, start, at) : text.slice(start, at);
    const parts = kind === 'word' ? (split?.(piece) ?? null) : null;
    if (parts === null) tokens.push({ kind, text: piece, start, end: at });
    else for (const part of parts) tokens.push({ kind, text: part, start, end: at });
  }
  return { utterance, text, tokens, budget };
}

/** Soft hyphens and joiners, which writers put inside words. */
const invisible = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;

/** The words of a phrase, to be matched literally. */
export const splitWords = (text: string): string[] => tokenize(text).tokens.map((token) => token.text);

/**
 * Its words as one text, without case, accents and marks: equal utterances have equal ones. A text
 * of marks alone has none.
 */
export function normaliseUtterance(text: string, budget: ReadingBudget = uncounted): string {
  const said = tokenize(text, null, budget).tokens.filter(({ kind }) => kind !== 'mark');
  return said.map((token) => token.text).join(' ');
}

/**
 * Whether the utterance contains the words in a row, as whole tokens. Marks around them do not
 * matter.
 */
export function containsWords(utterance: string, words: string, budget: ReadingBudget = uncounted): boolean {
  const said = tokenize(utterance, null, budget).tokens;
  const quoted = [...tokenize(words, null, budget).tokens];
  while (quoted.at(-1)?.kind === 'mark') quoted.pop();
  while (quoted[0]?.kind === 'mark') quoted.shift();
  if (quoted.length === 0) return false;
  budget.text(said.length * quoted.length);
  return said.some((_, from) => quoted.every(({ text }, at) => said[from + at]?.text === text));
}

type CharKind = Token['kind'] | 'blank';

function kindAt(text: string, at: number): CharKind {
  const code = text.charCodeAt(at);
  if (code < 128) {
    if (code >= 97 && code <= 122) return 'word';
    if (code >= 48 && code <= 57) return 'digits';
    return code <= 32 ? 'blank' : 'mark';
  }
  const char = String.fromCodePoint(text.codePointAt(at)!);
  if (/\p{L}|\p{M}/u.test(char) || (code >= 0xdc00 && code <= 0xdfff && isLetterTail(text, at)))
    return 'word';
  return /\s/.test(char) ? 'blank' : 'mark';
}

/** The second half of a letter outside the basic plane. */
const isLetterTail = (text: string, at: number): boolean =>
  at > 0 && /^\p{L}/u.test(text.slice(at - 1, at + 1));

const markLength = (text: string, at: number): number => (text.codePointAt(at)! > 0xffff ? 2 : 1);

/** The end of "a.m.", "p. m." or "p m" that begins here; where it began otherwise. */
function halfOfDay(text: string, start: number, end: number): number {
  if (end - start !== 1 || (text[start] !== 'a' && text[start] !== 'p')) return start;
  // "Snabel-a m s n".
  if (start > 0 && text[start - 1] === '-') return start;
  let at = text[end] === '.' ? end + 1 : end;
  if (text[at] === ' ') at++;
  if (at === end || text[at] !== 'm') return start;
  const after = at + 1;
  if (after < text.length && kindAt(text, after) === 'word') return start;
  return text[after] === '.' ? after + 1 : after;
}

/** Apostrophes and hyphens inside words only join: "it's" and "twenty-one" are two words each. */
function joinsLetters(text: string, at: number): boolean {
  const joins = text[at] === "'" || text[at] === '-';
  return (
    joins &&
    at > 0 &&
    kindAt(text, at - 1) === 'word' &&
    at + 1 < text.length &&
    kindAt(text, at + 1) === 'word'
  );
}

const isPlain = /^[\u0020-\u007e]*$/;
const folded = new Map<string, string>();

/**
 * Character by character, so that places stay: lower case, no accents, plain apostrophes and
 * hyphens.
 */
function foldChars(text: string): string {
  if (isPlain.test(text)) return text.toLowerCase();
  let out = '';
  for (const char of text) out += char < '\u0080' ? char.toLowerCase() : foldChar(char);
  return out;
}

function foldChar(char: string): string {
  let found = folded.get(char);
  if (found === undefined) {
    if ('’‘ʼ`´'.includes(char)) found = "'";
    else if ('−‐‑–'.includes(char)) found = '-';
    else {
      const base = char.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
      found = base.length === char.length ? base : char;
    }
    if (folded.size < foldedMax) folded.set(char, found);
  }
  return found;
}

/** Size of the cache of folded characters. */
const foldedMax = 2_000;

/** A word as lexicons write it: "ß" is "ss", and marks that stand alone are left out. */
function spell(utterance: string, text: string, start: number, end: number): string {
  const word = text.slice(start, end);
  if (isPlain.test(word)) return word;
  return utterance
    .slice(start, end)
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss');
}

/** The place of the first token at or after a place in the text. */
export function tokenFrom({ tokens }: TokenizedUtterance, at: number, position: number): number {
  let next = at;
  while (next < tokens.length && tokens[next]!.start < position) next++;
  return next;
}

/** Whether two adjacent tokens touch. */
export function isGlued({ tokens }: TokenizedUtterance, at: number): boolean {
  return at > 0 && at < tokens.length && tokens[at - 1]!.end === tokens[at]!.start;
}
