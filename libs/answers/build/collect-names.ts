// Collects names of months, weekdays, days and parts of the day from Intl, and the text that CLDR
// writes between them.
import type { BaseLanguageData, DatePart, Names } from '../src/base/base-language.ts';
import { foldBase } from '../src/base/fold.ts';
import type { BaseLanguageName } from './base-words.ts';

/** Names with their values. Drops a name with two meanings ("कल" is yesterday and tomorrow). */
class NameTable {
  readonly #values = new Map<string, Set<number>>();
  readonly #language: BaseLanguageName;

  constructor(language: BaseLanguageName) {
    this.#language = language;
  }

  add(text: string, value: number): void {
    const name = foldBase(text, this.#language);
    if (name === '' || /^\d+$/.test(name)) return;
    this.#values.set(name, (this.#values.get(name) ?? new Set()).add(value));
  }

  toNames(): Names {
    return [...this.#values].flatMap(([name, [value, ...others]]) =>
      others.length > 0 ? [] : [[name, value!] as const],
    );
  }
}

const locale = (language: BaseLanguageName) => `${language}-u-ca-gregory-nu-latn`;

function formatParts(language: BaseLanguageName, options: Intl.DateTimeFormatOptions, atMs: number) {
  return new Intl.DateTimeFormat(locale(language), { timeZone: 'UTC', ...options }).formatToParts(atMs);
}

const dayStyles: readonly Intl.DateTimeFormatOptions[] = [
  { dateStyle: 'full' },
  { dateStyle: 'long' },
  { dateStyle: 'medium' },
  { day: 'numeric', month: 'long' },
  { day: 'numeric', month: 'short' },
  { weekday: 'long', day: 'numeric', month: 'long' },
  { weekday: 'short', day: 'numeric', month: 'short' },
];
const monthStyles: readonly Intl.DateTimeFormatOptions[] = [
  ...dayStyles,
  { month: 'long' },
  { month: 'short' },
];
const weekdayStyles: readonly Intl.DateTimeFormatOptions[] = [
  ...dayStyles,
  { weekday: 'long' },
  { weekday: 'short' },
];

/** 2026-06-01 is a Monday. */
const monday = Date.UTC(2026, 5, 1);
const dayMs = 86_400_000;

const isDatePart = (type: string): boolean => type === 'day' || type === 'month' || type === 'year';

/** The same number in words, for Intl month names in digits ("tháng 11", "11月"). */
export type NumberWordings = (number: number) => readonly string[];

export function collectDates(
  language: BaseLanguageName,
  inWords: NumberWordings,
): Pick<BaseLanguageData, 'months' | 'weekdays' | 'days' | 'dateOrders' | 'dateParticles'> {
  const [months, weekdays, days] = [
    new NameTable(language),
    new NameTable(language),
    new NameTable(language),
  ];
  const particles = new Set<string>();
  const orders = new Set<string>();
  const addMonth = (name: string, month: number): void => {
    months.add(name, month);
    if (name.includes(String(month)))
      for (const words of inWords(month)) months.add(name.replace(String(month), words), month);
  };
  for (let month = 1; month <= 12; month++) {
    const atMs = Date.UTC(2026, month - 1, 15);
    addMonth(
      formatParts(language, { month: 'long' }, atMs)
        .map(({ value }) => value)
        .join(''),
      month,
    );
    for (const style of monthStyles) {
      const parts = formatParts(language, style, atMs);
      orders.add(parts.flatMap(({ type }) => (isDatePart(type) ? [type] : [])).join(' '));
      for (const { type, value } of parts) {
        if (type === 'month') addMonth(value, month);
        if (type === 'literal' || type === 'era')
          for (const word of value.split(/\s+/)) particles.add(foldBase(word, language));
      }
    }
  }
  for (let weekday = 1; weekday <= 7; weekday++)
    for (const style of weekdayStyles)
      for (const { type, value } of formatParts(language, style, monday + (weekday - 1) * dayMs))
        if (type === 'weekday') weekdays.add(value, weekday);
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  for (const ahead of [-2, -1, 0, 1, 2]) {
    const name = relative.format(ahead, 'day');
    if (!/\p{Nd}/u.test(name)) days.add(name, ahead);
  }
  particles.delete('');
  orders.delete('month');
  return {
    months: months.toNames(),
    // 日 is Sunday and the word after a day of the month.
    weekdays: weekdays.toNames().filter(([name]) => !particles.has(name)),
    days: days.toNames(),
    dateOrders: [...orders].map((order) => order.split(' ') as DatePart[]),
    dateParticles: [...particles],
  };
}

const clockStyles: readonly Intl.DateTimeFormatOptions[] = [
  { timeStyle: 'short' },
  { timeStyle: 'medium' },
  { hour: 'numeric' },
  { hour: 'numeric', minute: 'numeric', hourCycle: 'h12' },
  { hour: 'numeric', minute: 'numeric', dayPeriod: 'long', hourCycle: 'h12' },
  { hour: 'numeric', minute: 'numeric', dayPeriod: 'short', hourCycle: 'h12' },
  { hour: 'numeric', dayPeriod: 'long', hourCycle: 'h12' },
];

export function collectTimes(
  language: BaseLanguageName,
  dateParticles: readonly string[],
): Pick<BaseLanguageData, 'dayPeriods' | 'timeParticles'> {
  const periods = new Map<string, Set<number>>();
  const particles = new Set<string>();
  for (let halfHour = 0; halfHour < 48; halfHour++)
    for (const style of clockStyles)
      for (const { type, value } of formatParts(language, style, monday + halfHour * 1_800_000)) {
        const text = foldBase(value, language);
        if (text === '') continue;
        if (type === 'dayPeriod')
          periods.set(text, (periods.get(text) ?? new Set()).add(Math.floor(halfHour / 2)));
        if (type === 'literal')
          for (const word of value.split(/\s+/)) particles.add(foldBase(word, language));
      }
  // The word that joins a day and a time: "klo".
  for (const { type, value } of formatParts(language, { dateStyle: 'long', timeStyle: 'short' }, monday))
    if (type === 'literal') for (const word of value.split(/\s+/)) particles.add(foldBase(word, language));
  for (const particle of ['', ...dateParticles]) particles.delete(particle);
  return {
    dayPeriods: [...periods].map(([text, hours]) => [text, [...hours]] as const),
    timeParticles: [...particles],
  };
}
