// An answer as tokens: words without case and accents, rows of digits, single marks. Every cast reads these, so that every cast can
// say of each word whether it has understood it.
import { uncounted, type ReadingBudget } from '../budget.ts';

export interface Token {
  readonly kind: 'word' | 'digits' | 'mark';
  readonly text: string;
  /** Place in the folded text. */
  readonly start: number;
  readonly end: number;
}

export interface Said {
  /** The answer in lower case and without accents, for readers of written forms such as 8:30. */
  readonly text: string;
  readonly tokens: readonly Token[];
  /** What reading it counts against: every place is read once, and every step of a phrase there counts. */
  readonly budget: ReadingBudget;
}

/** What making tokens of a character takes: it is composed, folded, matched and perhaps taken apart. */
const tokenizingChars = 16;

/** Splits a word that a language writes as one ("dreihundertvier"), or null. */
export type Splitter = (word: string) => readonly string[] | null;

const tokenPattern = /\p{L}+|\d+|[^\s\p{L}\d]/gu;

export function tokenize(answer: string, split: Splitter | null = null, budget = uncounted): Said {
  budget.text(answer.length * tokenizingChars);
  const text = fold(answer);
  const tokens: Token[] = [];
  for (const match of text.matchAll(tokenPattern)) {
    const [piece] = match;
    const [start, end] = [match.index, match.index + piece.length];
    const kind = /\d/.test(piece) ? 'digits' : /\p{L}/u.test(piece) ? 'word' : 'mark';
    if (kind === 'mark' && joinsLetters(text, start)) continue;
    const parts = kind === 'word' ? (split?.(piece) ?? null) : null;
    if (parts === null) tokens.push({ kind, text: piece, start, end });
    else for (const part of parts) tokens.push({ kind, text: part, start, end });
  }
  return { text, tokens, budget };
}

/** The words of a phrase, to be matched as they stand. */
export const wordsOf = (text: string): string[] => tokenize(text).tokens.map((token) => token.text);

/** Apostrophes and hyphens inside words only join: "it's" and "twenty-one" are two words each. */
function joinsLetters(text: string, at: number): boolean {
  const joins = text[at] === "'" || text[at] === '-';
  return joins && isLetter(text[at - 1]) && isLetter(text[at + 1]);
}

const isLetter = (char: string | undefined): boolean => char !== undefined && /\p{L}/u.test(char);

const isPlain = /^[\u0020-\u007e]*$/;

/** Lower case, no accents, plain apostrophes and hyphens, and "a.m." as one word. */
function fold(answer: string): string {
  const plain = isPlain.test(answer)
    ? answer.toLowerCase()
    : answer
        .normalize('NFD')
        .replace(/\p{M}/gu, '')
        .toLowerCase()
        .replaceAll('ß', 'ss')
        .replace(/[’‘ʼ`´]/g, "'")
        .replace(/[−‐‑–]/g, '-');
  return plain.replace(/\b([ap])\. ?m\b\.?/g, '$1m');
}

/** The place of the first token at or after a place in the text. */
export function tokenFrom({ tokens }: Said, at: number, position: number): number {
  let next = at;
  while (next < tokens.length && tokens[next]!.start < position) next++;
  return next;
}

/** Whether nothing stands between two neighbouring tokens. */
export function isGlued({ tokens }: Said, at: number): boolean {
  return at > 0 && at < tokens.length && tokens[at - 1]!.end === tokens[at]!.start;
}
