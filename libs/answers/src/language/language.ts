// The facts of a language that casts need. The lexicons are data (en.ts, de.ts …), in the pattern
// syntax of grammar/phrases.ts with semicolons between patterns. How to compose a number or a day
// is implemented once, for all languages.
import type { BaseLanguage } from '../base/base-language.ts';
import type { Phrases } from '../grammar/phrases.ts';
import type { Splitter } from '../grammar/tokens.ts';
import type { SentenceWords } from './sentence-words.ts';
import type { SpellingWords } from './spelling-words.ts';

/** The lexicon of one language, as its author writes it. */
export interface Lexicon {
  readonly numbers: NumberWords;
  /** Words that change no value, in every cast. Excludes "about" and "not". */
  readonly fillers: string;
  /** Words around a number only: "I am", "in total". */
  readonly numberFillers: string;
  /**
   * Words that take back an earlier value, around a number, a choice, a day or a time: "no, I
   * said".
   */
  readonly corrections: string;
  /** Counts of days that idioms use for a week and a fortnight: "in acht Tagen". */
  readonly idiomDays: readonly number[];
  /** Counts of people that are no cardinals: "zu viert". */
  readonly groups: readonly (readonly [string, number])[];
  /** An age with its unit, `{n}`: "j'ai 15 ans". */
  readonly ages: string;
  /** Words around a choice only: articles, "one". */
  readonly choiceFillers: string;
  /** Words that belong to a day or a time: "on", "at". */
  readonly momentGlue: string;
  /** Words around a day or a time only: "my birthday is". */
  readonly momentFillers: string;
  readonly yes: string;
  readonly no: string;
  /** A yes that means "if" before a word without its accent: "si quiero". */
  readonly yesOrIf?: string;
  /** Words that go with a yes as well as with a no: "everyone is fine". */
  readonly eitherWay: string;
  /** Words that negate the words beside them; an address in such a sentence is no answer. */
  readonly negations: string;
  /** A street: a number up to three words after it is a house number. */
  readonly streets?: RegExp;
  /** The word before the last element of a list. */
  readonly and: string;
  readonly names: MomentNames;
  readonly moments: Readonly<Partial<Record<MomentMeaning, string>>>;
}

export interface NumberWords {
  /** Every number below a hundred, and hundreds where they are words of their own. */
  readonly small: Iterable<readonly [string, number]>;
  /** Hundred, after the number that it multiplies. */
  readonly hundred: string;
  /** "Hundred" and "thousand" may stand without a number before them. */
  readonly bareScale: boolean;
  readonly scales: readonly (readonly [string, number])[];
  /** Joins a hundred or a scale and a smaller number. */
  readonly and: string;
  readonly minus: string;
  /** The first of them needs no number before it. */
  readonly point: string;
  /** Decimals may be one number: "coma veintiséis". */
  readonly groupedDecimals: boolean;
  /** "A" in "a hundred", "in a week". */
  readonly one: string;
  /** Days of a month, where they are not the cardinal. */
  readonly ordinals: Iterable<readonly [string, number]>;
  /** What follows the digits of an ordinal: "th". */
  readonly ordinalSuffixes: string;
  /** Splits words that are written as one. */
  readonly split?: Splitter;
}

export interface MomentNames {
  /** January first. */
  readonly months: readonly string[];
  /** Monday first. */
  readonly weekdays: readonly string[];
  /** Second, minute, hour, day, week, month, year. */
  readonly units: readonly string[];
  /** In the order of `dayParts`. */
  readonly parts: readonly string[];
  readonly quarter: string;
  readonly half: string;
  readonly threeQuarters: string;
  /** A zero before minutes: "oh five". */
  readonly oh: string;
}

export const dayParts = ['am', 'pm', 'morning', 'afternoon', 'evening', 'night'] as const;
export type DayPart = (typeof dayParts)[number];

/**
 * The meaning of a phrase about days and times. `eitherWeekday` is a "next Friday" that some take
 * for the coming one and some for that of next week: it is read when both are the same day. The
 * slots: `{h}` hour, `{h13}` one from 13 on, `{mm}` two digits of minutes, `{m}` minutes, `{d}` day
 * of the month, `{month}`, `{year}`, `{weekday}`, `{n}` count, `{unit}`, `{part}` part of the day,
 * `{dotted}` 8.30.
 */
export type MomentMeaning =
  | ('today' | 'tomorrow' | 'yesterday' | 'overmorrow' | 'ereyesterday' | 'now')
  | ('thisMorning' | 'thisAfternoon' | 'tonight' | 'lastNight')
  | ('dayThisMonth' | 'dayNextMonth' | 'dayLastMonth')
  | ('unitsFromTomorrow' | 'unitsFromOvermorrow' | 'unitsFromYesterday')
  | (
      | 'weekday'
      | 'thisWeekday'
      | 'nextWeekday'
      | 'eitherWeekday'
      | 'lastWeekday'
      | 'weekdayLastWeek'
      | 'thisWeek'
      | 'nextWeek'
      | 'lastWeek'
    )
  | ('dayMonth' | 'monthDay' | 'dayOnly' | 'vague' | 'inUnits' | 'inTwoUnits' | 'inHalfHour' | 'unitsAgo')
  | (
      | 'noon'
      | 'midnight'
      | 'bareHour'
      | 'bareMinute'
      | 'hour'
      | 'hourPart'
      | 'hourMinute'
      | 'hourMinutePart'
      | 'dotted'
      | 'military'
    )
  | (
      | 'past'
      | 'to'
      | 'toOrRange'
      | 'hourPast'
      | 'hourTo'
      | 'halfTo'
      | 'halfPast'
      | 'pastHalf'
      | 'toHalf'
      | 'part'
      | 'pastNoon'
      | 'pastMidnight'
      | 'toNoon'
      | 'toMidnight'
      | 'quarterBefore'
    )
  | ('or' | 'range');

export type DateOrder = 'dmy' | 'mdy' | 'ymd';

/** A language and its region, ready to read with. */
export interface Language {
  /** BCP 47. */
  readonly tag: string;
  readonly lexicon: Lexicon;
  readonly spelling: SpellingWords;
  /** For a language without a tuned lexicon: its CLDR data. */
  readonly base: BaseLanguage | null;
  readonly dateOrder: DateOrder;
  readonly decimal: string;
  /** Marks between groups of three digits. */
  readonly groups: string;
  readonly phrases: LanguagePhrases;
}

/** The lists of a lexicon, compiled. */
export interface LanguagePhrases {
  readonly fillers: Phrases<true>;
  readonly numberFillers: Phrases<true>;
  readonly choiceFillers: Phrases<true>;
  readonly momentGlue: Phrases<true>;
  readonly momentFillers: Phrases<true>;
  readonly negations: Phrases<true>;
  /** Words of phrases of days and times that change a day beside them: "next", "ago". */
  readonly momentWords: ReadonlySet<string>;
  /** Words between the parts of a clock time: "past", "para". */
  readonly clockJoins: ReadonlySet<string>;
  readonly yesNo: Phrases<boolean | null>;
  readonly sentence: Readonly<Record<keyof SentenceWords, Phrases<true>>>;
  /** Words that change a value in a sentence, by the kind of value. */
  readonly changes: Readonly<Record<'count' | 'moment' | 'choice' | 'yesNo', Phrases<true>>>;
  /** Without the words for yes and no. */
  readonly yesNoFillers: Phrases<true>;
}
