// How an utterance becomes the value of a collect node (docs/flow-language.md#casts). A failed cast is an answer of its own, with
// its reason: never NaN, never silently a text, and never a part of what was said.
import type { Cast } from './casts.ts';
import { answerLimits } from './limits.ts';
import { accountFor } from './grammar/account.ts';
import { compilePhrases, phraseRows, type Phrases } from './grammar/phrases.ts';
import { tokenize, wordsOf, type Said } from './grammar/tokens.ts';
import type { DateOrder, Language, Lexicon } from './language/language.ts';
import { foldDigits } from './base/fold.ts';
import { readInBase } from './base/read-base.ts';
import { languageOf, withoutWords } from './language/languages.ts';
import { compileChoice, type Choice } from './read-choice.ts';
import { compilePhone, readEmail, readUrl } from './read-contact.ts';
import { readDate, type DateKind, type Prefer } from './read-date.ts';
import { readJson, readList } from './read-document.ts';
import { readNumberAt } from './read-number.ts';
import { isCarriable } from './readings.ts';
import { uncounted, type ReadingBudget } from './budget.ts';

export type CastOutcome =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string };

/** Members of a collect node, and of its flow, that a cast reads. */
export interface CastRules {
  readonly choices: readonly Choice[];
  /** ISO 3166 country of phone numbers that are said without one. */
  readonly defaultRegion: string | null;
  /** BCP 47, of the flow; the bag's `language` goes before it. Default: English. */
  readonly language?: string | null;
  /** The whole answer must be the value. */
  readonly strict?: boolean;
  /** Of the days and times that an answer may mean. Default: future. */
  readonly prefer?: Prefer | null;
  /** Of a date in digits; default: as the language has it. */
  readonly dateOrder?: DateOrder | null;
  /** Words that may follow a number. */
  readonly units?: readonly string[];
}

/** When and where an answer is read. */
export interface ReadingContext {
  /** Epoch ms; days and times are relative to it. */
  readonly nowMs: number;
  /** IANA name or offset; anything else is UTC. */
  readonly timezone?: unknown;
  /** BCP 47; anything else is the language of the rules. */
  readonly language?: unknown;
  /** Default: nothing is counted. */
  readonly budget?: ReadingBudget;
}

export type AnswerCast = (answer: string, context: ReadingContext) => CastOutcome;

/** A cast with its rules at hand, and the language of the turn. */
type Reader = (
  answer: string,
  language: Language,
  budget: ReadingBudget,
  context: ReadingContext,
) => CastOutcome;

/** Compiles the cast of a node. An unknown cast (null) fails every answer: the flow asks again rather than capture something else. */
export function compileCast(cast: Cast | null, rules: CastRules): AnswerCast {
  if (cast === null) return () => failed('unknown_cast');
  if (cast === 'string') return (answer) => captured(answer);
  const charsMax = documents.has(cast) ? answerLimits.documentCharsMax : answerLimits.castCharsMax;
  const wordChars = rulesChars(rules);
  // Compiled with the first answer: a flow of many choices is loaded while others wait.
  let read: Reader | undefined;
  return (answer, context) => {
    const { budget = uncounted } = context;
    if (answer.length > charsMax) return failed('too_long');
    budget.text(answer.length + wordChars);
    read ??= compilers[cast](rules);
    const language = languageOf(context.language) ?? languageOf(rules.language ?? 'en') ?? withoutWords;
    const inWords = language.base && readInBase(cast, answer, language.base, rules, context);
    if (inWords !== null) return inWords;
    return read(language.base === null ? answer : foldDigits(answer), language, budget, context);
  };
}

/** What making a word of the rules ready takes, and each of its characters. */
const wordCompilingChars = 64;
const letterCompilingChars = 16;

/** What making the choices and units of a node ready takes, in characters looked at: counted with every answer, first or not. */
export function rulesChars({ choices, units = [] }: Pick<CastRules, 'choices' | 'units'>): number {
  let chars = 0;
  const count = (word: unknown) => (chars += wordCompilingChars + String(word).length * letterCompilingChars);
  for (const choice of choices)
    if (typeof choice !== 'object') count(choice);
    else for (const word of [choice.value, ...(choice.synonyms ?? [])]) count(word);
  for (const unit of units) count(unit);
  return chars;
}

