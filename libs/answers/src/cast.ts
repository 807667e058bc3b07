// Turns an utterance into the value of a collect node (docs/flow-language.md#casts). A failed cast
// is an outcome with its reason: never NaN, never silently a text, and never a part of the
// utterance.
import { uncounted, type ReadingBudget } from './budget.ts';
import type { Cast } from './casts.ts';
import { foldDigits } from './base/fold.ts';
import { readInBase } from './base/read-base.ts';
import type { DateOrder, Language } from './language/language.ts';
import { findLanguage, withoutWords } from './language/languages.ts';
import { answerLimits } from './limits.ts';
import { captured, failed, type CastOutcome, type ReadingLevel } from './outcome.ts';
import { compileChoice, type Choice } from './read-choice.ts';
import { readCode } from './read-code.ts';
import { compilePhone, readEmail, readUrl } from './read-contact.ts';
import { compileCount } from './read-count.ts';
import { readDate, type DateKind, type Prefer } from './read-date.ts';
import { readJson, readList } from './read-document.ts';
import { readYesNo } from './read-yes-no.ts';
import type { Demand } from './understand.ts';

/** Members of a collect node, and of its flow, that a cast reads. */
export interface CastRules {
  readonly choices: readonly Choice[];
  /** ISO 3166 country of phone numbers without a country code. */
  readonly defaultRegion: string | null;
  /** BCP 47, of the flow; the variable `language` overrides it. Default: English. */
  readonly language?: string | null;
  /** The whole answer must be the value. */
  readonly strict?: boolean;
  /** Whole: every word must be accounted for; a value inside a sentence does not count. */
  readonly reading?: ReadingLevel | null;
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

/**
 * Compiles the cast of a node. An unknown cast (null) fails every answer: the flow asks again
 * rather than capture something else.
 */
export function compileCast(cast: Cast | null, rules: CastRules): AnswerCast {
  if (cast === null) return () => failed('unknown_cast');
  if (cast === 'string') return (answer) => captured(answer);
  const charsMax = documents.has(cast) ? answerLimits.documentCharsMax : answerLimits.castCharsMax;
  const wordChars = rulesChars(rules);
  // Compiled with the first answer: loading a flow of many choices blocks other requests.
  let read: Reader | undefined;
  return (answer, context) => {
    const { budget = uncounted } = context;
    if (answer.length > charsMax) return failed('too_long');
    budget.text(answer.length + wordChars);
    read ??= compilers[cast](rules);
    const language = languageIn(rules, context);
    if (budget.notes !== undefined && addresses.has(cast)) budget.notes.language = language;
    const inWords = language.base && readInBase(cast, answer, language.base, rules, context);
    if (inWords !== null) return inWords;
    return read(language.base === null ? answer : foldDigits(answer), language, budget, context);
  };
}

/** The language of a turn: of the variables, or of the flow. */
export const languageIn = (rules: Pick<CastRules, 'language'>, context: ReadingContext): Language =>
  findLanguage(context.language) ?? findLanguage(rules.language ?? 'en') ?? withoutWords;

/** Cost of compiling a word of the rules, and each of its characters. */
const wordCompilingChars = 64;
const letterCompilingChars = 16;

/**
 * Cost of compiling the choices and units of a node, in characters: counted with every answer,
 * first or not.
 */
export function rulesChars({ choices, units = [] }: Pick<CastRules, 'choices' | 'units'>): number {
  let chars = 0;
  const count = (word: unknown) => (chars += wordCompilingChars + String(word).length * letterCompilingChars);
  for (const choice of choices)
    if (typeof choice !== 'object') count(choice);
    else for (const word of [choice.value, ...(choice.synonyms ?? [])]) count(word);
  for (const unit of units) count(unit);
  return chars;
}

const addresses: ReadonlySet<Cast> = new Set(['email', 'phone', 'url', 'code']);

/** Casts whose answers are documents and may be longer than an utterance. */
const documents: ReadonlySet<Cast> = new Set(['json', 'list', 'url']);

const compilers: Record<Exclude<Cast, 'string'>, (rules: CastRules) => Reader> = {
  integer: (rules) => compileCount(rules.units ?? [], true, toDemand(rules)),
  number: (rules) => compileCount(rules.units ?? [], false, toDemand(rules)),
  boolean: (rules) => {
    const demand = toDemand(rules);
    return (answer, language, budget) => readYesNo(answer, language, demand, budget);
  },
  date: (rules) => compileDate('date', rules),
  time: (rules) => compileDate('time', rules),
  datetime: (rules) => compileDate('datetime', rules),
  email: (rules) => {
    const demand = toDemand(rules);
    return (answer, language, budget) => readEmail(answer, language, demand, budget);
  },
  phone: (rules) => compilePhone(rules.defaultRegion, toDemand(rules)),
  url: (rules) => {
    const demand = toDemand(rules);
    return (answer, language, budget) => readUrl(answer, language, demand, budget);
  },
  code: (rules) => {
    const demand = toDemand(rules);
    return (answer, language, budget) => readCode(answer, language, demand, budget);
  },
  json: () => readJson,
  list: () => readList,
  enum: (rules) => compileChoice(rules.choices, toDemand(rules)),
};

export const toDemand = ({ strict, reading }: CastRules): Demand => ({
  strict: strict === true,
  wholeOnly: strict === true || reading === 'whole',
});

function compileDate(kind: DateKind, cast: CastRules): Reader {
  const { prefer, dateOrder } = cast;
  const rules = {
    kind,
    prefer: prefer ?? 'future',
    dateOrder: dateOrder ?? null,
    demand: toDemand(cast),
  } as const;
  return (answer, language, budget, context) => readDate(answer, language, rules, context, budget);
}
