// The tuned languages read the texts of CLDR's rules, n2words and Intl, and never another value.
// `EVERY_NUMBER=true` reads all numbers, in some minutes; otherwise a sample.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/min';
import { findLanguage } from '../src/language/languages.ts';
import { compileCast, spokenLanguages, type Cast } from '../src/index.ts';
import { randomNumbers, writersOf, type Writer } from './written-numbers.ts';

const require = createRequire(import.meta.url);
const readsEvery = process.env['EVERY_NUMBER'] === 'true';
const some = <Item>(items: readonly Item[], every: number): readonly Item[] =>
  readsEvery ? items : items.filter((_, at) => at % every === 0);

/** A Thursday. */
const nowMs = Date.parse('2026-11-26T09:00:00Z');
const dayMs = 86_400_000;

/** Every number with a spelling of its own first. */
const numbers = [
  ...Array.from({ length: 130 }, (_, number) => number),
  ...some(
    Array.from({ length: 9_871 }, (_, number) => 130 + number),
    41,
  ),
  ...some(randomNumbers(2_000, 1e9, 34), 8),
];

const examplesPath = require.resolve('libphonenumber-js/mobile/examples');
const examples = JSON.parse(readFileSync(examplesPath, 'utf8')) as Record<string, string>;
const phones = some(
  Object.entries(examples)
    .map(([region, national]) => parsePhoneNumberFromString(national, region as CountryCode))
    .filter((phone) => phone?.isValid() === true)
    .slice(0, 100)
    .map((phone) => phone!.number),
  5,
);

/** A day with its month, around the ordinal; in languages with ordinal days, each must be read. */
const dates: Readonly<
  Record<string, { write: (ordinal: string, month: string) => string; counts: boolean }>
> = {
  en: { write: (ordinal, month) => `the ${ordinal} of ${month}`, counts: true },
  de: { write: (ordinal, month) => `am ${ordinal} ${month}`, counts: true },
  fr: { write: (ordinal, month) => `le ${ordinal} ${month}`, counts: false },
  es: { write: (ordinal, month) => `el ${ordinal} de ${month}`, counts: false },
  it: { write: (ordinal, month) => `il ${ordinal} ${month}`, counts: false },
  pt: { write: (ordinal, month) => `o ${ordinal} de ${month}`, counts: false },
  nl: { write: (ordinal, month) => `de ${ordinal} ${month}`, counts: true },
  sv: { write: (ordinal, month) => `den ${ordinal} ${month}`, counts: true },
};

/** The next day of that month and day, null for February 30. */
function nextDay(month: number, day: number): string | null {
  const from = new Date(nowMs).toISOString().slice(0, 10);
  for (let year = 2026; year <= 2034; year++) {
    const date = new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
    if (date >= from && Number(date.slice(5, 7)) === month) return date;
  }
  return null;
}

