// Reads spelled values (letter by letter, digit by digit, in pairs, with names of symbols): phone
// numbers, e-mail and web addresses.
import { compilePhrases, phraseRows, type Phrases } from './grammar/phrases.ts';
import { isGlued, type TokenizedUtterance } from './grammar/tokens.ts';
import type { Language } from './language/language.ts';
import type { SpellingWords } from './language/spelling-words.ts';
import { readWholeAt } from './read-number.ts';
import { wordList } from './grammar/account.ts';

export interface Spelling {
  readonly symbols: Phrases<string>;
  readonly letters: Phrases<string>;
  readonly times: Phrases<number>;
  readonly zero: Phrases<true>;
  readonly as: Phrases<true>;
  readonly carriers: Phrases<true>;
  readonly extension: Phrases<true>;
  readonly noPart: Phrases<true>;
}

const compiled = new Map<SpellingWords, Spelling>();

export function compileSpelling({ spelling: words }: Language): Spelling {
  let spelling = compiled.get(words);
  if (spelling === undefined) {
    const table = (rows: Readonly<Record<string, string | undefined>>) =>
      compilePhrases(
        Object.entries(rows).flatMap(([meaning, patterns]) => phraseRows(patterns ?? '', meaning)),
      );
    spelling = {
      symbols: table(words.symbols),
      letters: table(words.letters),
      times: compilePhrases([...phraseRows(words.twice, 2), ...phraseRows(words.thrice, 3)]),
      zero: wordList(words.zero),
      as: wordList(words.as),
      carriers: wordList(words.carriers),
      extension: wordList(words.extension),
      noPart: wordList(words.noPart),
    };
    compiled.set(words, spelling);
  }
  return spelling;
}

/** One spelled sign. */
export interface Sign {
  readonly kind: 'symbol' | 'letters' | 'digits' | 'word';
  readonly text: string;
  readonly next: number;
}

/** Marks that count as signs when they touch the text beside them. */
const writtenSymbols: ReadonlySet<string> = new Set('@._-+/:#=&?~');

/** The sign at a token; null when there is none, "" for a mark that only separates. */
export function signAt(said: TokenizedUtterance, at: number, language: Language): Sign | null {
  const spelling = compileSpelling(language);
  const token = said.tokens[at];
  if (token === undefined) return null;
  said.budget.text(token.text.length + signChars);
  if (token.kind === 'mark') {
    const touches = isGlued(said, at) && (isGlued(said, at + 1) || token.text === '@');
    const stands = writtenSymbols.has(token.text) && (touches || token.text === '@' || token.text === '_');
    return { kind: 'symbol', text: stands ? token.text : '', next: at + 1 };
  }
  if (token.kind === 'digits') return { kind: 'digits', text: token.text, next: at + 1 };
  const letters = spelling.letters.match(said, at);
  const symbol = spelling.symbols.match(said, at);
  if (letters !== null && letters.next >= (symbol?.next ?? 0))
    return { kind: 'letters', text: letters.meaning, next: letters.next };
  if (symbol !== null) return { kind: 'symbol', text: symbol.meaning, next: symbol.next };
  const times = spelling.times.match(said, at);
  const once = times === null ? null : signAt(said, times.next, language);
  if (times !== null && once !== null && once.kind !== 'word' && once.text.length === 1)
    return { ...once, text: once.text.repeat(times.meaning) };
  if (token.text.length === 1) {
    const named = spelling.as.match(said, at + 1);
    // "M as in Mike": the name begins with the letter.
    const name = named === null ? undefined : said.tokens[named.next];
    if (named !== null && name?.kind === 'word' && name.text.length > 1 && name.text.startsWith(token.text))
      return { kind: 'letters', text: token.text, next: named.next + 1 };
  }
  const number = readWholeAt(said, at, language);
  if (number !== null && number.value >= 0)
    return { kind: 'digits', text: String(number.value), next: number.next };
  if (token.text.length === 1) return { kind: 'letters', text: token.text, next: at + 1 };
  return { kind: 'word', text: token.text, next: at + 1 };
}

/** Cost of reading a sign beside its letters, in characters. */
const signChars = 32;

/** Letters that an address in this language has no certain spelling for. */
const uncertainLetters = /[äöüßñœæø]/i;

/**
 * Signs in a row, in written form without blanks; null when a word among them is no part of an
 * address, or when two adjoining words may be part of the sentence.
 */
export function joinSigns(
  said: TokenizedUtterance,
  from: number,
  to: number,
  language: Language,
  wordsMayMeet: boolean,
): string | null {
  const { noPart } = compileSpelling(language);
  let joined = '';
  let before: Sign | null = null;
  for (let at = from; at < to;) {
    const sign: Sign | null = signAt(said, at, language);
    if (sign === null || sign.next > to) return null;
    const { start, end } = said.tokens[at]!;
    if (sign.kind === 'word') {
      if (uncertainLetters.test(said.utterance.slice(start, end))) return null;
      const isFiller = noPart.match(said, at) !== null;
      const isAlone = isFiller && before?.text === '.';
      if (isFiller && !isAlone && !wordsMayMeet) return null;
      if (before?.kind === 'word' && !wordsMayMeet && !isHyphen(said, at)) return null;
    }
    if (isHyphen(said, at)) joined += '-';
    joined += sign.text;
    if (sign.text !== '') before = sign;
    at = sign.next;
  }
  return joined;
}

