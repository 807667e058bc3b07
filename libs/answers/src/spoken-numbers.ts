// Finds numbers that are said in words, digit by digit or in groups, in a text of any length and of
// an unknown language: "five five five, double one". Linear in the text.
import { tokenize, type Token, type TokenizedUtterance } from './grammar/tokens.ts';
import type { Language } from './language/language.ts';
import { findLanguage, spokenLanguages } from './language/languages.ts';
import { numberStarts, readWholeAt } from './read-number.ts';
import { compileSpelling } from './read-spelled.ts';

/** Words of a sentence between two digits: "and", "uh". */
const fillersMax = 2;
/** A written number above this is not read: callers find it by its digits. */
const digitsMax = 15;
/** Words that hold a whole number, in languages that write it as one. */
const compound = /hundert|tausend|cent|mil|honderd|duizend|hundra|tusen/;
/** Marks within a number. */
const joining: ReadonlySet<string> = new Set(',.-/()+');

type Span = readonly [start: number, end: number];

/**
 * Replaces each spoken number with at least `digitsMin` digits. A text without one is returned as
 * it is; others are in Unicode normal form C.
 */
export function replaceSpokenNumbers(text: string, digitsMin: number, replacement: string): string {
  const said = tokenize(text);
  const spans = listCandidates(said).flatMap((language) => findSpans(said, language, digitsMin));
  if (spans.length === 0) return text;
  let replaced = '';
  let until = 0;
  for (const [start, end] of spans.sort(([one], [other]) => one - other)) {
    if (start >= until) replaced += said.utterance.slice(until, start) + replacement;
    until = Math.max(until, end);
  }
  return replaced + said.utterance.slice(until);
}

interface Known {
  readonly language: Language;
  /** Words with which a number or a repetition begins. */
  readonly starts: ReadonlySet<string>;
}

/** Tokens between two words of a number. */
const reachMax = 6;

/** Languages in which two words near each other are of numbers; most texts have none. */
function listCandidates({ tokens }: TokenizedUtterance): readonly Known[] {
  const languages = listLanguages();
  const words = listWords();
  let [candidates, last, lastAt] = [0, 0, 0];
  for (const [at, { kind, text }] of tokens.entries()) {
    const own = kind === 'digits' ? allLanguages : (words.get(text) ?? 0);
    if (compound.test(text)) candidates = allLanguages;
    if (own === 0) continue;
    if (at - lastAt <= reachMax && own + last < 2 * allLanguages) candidates |= own & last;
    [last, lastAt] = [own, at];
  }
  return languages.filter((_, nth) => candidates & (1 << nth));
}

/** A bit for each. */
const allLanguages = (1 << spokenLanguages.length) - 1;
let bits: Map<string, number> | undefined;

/** The languages of each word of a number. Single letters begin a number, and are none. */
function listWords(): ReadonlyMap<string, number> {
  if (bits) return bits;
  bits = new Map();
  for (const [nth, { starts }] of listLanguages().entries())
    for (const word of starts) if (word.length > 1) bits.set(word, (bits.get(word) ?? 0) | (1 << nth));
  return bits;
}

let known: readonly Known[] | undefined;

function listLanguages(): readonly Known[] {
  known ??= spokenLanguages.map((tag) => {
    const language = findLanguage(tag)!;
    const { times, zero } = compileSpelling(language);
    return { language, starts: new Set([...numberStarts(language), ...times.starts, ...zero.starts]) };
  });
  return known;
}

function findSpans(whole: TokenizedUtterance, { language, starts }: Known, digitsMin: number): Span[] {
  const said = splitCompounds(whole, language);
  const spans: Span[] = [];
  for (let at = 0; at < said.tokens.length;) {
    const run =
      starts.has(said.tokens[at]!.text) || isDigits(said.tokens[at]!) ? readRun(said, at, language) : null;
    // One word alone is no number of anybody: "mille grazie".
    const isLong = run !== null && run.digits >= digitsMin && run.next > at + 1;
    if (isLong && run.isSpoken) spans.push([said.tokens[at]!.start, said.tokens[run.next - 1]!.end]);
    at = Math.max(run?.next ?? 0, at + 1);
  }
  return spans;
}

function splitCompounds(said: TokenizedUtterance, { lexicon }: Language): TokenizedUtterance {
  const { split } = lexicon.numbers;
  if (!split || !said.tokens.some(({ text }) => compound.test(text))) return said;
  const tokens = said.tokens.flatMap((token): Token[] => {
    const parts = compound.test(token.text) ? split(token.text) : null;
    return parts === null ? [token] : parts.map((text) => ({ ...token, text }));
  });
  return { ...said, tokens };
}

interface Run {
  readonly digits: number;
  /** Some digit besides zeros is in words: "oh, oh" is no number. */
  readonly isSpoken: boolean;
  /** The first token after it. */
  readonly next: number;
}

/** Numbers in a row that begin at a token. */
function readRun(said: TokenizedUtterance, from: number, language: Language): Run | null {
  let [digits, isSpoken, next] = [0, false, from];
  for (let at = from; at < said.tokens.length;) {
    const read = readDigits(said, at, language);
    if (read === null) break;
    digits += read.digits;
    isSpoken ||= read.isSpoken;
    next = read.next;
    at = skipBetween(said, next, language);
  }
  return next === from ? null : { digits, isSpoken, next };
}

const isDigits = (token: Token): boolean => token.kind === 'digits';

function readDigits(said: TokenizedUtterance, at: number, language: Language): Run | null {
  const token = said.tokens[at];
  if (token === undefined || token.kind === 'mark') return null;
  if (isDigits(token)) return { digits: token.text.length, isSpoken: false, next: at + 1 };
  const { times, zero } = compileSpelling(language);
  const repeated = times.match(said, at);
  const once = repeated === null ? null : readOnce(said, repeated.next, language);
  if (once !== null && once.digits === 1) return { ...once, digits: repeated!.meaning };
  const whole = readOnce(said, at, language);
  if (whole !== null) return whole;
  const nought = zero.match(said, at);
  return nought === null ? null : { digits: 1, isSpoken: false, next: nought.next };
}

function readOnce(said: TokenizedUtterance, at: number, language: Language): Run | null {
  const token = said.tokens[at];
  if (token === undefined || token.kind === 'mark') return null;
  if (isDigits(token)) return { digits: token.text.length, isSpoken: true, next: at + 1 };
  const whole = readWholeAt(said, at, language);
  if (whole === null || whole.next === at) return null;
  const digits = Math.min(String(whole.value).length, digitsMax);
  return { digits, isSpoken: whole.value !== 0, next: whole.next };
}

/** The next token of a number, after marks, names of signs and a few fillers. */
function skipBetween(said: TokenizedUtterance, from: number, language: Language): number {
  const { symbols } = compileSpelling(language);
  let fillers = 0;
  let at = from;
  while (at < said.tokens.length) {
    const token = said.tokens[at]!;
    if (token.kind === 'mark') {
      if (!joining.has(token.text)) return at;
      at += 1;
      continue;
    }
    const symbol = symbols.match(said, at);
    const filler = language.phrases.fillers.match(said, at);
    const isAnd = token.text === language.lexicon.and;
    const next =
      symbol && '+-/'.includes(symbol.meaning) ? symbol.next : (filler?.next ?? (isAnd ? at + 1 : at));
    if (next === at || fillers === fillersMax) return at;
    fillers += 1;
    at = next;
  }
  return at;
}
