// The languages that casts read, by BCP 47 tag. What a region decides (the order of a date, the decimal mark) comes from Intl.
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

const ready = new Map<string, Language>();
const phrasesOf = new Map<Lexicon, LanguagePhrases>();

/** Tags kept: there are some hundred regions, and a caller may send any text. */
const readyMax = 200;

/** Whether a value is a tag of a language that every cast reads. */
export const isSpoken = (tag: unknown): tag is string =>
  typeof tag === 'string' && canonicalTag(tag) !== null && Object.hasOwn(lexicons, primary(tag));

/** The language of a tag; of one that is not spoken, digits and ISO 8601 only. */
export function languageOf(tag: string): Language {
  const known = ready.get(tag);
  if (known !== undefined) return known;
  const canonical = canonicalTag(tag);
  const lexicon = (canonical === null ? undefined : lexicons[primary(canonical)]) ?? none;
  const region = canonical !== null && lexicon !== none ? canonical : 'en';
  const language = {
    tag: canonical ?? tag,
    lexicon,
    ...regional(region),
    phrases: phrasesOf.get(lexicon) ?? compileLists(lexicon),
  };
  phrasesOf.set(lexicon, language.phrases);
  if (ready.size < readyMax) ready.set(tag, language);
  return language;
}

const primary = (tag: string): string => tag.trim().split(/[-_]/)[0]!.toLowerCase();

function canonicalTag(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag.trim().replaceAll('_', '-'))[0] ?? null;
  } catch {
    return null;
  }
}

const letterOf: Readonly<Record<string, string>> = { day: 'd', month: 'm', year: 'y' };

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
  const { fillers, numberFillers, choiceFillers, momentGlue, momentFillers, negations, yes, no, eitherWay } = lexicon;
  return {
    fillers: wordList(fillers),
    numberFillers: wordList(numberFillers),
    choiceFillers: wordList(choiceFillers),
    momentGlue: wordList(momentGlue),
    momentFillers: wordList(momentFillers),
    negations: wordList(negations),
    yesNo: compilePhrases([
      ...phraseRows<boolean | null>(yes, true),
      ...phraseRows<boolean | null>(no, false),
      ...phraseRows<boolean | null>(eitherWay, null),
    ]),
  };
}