/** A hyphen that only joined words: "jean-luc". */
const isHyphen = ({ text, tokens }: TokenizedUtterance, at: number): boolean =>
  at > 0 &&
  tokens[at]!.kind === 'word' &&
  text[tokens[at]!.start - 1] === '-' &&
  tokens[at - 1]!.end === tokens[at]!.start - 1;

/** The first token after words that only introduce an address or a number. */
export function skipCarriers(said: TokenizedUtterance, language: Language): number {
  const { carriers } = compileSpelling(language);
  const { fillers } = language.phrases;
  let at = 0;
  for (;;) {
    const next = Math.max(carriers.match(said, at)?.next ?? at, fillers.match(said, at)?.next ?? at);
    if (next > at) at = next;
    else if (said.tokens[at]?.kind === 'mark' && ',.;:!¡'.includes(said.tokens[at]!.text)) at++;
    else return at;
  }
}

/** For each token: whether only fillers and marks follow up to the end. */
export function fillerTail(said: TokenizedUtterance, { phrases }: Language): boolean[] {
  const { tokens } = said;
  const tail = Array.from({ length: tokens.length + 1 }, () => false);
  tail[tokens.length] = true;
  for (let at = tokens.length - 1; at >= 0; at--) {
    const filler = phrases.fillers.match(said, at) ?? phrases.momentFillers.match(said, at);
    tail[at] = (filler !== null && tail[filler.next]!) || (tokens[at]!.kind === 'mark' && tail[at + 1]!);
  }
  return tail;
}

/**
 * Ways to cut a spoken number into digits, and digits of the longest (E.164, with an international
 * prefix).
 */
const cutsMax = 4_000;
const digitsMax = 19;

/**
 * Every row of digits that consecutive words from a token on may mean, and where they end: "twenty
 * one" is 21 or 20 1. None when there are too many.
 */
export function digitRows(
  said: TokenizedUtterance,
  from: number,
  language: Language,
): { readonly rows: readonly string[]; readonly to: number } {
  const { zero, times, symbols } = compileSpelling(language);
  const rows: (Set<string> | undefined)[] = [];
  rows[from] = new Set(['']);
  let made = 0;
  const add = (heads: Set<string>, digits: string, next: number) => {
    const target = (rows[next] ??= new Set());
    for (const head of heads)
      if (head.length + digits.length <= digitsMax && made++ < cutsMax) target.add(head + digits);
  };
  let to = from;
  for (let at = from; at < said.tokens.length; at++) {
    const heads = rows[at];
    if (heads === undefined) continue;
    if (at > from && said.tokens[at - 1]!.kind !== 'mark') to = at;
    const token = said.tokens[at]!;
    said.budget.text(heads.size * digitsMax + signChars);
    if (token.kind === 'mark') {
      add(heads, token.text === '+' && at === from ? '+' : '', at + 1);
      continue;
    }
    if (token.kind === 'digits') {
      add(heads, token.text, at + 1);
      continue;
    }
    for (const { value, next } of wholesAt(said, at, language)) add(heads, String(value), next);
    const nought = zero.match(said, at);
    if (nought !== null) add(heads, '0', nought.next);
    const plus = symbols.match(said, at);
    if (plus?.meaning === '+' && at === from) add(heads, '+', plus.next);
    if (plus?.meaning === '-') add(heads, '', plus.next);
    const repeated = times.match(said, at);
    if (repeated === null) continue;
    const digit = signAt(said, repeated.next, language);
    const isZero = zero.match(said, repeated.next);
    if (isZero !== null) add(heads, '0'.repeat(repeated.meaning), isZero.next);
    else if (digit?.kind === 'digits' && digit.text.length === 1)
      add(heads, digit.text.repeat(repeated.meaning), digit.next);
  }
  if (rows[said.tokens.length] !== undefined && said.tokens.at(-1)?.kind !== 'mark') to = said.tokens.length;
  return { rows: made >= cutsMax ? [] : [...(rows[to] ?? [])], to };
}

/** Whether a token continues a compound or hyphenated word: "cinquecentosette", "thirty-four". */
function isOneWord({ text, tokens }: TokenizedUtterance, at: number): boolean {
  const [before, token] = [tokens[at - 1]!, tokens[at]!];
  return token.start === before.start || (token.start === before.end + 1 && text[before.end] === '-');
}

/** Whole numbers that begin at a token, the longest and those that end earlier. */
function wholesAt(
  said: TokenizedUtterance,
  at: number,
  language: Language,
): { value: number; next: number }[] {
  const longest = readWholeAt(said, at, language);
  if (longest === null) return [];
  const found = [longest];
  for (let end = longest.next - 1; end > at; end--) {
    if (isOneWord(said, end)) continue;
    const shorter = readWholeAt({ ...said, tokens: said.tokens.slice(0, end) }, at, language);
    if (shorter !== null && shorter.next === end) found.push(shorter);
  }
  return found;
}
