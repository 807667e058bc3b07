// Languages that are read from data of CLDR and n2words alone, without a hand-tuned grammar: their
// list, and the shape of their data. `build/` makes the data, and the program that runs the engine
// provides it.

/** Primary subtags. */
export const baseLanguages = [
  ...['ar', 'bn', 'cs', 'da', 'el', 'fa', 'fi', 'he', 'hi', 'hu', 'id', 'ja'],
  ...['ko', 'nb', 'pl', 'ro', 'ru', 'ta', 'th', 'tr', 'uk', 'vi', 'zh'],
] as const;

export type DatePart = 'day' | 'month' | 'year';

/** Texts with their values; omits a text with two values. */
export type Names = readonly (readonly [string, number])[];

/** The text before the rest of a number: "two hundred and" before 1 to 99. */
export interface NumberHead {
  readonly texts: readonly string[];
  readonly value: number;
  /** Classes of rests (see `restClass`) that may follow it. */
  readonly rests: number;
}

/** How one rule set, or one package, writes the numbers 0 to 9,999. */
export interface WriterData {
  readonly whole: Names;
  /** Before the rest of a number below its hundred, or below its thousand. */
  readonly heads: readonly NumberHead[];
}

/** The built data of a language, as JSON. `foldBase` has folded all texts. */
export interface BaseLanguageData {
  /** Primary subtag. */
  readonly language: string;
  readonly writers: readonly WriterData[];
  readonly minus: readonly string[];
  /** Days of the month, 1 to 31. */
  readonly ordinals: Names;
  /** From 1. */
  readonly months: Names;
  /** From 1, Monday. */
  readonly weekdays: Names;
  /** Days from today. */
  readonly days: Names;
  /** Orders of day, month and year in which dates are written. */
  readonly dateOrders: readonly (readonly DatePart[])[];
  /** The text that CLDR writes between and around the parts of a date, and of a time. */
  readonly dateParticles: readonly string[];
  readonly timeParticles: readonly string[];
  /** Parts of the day with the hours (0 to 23) in them. */
  readonly dayPeriods: readonly (readonly [string, readonly number[]])[];
  /** Years by which another era counts ahead (Thai: 543). */
  readonly eraYears: number;
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

/** One text of a head, ready to compare. */
export interface PreparedHead {
  readonly text: string;
  readonly value: number;
  readonly rests: number;
  /** Rests are below it: 100 or 1000. */
  readonly scale: number;
}

export interface NumberWriter {
  readonly whole: ReadonlyMap<string, number>;
  /** By the first character of their text. */
  readonly heads: ReadonlyMap<string, readonly PreparedHead[]>;
}

/** The data of a language, ready to read with. */
export interface BaseLanguage extends Omit<BaseLanguageData, 'writers'> {
  readonly writers: readonly NumberWriter[];
  /** Days of a month in words, cardinals and ordinals. */
  readonly dayWords: Names;
}

const daysMax = 31;

export function prepareBase(data: BaseLanguageData): BaseLanguage {
  const writers = data.writers.map(({ whole, heads }) => ({ whole: new Map(whole), heads: byFirst(heads) }));
  const cardinals = data.writers.flatMap(({ whole }) => whole);
  const days = [...data.ordinals, ...cardinals].filter(([, day]) => day >= 1 && day <= daysMax);
  return { ...data, writers, dayWords: [...new Map(days)] };
}

function byFirst(heads: readonly NumberHead[]): Map<string, PreparedHead[]> {
  const prepared = new Map<string, PreparedHead[]>();
  for (const { texts, value, rests } of heads)
    for (const text of texts) {
      const head = { text, value, rests, scale: value < 1000 ? 100 : 1000 };
      const first = text.charAt(0);
      prepared.set(first, [...(prepared.get(first) ?? []), head]);
    }
  return prepared;
}
