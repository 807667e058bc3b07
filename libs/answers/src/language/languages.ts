// The languages that casts read, by BCP 47 tag. Regional facts (the order of a date, the decimal
// mark) come from Intl.
import type { BaseLanguage } from '../base/base-language.ts';
import { findBaseLanguage, isBaseLanguage } from '../base/provided.ts';
import { compilePhrases, expand, phraseRows, type Phrases } from '../grammar/phrases.ts';
import { wordList } from '../grammar/account.ts';
import { splitWords, type TokenizedUtterance } from '../grammar/tokens.ts';
import { de } from './de/lexicon.ts';
import { deSentence } from './de/sentence.ts';
import { deSpelling } from './de/spelling.ts';
import { en } from './en/lexicon.ts';
import { enSentence } from './en/sentence.ts';
import { enSpelling } from './en/spelling.ts';
import { es } from './es/lexicon.ts';
import { esSentence } from './es/sentence.ts';
import { esSpelling } from './es/spelling.ts';
import { fr } from './fr/lexicon.ts';
import { frSentence } from './fr/sentence.ts';
import { frSpelling } from './fr/spelling.ts';
import { it } from './it/lexicon.ts';
import { itSentence } from './it/sentence.ts';
import { itSpelling } from './it/spelling.ts';
import { nl } from './nl/lexicon.ts';
import { nlSentence } from './nl/sentence.ts';
import { nlSpelling } from './nl/spelling.ts';
import { pt } from './pt/lexicon.ts';
import { ptSentence } from './pt/sentence.ts';
import { ptSpelling } from './pt/spelling.ts';
import { sv } from './sv/lexicon.ts';
import { svSentence } from './sv/sentence.ts';
import { svSpelling } from './sv/spelling.ts';
import type { DateOrder, Language, LanguagePhrases, Lexicon } from './language.ts';
import { none } from './none.ts';
import { noSentenceWords, type SentenceWords } from './sentence-words.ts';
import { noSpelling, type SpellingWords } from './spelling-words.ts';

interface Tables {
  readonly lexicon: Lexicon;
  readonly sentence: SentenceWords;
  readonly spelling: SpellingWords;
}

const spoken: Readonly<Record<string, Tables>> = {
  en: { lexicon: en, sentence: enSentence, spelling: enSpelling },
  de: { lexicon: de, sentence: deSentence, spelling: deSpelling },
  fr: { lexicon: fr, sentence: frSentence, spelling: frSpelling },
  es: { lexicon: es, sentence: esSentence, spelling: esSpelling },
  it: { lexicon: it, sentence: itSentence, spelling: itSpelling },
  pt: { lexicon: pt, sentence: ptSentence, spelling: ptSpelling },
  nl: { lexicon: nl, sentence: nlSentence, spelling: nlSpelling },
  sv: { lexicon: sv, sentence: svSentence, spelling: svSpelling },
};

/** Primary subtags of the languages that every cast reads. */
export const spokenLanguages: readonly string[] = Object.keys(spoken);

const datePartLetters: Readonly<Record<string, string>> = { day: 'd', month: 'm', year: 'y' };

/** By tag as sent; null = not supported. */
const ready = new Map<string, Language | null>();
const phrasesByTables = new Map<Tables, LanguagePhrases>();

/**
 * Tags in the cache: there are some hundred regions, and a caller may send any text. First in,
 * first out.
 */
const readyMax = 200;
/** Characters of a tag: no language has more. */
const tagCharsMax = 100;

/** The language of a tag; null when casts do not support it, or the tag is invalid. */
export function findLanguage(tag: unknown): Language | null {
  if (!mayBeTag(tag)) return null;
  let language = ready.get(tag);
  if (language === undefined) {
    const canonical = canonicalTag(tag);
    const name = primarySubtag(canonical);
    const tables = Object.hasOwn(spoken, name) ? spoken[name]! : null;
    const base = tables === null ? findBaseLanguage(name) : null;
    // The data may be provided later.
    if (base === null && isBaseLanguage(name)) return null;
    language = tables === null && base === null ? null : makeLanguage(canonical!, tables ?? noTables, base);
    if (ready.size >= readyMax) ready.delete(ready.keys().next().value!);
    ready.set(tag, language);
  }
  return language;
}

/**
 * How well casts read the words of a tag's language: tuned by hand, from data of CLDR alone, or not
 * at all.
 */
export function languageLevel(tag: unknown): 'tuned' | 'basic' | 'none' {
  const name = primarySubtag(canonicalTag(tag));
  return Object.hasOwn(spoken, name) ? 'tuned' : isBaseLanguage(name) ? 'basic' : 'none';
}

/** The name of the data that a tag's language needs; null when it needs none. */
export function baseLanguageName(tag: unknown): string | null {
  const name = primarySubtag(canonicalTag(tag));
  return isBaseLanguage(name) ? name : null;
}

/** `no` is Norwegian of either kind; most of it is written in Bokmål. */
function primarySubtag(canonical: string | null): string {
  const name = canonical?.split('-')[0] ?? '';
  return name === 'no' ? 'nb' : name;
}

const noTables: Tables = { lexicon: none, sentence: noSentenceWords, spelling: noSpelling };

/** Digits and ISO 8601 only. */
export const withoutWords: Language = makeLanguage('en', noTables, null);

function makeLanguage(tag: string, tables: Tables, base: BaseLanguage | null): Language {
  const phrases = phrasesByTables.get(tables) ?? compileLists(tables);
  phrasesByTables.set(tables, phrases);
  const { lexicon, spelling } = tables;
  return { tag, lexicon, spelling, base, ...regional(tag), phrases };
}

const mayBeTag = (tag: unknown): tag is string => typeof tag === 'string' && tag.length <= tagCharsMax;