describe.each(spokenLanguages)('%s', (language) => {
  const read = (cast: Cast, answer: string) => {
    const outcome = compileCast(cast, { choices: [], defaultRegion: null, language })(answer, { nowMs });
    return outcome.ok ? outcome.value : undefined;
  };
  const written = (options: Intl.DateTimeFormatOptions, atMs: number) =>
    new Intl.DateTimeFormat(language, { timeZone: 'UTC', ...options }).format(atMs);
  let cardinals: Writer[] = [];
  let ordinals: Writer[] = [];
  beforeAll(async () => {
    [cardinals, ordinals] = await Promise.all([
      writersOf(language, 'cardinal'),
      writersOf(language, 'ordinal'),
    ]);
  });

  test('numbers in words', () => {
    let right = 0;
    const refused: unknown[] = [];
    const wrong: unknown[] = [];
    const texts = cardinals.flatMap(([, write]) => numbers.map((number) => [write(number), number] as const));
    for (const [text, number] of new Map(texts)) {
      const value = text === null ? number : read('integer', text);
      if (value === number) right++;
      else (value === undefined ? refused : wrong).push({ text, number, value });
    }
    expect(wrong).toEqual([]);
    // Rare forms, such as a case that only grammars have.
    expect(refused.slice(Math.ceil(right / 40))).toEqual([]);
  }, 600_000);

  test('case, blanks, hyphens and a full stop change no number', () => {
    const [, write] = cardinals.at(-1)!;
    for (const number of [0, 7, 21, 345, 1001]) {
      const text = write(number)!;
      const ways = [`${text}.`, ` ${text} `, text.toUpperCase()];
      expect(ways.map((way) => read('integer', way))).toEqual(ways.map(() => number));
    }
  });

  test('ordinals in dates', () => {
    const { write, counts } = dates[language]!;
    const unread: string[] = [];
    const wrong: (readonly [string, unknown])[] = [];
    for (let month = 1; month <= 12; month++)
      for (let day = 1; day <= 31; day++) {
        const date = nextDay(month, day);
        const name = written({ month: 'long' }, Date.UTC(2027, month - 1, 1));
        const texts = ordinals.flatMap(([, spell]) => spell(day) ?? []).map((text) => write(text, name));
        const values = texts.map((text) => read('date', text));
        for (const [at, value] of values.entries())
          if (value !== undefined && value !== date) wrong.push([texts[at]!, value]);
        if (counts && date !== null && !values.includes(date)) unread.push(texts.join('; '));
      }
    expect(wrong).toEqual([]);
    expect(unread).toEqual([]);
  }, 60_000);

  test.each([
    ['one by one', /\d/g],
    ['in pairs', /0|[1-9]\d?/g],
  ])(
    'digits of phone numbers %s',
    (_way, part) => {
      const plus = findLanguage(language)!.spelling.symbols['+']!.split(';')[0]!;
      const wrong: unknown[] = [];
      let right = 0;
      for (const number of phones) {
        const parts = (number.slice(1).match(part) ?? []).map(Number);
        for (const text of new Set(
          cardinals.map(([, write]) => parts.map((digits) => write(digits)).join(', ')),
        )) {
          const value = read('phone', `${plus} ${text}`);
          if (value === number) right++;
          else if (value !== undefined) wrong.push({ text, number, value });
        }
      }
      expect(wrong).toEqual([]);
      expect(right).toBeGreaterThanOrEqual(phones.length * 0.95);
    },
    120_000,
  );

  test('dates as Intl writes them', () => {
    const styles: Intl.DateTimeFormatOptions[] = [
      { dateStyle: 'full' },
      { dateStyle: 'long' },
      { day: 'numeric', month: 'long' },
      { weekday: 'long', day: 'numeric', month: 'long' },
    ];
    const wrong: unknown[] = [];
    for (let ahead = 0; ahead < 365; ahead += 3)
      for (const style of styles) {
        const atMs = nowMs + ahead * dayMs;
        const text = written(style, atMs);
        const value = read('date', text);
        if (value !== new Date(atMs).toISOString().slice(0, 10)) wrong.push({ text, value });
      }
    expect(wrong).toEqual([]);
  });

  test('a weekday that is not the one of the date is refused', () => {
    const [thursday, friday] = [nowMs, nowMs + dayMs].map((atMs) => written({ weekday: 'long' }, atMs));
    const text = written({ dateStyle: 'full' }, nowMs).replace(new RegExp(thursday!, 'i'), friday!);
    expect(text).toContain(friday);
    expect(read('date', text)).toBeUndefined();
    expect(read('date', friday!)).toBe('2026-11-27');
  });

  test('today, tomorrow and yesterday', () => {
    const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
    const texts = [-1, 0, 1].map((ahead) => format.format(ahead, 'day'));
    expect(texts.map((text) => read('date', text))).toEqual(['2026-11-25', '2026-11-26', '2026-11-27']);
  });

  test('times as Intl writes them', () => {
    const wrong: unknown[] = [];
    for (let hour = 0; hour < 24; hour++) {
      const text = written({ timeStyle: 'short' }, Date.UTC(2026, 0, 1, hour, 35));
      const value = read('time', text);
      if (value !== `${String(hour).padStart(2, '0')}:35`) wrong.push({ text, value });
    }
    expect(wrong).toEqual([]);
  });

  test('yes and no are those of CLDR', () => {
    const file = require(`cldr-misc-full/main/${language}/posix.json`) as {
      main: Record<string, { posix: { messages: { yesstr: string; nostr: string } } }>;
    };
    const { yesstr, nostr } = file.main[language]!.posix.messages;
    expect(read('boolean', `${yesstr.split(':')[0]!}!`)).toBe(true);
    expect(read('boolean', `${nostr.split(':')[0]!}.`)).toBe(false);
  });
});

test('a soft hyphen changes no word, and a hyphen ends no value', () => {
  const read = (language: string, answer: string) => {
    const outcome = compileCast('integer', { choices: [], defaultRegion: null, language })(answer, { nowMs });
    return outcome.ok ? outcome.value : undefined;
  };
  expect(read('de', 'ein\u00adund\u00adzwanzig')).toBe(21);
  expect(read('fr', 'quatre-vingt-une')).toBe(81);
  expect(read('fr', 'quatre-vingt-unième')).toBeUndefined();
});
