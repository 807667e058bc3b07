// Every base language reads back what CLDR's rules, n2words and Intl write in it, and reads nothing
// else.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createRequire } from 'node:module';
import { baseWords, type BaseLanguageName } from '../build/base-words.ts';
import { buildBase } from '../build/build-base.ts';
import { numbersEnd, numberWriters } from '../build/collect-numbers.ts';
import { foldBase } from '../src/base/fold.ts';
import { spokenNumbers } from './spoken-numbers.ts';
import {
  baseLanguages,
  compileCast,
  provideBaseLanguages,
  type BaseLanguageData,
  type Cast,
} from '../src/index.ts';

const names = Object.keys(baseWords) as BaseLanguageName[];
const built = new Map<string, BaseLanguageData>();

beforeAll(async () => {
  for (const name of names) built.set(name, await buildBase(name));
  provideBaseLanguages((language) => built.get(language) ?? null);
}, 120_000);

test('a sign before a word is no part of a number that is read without it', () => {
  expect(read('ko', 'integer', '- 일')).toBeUndefined();
  expect(read('pl', 'integer', '-5')).toBe(-5);
});

/** A Thursday. */
const nowMs = Date.parse('2026-11-26T09:00:00Z');

/** The captured value; undefined for a refusal. */
function read(language: string, cast: Cast, answer: string, rules: { units?: string[] } = {}): unknown {
  const outcome = compileCast(cast, { choices: [], defaultRegion: null, language, ...rules })(answer, {
    nowMs,
  });
  return outcome.ok ? outcome.value : undefined;
}

test('the languages of the build are those of the library', () => {
  expect([...names].sort()).toEqual([...baseLanguages].sort());
});

/** All numbers with a spelling of their own, and a sample of the rest. */
const numbers = Array.from({ length: numbersEnd }, (_, number) => number).filter(
  (number) => number < 130 || number % 100 < 2 || number % 37 === 0,
);

