// The languages that casts read, by BCP 47 tag. What a region decides (the order of a date, the decimal mark) comes from Intl.
import type { BaseLanguage } from '../base/base-language.ts';
import { baseLanguageOf, isBaseLanguage } from '../base/provided.ts';
import { compilePhrases, phraseRows } from '../grammar/phrases.ts';
import { wordList } from '../grammar/account.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { nl } from './nl.ts';
import { pt } from './pt.ts';
import type { DateOrder, Language, LanguagePhrases, Lexicon } from './language.ts';
import { none } from './none.ts';

const lexicons: Readonly<Record<string, Lexicon>> = { en, de, fr, es, it, pt, nl };

/** Primary subtags of the languages that every cast reads. */
export const spokenLanguages: readonly string[] = Object.keys(lexicons);

const letterOf: Readonly<Record<string, string>> = { day: 'd', month: 'm', year: 'y' };

/** By tag as it was sent; null = not spoken. */
const ready = new Map<string, Language | null>();
const phrasesOf = new Map<Lexicon, LanguagePhrases>();

/** Tags kept: there are some hundred regions, and a caller may send any text. The first to come is the first to go. */
const readyMax = 200;
/** Characters of a tag: no language has more. */
const tagCharsMax = 100;

/** The language of a tag; null when casts do not speak it, or it is no tag. */
export function languageOf(tag: unknown): Language | null {
  if (!mayBeTag(tag)) return null;
  let language = ready.get(tag);
  if (language === undefined) {
    const canonical = canonicalTag(tag);
    const name = primarySubtag(canonical);
    const lexicon = Object.hasOwn(lexicons, name) ? lexicons[name]! : null;
    const base = lexicon === null ? baseLanguageOf(name) : null;
    // Data that is provided later is found then.
    if (base === null && isBaseLanguage(name)) return null;
    language = lexicon === null && base === null ? null : makeLanguage(canonical!, lexicon ?? none, base);
    if (ready.size >= readyMax) ready.delete(ready.keys().next().value!);
    ready.set(tag, language);
  }
  return language;
}

/** How well casts read the words of a tag's language: tuned by hand, from data of CLDR alone, or not at all. */
export function languageLevel(tag: unknown): 'tuned' | 'basic' | 'none' {
  const name = primarySubtag(canonicalTag(tag));
  return Object.hasOwn(lexicons, name) ? 'tuned' : isBaseLanguage(name) ? 'basic' : 'none';
}

/** The name of the data that a tag's language needs; null when it needs none. */
export function baseLanguageName(tag: unknown): string | null {
  const name = primarySubtag(canonicalTag(tag));
  return isBaseLanguage(name) ? name : null;
}

/** `no` is Norwegian of either kind; what is written mostly is Bokmål. */
function primarySubtag(canonical: string | null): string {
  const name = canonical?.split('-')[0] ?? '';
  return name === 'no' ? 'nb' : name;
}

/** Digits and ISO 8601 only. */
export const withoutWords: Language = makeLanguage('en', none, null);

function makeLanguage(tag: string, lexicon: Lexicon, base: BaseLanguage | null): Language {
  const phrases = phrasesOf.get(lexicon) ?? compileLists(lexicon);
  phrasesOf.set(lexicon, phrases);
  return { tag, lexicon, base, ...regional(tag), phrases };
}

const mayBeTag = (tag: unknown): tag is string => typeof tag === 'string' && tag.length <= tagCharsMax;

/** A BCP 47 tag as Intl writes it; null for what is none. */
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
  const markOf = (type: string) => number.find((part) => part.type === type)?.value;
  const day = new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'numeric', year: 'numeric' });
  const letters = day.formatToParts(0).map(({ type }) => letterOf[type] ?? '');
  const decimal = markOf('decimal') ?? '.';
  const group = markOf('group') ?? '';
  return {
    dateOrder: letters.join('') as DateOrder,
    decimal,
    // Spaces and apostrophes group digits everywhere; of comma and dot, the one that is not the decimal mark.
    groups: `'_ ${decimal === ',' || group === '.' ? '.' : ','}`,
  };
}

function compileLists(lexicon: Lexicon): LanguagePhrases {
  const { fillers, corrections, numberFillers, choiceFillers, momentGlue, momentFillers } = lexicon;
  const { negations, yes, no, eitherWay } = lexicon;
  return {
    fillers: wordList(fillers),
    numberFillers: wordList(numberFillers, corrections),
    choiceFillers: wordList(choiceFillers, corrections),
    momentGlue: wordList(momentGlue),
    momentFillers: wordList(momentFillers, corrections),
    negations: wordList(negations),
    yesNo: compilePhrases([
      ...phraseRows<boolean | null>(yes, true),
      ...phraseRows<boolean | null>(no, false),
      ...phraseRows<boolean | null>(eitherWay, null),
    ]),
  };
}