/** A BCP 47 tag as Intl writes it; null when it is invalid. */
export function canonicalTag(tag: unknown): string | null {
  if (!mayBeTag(tag)) return null;
  try {
    return Intl.getCanonicalLocales(tag.trim().replaceAll('_', '-'))[0] ?? null;
  } catch {
    return null;
  }
}

function regional(tag: string): Pick<Language, 'dateOrder' | 'decimal' | 'groups'> {
  const number = new Intl.NumberFormat(tag).formatToParts(1234567.5);
  const findMark = (type: string) => number.find((part) => part.type === type)?.value;
  const day = new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'numeric', year: 'numeric' });
  const letters = day.formatToParts(0).map(({ type }) => datePartLetters[type] ?? '');
  const decimal = findMark('decimal') ?? '.';
  const group = findMark('group') ?? '';
  return {
    dateOrder: letters.join('') as DateOrder,
    decimal,
    // Spaces and apostrophes group digits everywhere; of comma and dot, the one that is not the
    // decimal mark.
    groups: `'_ ${decimal === ',' || group === '.' ? '.' : ','}`,
  };
}

function compileLists({ lexicon, sentence }: Tables): LanguagePhrases {
  const { fillers, corrections, numberFillers, choiceFillers, momentGlue, momentFillers } = lexicon;
  const { negations, yes, no, eitherWay, yesOrIf = '' } = lexicon;
  const { changes, limits, particles, plainNo, feasts, buts, undecided } = sentence;
  const yesNoRows = compilePhrases([
    ...phraseRows<boolean | null>(yes, true),
    ...phraseRows<boolean | null>(no, false),
    ...phraseRows<boolean | null>(eitherWay, null),
  ]);
  const unlessIf = ifFilter(yesOrIf, yesNoRows);
  return {
    fillers: unlessIf(wordList(fillers, sentence.greetings)),
    numberFillers: wordList(numberFillers, corrections),
    choiceFillers: wordList(choiceFillers, corrections),
    momentGlue: wordList(momentGlue),
    momentFillers: wordList(momentFillers, corrections),
    negations: wordList(negations),
    yesNo: unlessIf(yesNoRows),
    momentWords: collectMomentWords(lexicon, sentence),
    clockJoins: collectClockJoins(lexicon),
    changes: {
      count: butAtTheEnd(wordList(changes, limits, plainNo), wordList(particles)),
      moment: butAtTheEnd(wordList(changes, limits, plainNo, feasts), wordList(particles)),
      choice: wordList(changes, plainNo),
      yesNo: wordList(buts, undecided),
    },
    yesNoFillers: fillersBeside(yes, no, fillers, sentence.greetings),
    sentence: Object.fromEntries(
      Object.entries({ ...noSentenceWords, ...sentence }).map(([name, patterns]: [string, string]) => [
        name,
        wordList(patterns),
      ]),
    ) as LanguagePhrases['sentence'],
  };
}

/** Without small words, which are too common. */
function collectMomentWords({ moments, momentGlue }: Lexicon, { small }: SentenceWords): ReadonlySet<string> {
  const words = splitWords(
    Object.values(moments)
      .join(' ')
      .replaceAll(/\{\w+\}/g, ' '),
  );
  const everywhere = new Set(splitWords(`${momentGlue} ${small}`));
  return new Set(words.filter((word) => /\p{L}/u.test(word) && !everywhere.has(word)));
}

/** Of minutes and hours in two parts; optional words join nothing. */
function collectClockJoins({ moments }: Lexicon): ReadonlySet<string> {
  const { past = '', to = '', toOrRange = '', hourTo = '', pastHalf = '', toHalf = '' } = moments;
  const said = [past, to, toOrRange, hourTo, pastHalf, toHalf]
    .join(' ')
    .replaceAll(/\[[^\]]*\]|\{\w+\}/g, ' ');
  return new Set(splitWords(said).filter((word) => /\p{L}/u.test(word)));
}

/** "Yes" is a filler of other casts. */
function fillersBeside(yes: string, no: string, ...fillers: readonly string[]): Phrases<true> {
  const answers = new Set(
    phraseRows(`${yes};${no}`, true).flatMap(([pattern]) => expand(pattern).map(String)),
  );
  const rows = fillers.flatMap((list) =>
    phraseRows(list, true as const).flatMap(([pattern]) => expand(pattern)),
  );
  return compilePhrases(
    rows.filter((words) => !answers.has(String(words))).map((words) => [words, true] as const),
  );
}

/**
 * Removes a "si" that means "if" from lists: without an accent, before a word that does not also
 * mean yes.
 */
function ifFilter(patterns: string, yesNo: Phrases<unknown>): <M>(list: Phrases<M>) => Phrases<M> {
  if (patterns === '') return (list) => list;
  const words = wordList(patterns);
  const isIf = (said: TokenizedUtterance, at: number): boolean => {
    const { start, end, text } = said.tokens[at]!;
    return (
      said.tokens[at + 1]?.kind === 'word' &&
      words.match(said, at) !== null &&
      said.utterance.slice(start, end).toLowerCase() === text &&
      yesNo.match(said, at + 1) === null
    );
  };
  return (list) => ({
    starts: list.starts,
    match: (said, at) => {
      const match = list.match(said, at);
      return match?.next === at + 1 && isIf(said, at) ? null : match;
    },
  });
}

/** The phrases of a list, without a particle that ends the sentence. */
function butAtTheEnd(list: Phrases<true>, particles: Phrases<true>): Phrases<true> {
  return {
    starts: list.starts,
    match: (said, at) => {
      const match = list.match(said, at);
      if (match === null || particles.match(said, at)?.next !== match.next) return match;
      return said.tokens.slice(match.next).every(({ kind }) => kind === 'mark') ? null : match;
    },
  };
}