describe.each(names)('%s', (language) => {
  test('numbers are read as they were written', async () => {
    const wrong: unknown[] = [];
    for (const [writer, write] of await numberWriters(language))
      for (const number of numbers) {
        const text = write(number);
        const value = text === null ? number : read(language, 'integer', text);
        if (value !== number) wrong.push({ writer, text, number, value });
      }
    expect(wrong).toEqual([]);
  }, 60_000);

  test('case, blanks, hyphens and a full stop change nothing', async () => {
    const [write] = [...(await numberWriters(language)).values()].slice(-1);
    for (const number of [0, 7, 21, 345, 1001, 9876]) {
      const text = write!(number)!;
      const ways = [`${text}.`, ` ${text} `, text.replaceAll(/[\s-]/g, ''), text.replaceAll(/[\s-]+/g, '-')];
      expect(ways.map((way) => read(language, 'integer', way))).toEqual(ways.map(() => number));
    }
  });

  test('seven of ten numbers are read as people say them, and none wrongly', () => {
    const rows = spokenNumbers[language].flatMap((list) => list.split('; ')).map((row) => row.split('='));
    const values = rows.map(([text, number]) => [text, read(language, 'integer', text!), Number(number)]);
    expect(values.filter(([, value, number]) => value !== undefined && value !== number)).toEqual([]);
    const right = values.filter(([, value]) => value !== undefined).length;
    expect(right / rows.length).toBeGreaterThanOrEqual(0.7);
  });

  const dateStyles: Intl.DateTimeFormatOptions[] = [
    { dateStyle: 'full' },
    { dateStyle: 'long' },
    { day: 'numeric', month: 'long' },
    { weekday: 'long', day: 'numeric', month: 'long' },
  ];

  test('dates are read as Intl writes them', () => {
    const wrong: unknown[] = [];
    for (let ahead = 0; ahead < 365; ahead += 3)
      for (const style of dateStyles) {
        const day = new Date(nowMs + ahead * 86_400_000);
        const format = new Intl.DateTimeFormat(`${language}-u-ca-gregory`, { timeZone: 'UTC', ...style });
        const text = format.format(day);
        const value = read(language, 'date', text);
        if (value !== day.toISOString().slice(0, 10)) wrong.push({ text, value });
      }
    expect(wrong).toEqual([]);
  });

  test('a weekday that is not the one of the date is refused', () => {
    const style = { timeZone: 'UTC', weekday: 'long' } as const;
    const friday = new Intl.DateTimeFormat(language, style).format(nowMs + 86_400_000);
    const thursday = new Intl.DateTimeFormat(language, style).format(nowMs);
    const written = new Intl.DateTimeFormat(`${language}-u-ca-gregory`, {
      timeZone: 'UTC',
      dateStyle: 'full',
    });
    const text = written.format(nowMs).replace(thursday, friday);
    expect(text).toContain(friday);
    expect(read(language, 'date', text)).toBeUndefined();
    expect(read(language, 'date', friday)).toBe('2026-11-27');
  });

  test('today, tomorrow and yesterday', () => {
    const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
    const texts = [-1, 0, 1].map((ahead) => format.format(ahead, 'day'));
    const days = ['2026-11-25', '2026-11-26', '2026-11-27'];
    const ambiguous = texts[0] === texts[2];
    const expected = ambiguous ? [undefined, days[1], undefined] : days;
    expect(texts.map((text) => read(language, 'date', text))).toEqual(expected);
  });

  test('times are read with and without the words for a part of the day', () => {
    const styles: Intl.DateTimeFormatOptions[] = [
      { timeStyle: 'short' },
      { hour: 'numeric', minute: '2-digit', hourCycle: 'h12' },
      { hour: 'numeric', minute: '2-digit', dayPeriod: 'long', hourCycle: 'h12' },
    ];
    const wrong: unknown[] = [];
    for (let hour = 0; hour < 24; hour++)
      for (const style of styles) {
        const text = new Intl.DateTimeFormat(language, { timeZone: 'UTC', ...style }).format(
          Date.UTC(2026, 0, 1, hour, 35),
        );
        const value = read(language, 'time', text);
        if (value !== `${String(hour).padStart(2, '0')}:35`) wrong.push({ text, value });
      }
    expect(wrong).toEqual([]);
  });

  test('yes and no are those of CLDR too', () => {
    const require = createRequire(import.meta.url);
    const file = require(`cldr-misc-full/main/${language}/posix.json`) as {
      main: Record<string, { posix: { messages: { yesstr: string; nostr: string } } }>;
    };
    const { yesstr, nostr } = file.main[language]!.posix.messages;
    const words = (list: string) =>
      list.split(':').filter((word) => word.length > 1 || /[^\x00-\u024f]/.test(word));
    const known = built.get(language)!;
    const folded = (list: string) => words(list).map((word) => foldBase(word, language));
    // Single letters stand for answers on a terminal.
    expect(folded(yesstr).filter((word) => word.length > 1 && !known.yes.includes(word))).toEqual([]);
    expect(folded(nostr).filter((word) => word.length > 1 && !known.no.includes(word))).toEqual([]);
    expect(read(language, 'boolean', `${words(yesstr)[0]!}!`)).toBe(true);
    expect(read(language, 'boolean', `${words(nostr)[0]!}.`)).toBe(false);
  });

  test('a word that nobody knows refuses every answer', async () => {
    const [write] = [...(await numberWriters(language)).values()];
    const number = write!(21)!;
    expect(read(language, 'integer', `${number} zzz`)).toBeUndefined();
    expect(
      read(language, 'date', `zzz ${new Intl.DateTimeFormat(language, { dateStyle: 'long' }).format(nowMs)}`),
    ).toBeUndefined();
    expect(read(language, 'boolean', `zzz ${baseWords[language].yes.split(';')[0]!}`)).toBeUndefined();
  });
});

test.each([
  ['sv', 'integer', 'hundra och ett', 101],
  ['sv', 'integer', 'minus tjugofem', -25],
  ['sv', 'integer', 'ett tusen ett hundra', 1100],
  ['sv', 'integer', 'tusen hundra', 1100],
  ['zh', 'integer', '两千零一', 2001],
  ['zh', 'integer', '一千一', undefined],
  ['ar', 'integer', '٤٢', 42],
  ['hi', 'integer', '४२', 42],
  ['ar', 'integer', 'خَمْسَة', 5],
  ['ja', 'date', '2026年12月3日', '2026-12-03'],
  ['ja', 'date', '十二月三日', '2026-12-03'],
  ['vi', 'date', '3 tháng mười hai', '2026-12-03'],
  ['th', 'date', '3 ธันวาคม 2569', '2026-12-03'],
  ['pl', 'date', 'trzydziestego pierwszego listopada', undefined],
  ['hi', 'date', 'कल', undefined],
  ['zh', 'time', '晚上8:30', '20:30'],
  ['pl', 'integer', '25', 25],
  ['sv', 'date', '2026-12-03', '2026-12-03'],
  ['no', 'integer', 'tjueén', 21],
  ['fi', 'datetime', '27. marraskuuta 2026 klo 15.30', '2026-11-27T15:30:00Z'],
] as const)('%s %s «%s»', (language, cast, answer, value) => {
  expect(read(language, cast, answer)).toBe(value);
});

test('a unit may stand beside a number', () => {
  expect(read('da', 'integer', 'tre personer')).toBeUndefined();
  expect(read('da', 'integer', 'tre personer', { units: ['personer'] })).toBe(3);
  expect(read('ja', 'integer', '三名', { units: ['名'] })).toBe(3);
});