export const captured = (value: unknown): CastOutcome => ({ ok: true, value });
export const failed = (reason: string): CastOutcome => ({ ok: false, reason });

/** Casts whose answers are documents and may be longer than something spoken. */
const documents: ReadonlySet<Cast> = new Set(['json', 'list', 'url']);

const compilers: Record<Exclude<Cast, 'string'>, (rules: CastRules) => Reader> = {
  integer: (rules) => {
    const read = compileNumber(rules);
    return (answer, language, budget) => {
      const number = read(answer, language, budget);
      if (number === null) return failed('not_a_number');
      if (!Number.isInteger(number)) return failed('not_an_integer');
      return isCarriable(number) ? captured(number) : failed('out_of_range');
    };
  },
  number: (rules) => {
    const read = compileNumber(rules);
    return (answer, language, budget) => {
      const number = read(answer, language, budget);
      if (number === null) return failed('not_a_number');
      return isCarriable(number) ? captured(number) : failed('out_of_range');
    };
  },
  boolean: ({ strict }) => {
    return (answer, language, budget) => readBoolean(answer, language, strict === true, budget);
  },
  date: (rules) => compileDate('date', rules),
  time: (rules) => compileDate('time', rules),
  datetime: (rules) => compileDate('datetime', rules),
  email: ({ strict }) => {
    return (answer, language, budget) => readEmail(answer, language, strict === true, budget);
  },
  phone: ({ defaultRegion, strict }) => compilePhone(defaultRegion, strict === true),
  url: ({ strict }) => {
    return (answer, language, budget) => readUrl(answer, language, strict === true, budget);
  },
  json: () => readJson,
  list: () => readList,
  enum: ({ choices, strict }) => compileChoice(choices, strict === true),
};

const digitsOnly = /^\d{1,15}$/;

function compileNumber({
  strict,
  units = [],
}: CastRules): (answer: string, language: Language, budget: ReadingBudget) => number | null {
  // As they stand: no unit is read as a pattern.
  const unitWords = compilePhrases(units.map((unit) => [wordsOf(unit), true] as const));
  return (answer, language, budget) => {
    // What most answers are, on a keypad for one, needs no words.
    if (digitsOnly.test(answer)) return Number(answer);
    const said = tokenize(answer, language.lexicon.numbers.split, budget);
    const { fillers, numberFillers } = language.phrases;
    const ages = agesOf(language);
    const read = (text: Said, at: number) => {
      const age = ages.match(text, at);
      return age === null ? readNumberAt(text, at, language) : { value: age.values[0]!, next: age.next };
    };
    const numbers = accountFor(said, read, strict === true ? [] : [fillers, numberFillers, unitWords]);
    // Two numbers, even the same, may be one that was said in pieces.
    return numbers?.length === 1 ? numbers[0]! : null;
  };
}

const agesByLexicon = new Map<Lexicon, Phrases<true>>();

function agesOf(language: Language): Phrases<true> {
  const { lexicon } = language;
  let ages = agesByLexicon.get(lexicon);
  if (ages === undefined) {
    const slots = { n: (said: Said, at: number) => readNumberAt(said, at, language) };
    ages = compilePhrases(phraseRows(lexicon.ages, true as const), slots);
    agesByLexicon.set(lexicon, ages);
  }
  return ages;
}

function readBoolean(
  answer: string,
  { phrases }: Language,
  strict: boolean,
  budget: ReadingBudget,
): CastOutcome {
  const read = (said: Said, at: number) => {
    const match = phrases.yesNo.match(said, at);
    return match && { value: match.meaning, next: match.next };
  };
  const said = tokenize(strict ? answer.replaceAll(',', ' ') : answer, null, budget);
  const pieces = accountFor(said, read, strict ? [] : [phrases.fillers]) ?? [];
  if (strict && pieces.length > 1) return failed('not_a_boolean');
  const [value, ...others] = new Set(pieces.filter((piece) => piece !== null));
  return value === undefined || others.length > 0 ? failed('not_a_boolean') : captured(value);
}

function compileDate(kind: DateKind, { strict, prefer, dateOrder }: CastRules): Reader {
  const rules = {
    kind,
    prefer: prefer ?? 'future',
    dateOrder: dateOrder ?? null,
    strict: strict === true,
  } as const;
  return (answer, language, budget, { nowMs, timezone }) =>
    readDate(answer, { ...rules, language }, nowMs, timezone, budget);
}
