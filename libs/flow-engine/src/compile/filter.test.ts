// Filters: how a value reads, by language and time zone.
import { describe, expect, test } from '@jest/globals';
import { limits } from '../define/limits.ts';
import type { Scope } from '../read/paths.ts';
import { uncounted } from '../read/turn-budget.ts';
import { compileTemplate, compileValue, renderValue } from './interpolate.ts';

const variables = {
  name: 'ada LOVELACE-king',
  day: '2026-11-20',
  moment: '2026-11-20T23:30:00+01:00',
  clock: '17:05',
  amount: 1234.5,
  text: '0.256',
  place: 3,
  list: ['tea', 'milk', { sugar: 2 }],
  none: [],
  nothing: null,
  phone: '+49 30/12',
  timezone: 'Europe/Berlin',
};

const render = (text: string, more: Record<string, unknown> = {}, language: string | null = null) => {
  const scope: Scope = {
    variables: { ...variables, ...more },
    userInput: null,
    inputStatus: null,
    attempts: null,
    language,
    session: null,
    budget: uncounted,
    turn: { nowMs: 0 },
  };
  // Intl uses its own spaces (U+00A0, U+202F), which differ between releases.
  return compileTemplate(text)(scope).replace(/[\u00a0\u202f]/g, ' ');
};

describe('in English', () => {
  test.each([
    ['{{ name | upper }}', 'ADA LOVELACE-KING'],
    ['{{ name | lower | title }}', 'Ada Lovelace-King'],
    ['{{ day | date }}', 'Nov 20, 2026'],
    ['{{ day | date: short }}', '11/20/26'],
    ['{{ day | date: "long" }}', 'November 20, 2026'],
    ['{{ day | date: full }}', 'Friday, November 20, 2026'],
    ['{{ day | date: weekday }}', 'Friday'],
    ['{{ moment | date: weekday }}, {{ moment | time }}', 'Friday, 11:30 PM'],
    ['{{ clock | time }}', '5:05 PM'],
    ['{{ amount | number }}', '1,234.5'],
    ['{{ amount | currency: "EUR" }}', '€1,234.50'],
    ['{{ text | percent }}', '25.6%'],
    ['{{ place | ordinal }}', '3rd'],
    ['{{ list | join }}', 'tea, milk, and {"sugar":2}'],
    ['{{ list | join: " | " }}', 'tea | milk | {"sugar":2}'],
    ['{{ list | count }} {{ none | count }} {{ absent | count }} {{ phone | count }}', '3 0 0 9'],
    ['{{ list | first }}, {{ list | last }}', 'tea, {"sugar":2}'],
    ['{{ list | first | upper }}', 'TEA'],
    ['{{ phone | digits }}', '4 9 3 0 1 2'],
    ['{{ list | first | spell }}', 't e a'],
  ])('%s', (text, expected) => expect(render(text)).toBe(expected));

  test.each([1, 2, 3, 4, 11, 21, 102])('ordinal of %d', (place) => {
    const endings: Record<number, string> = { 1: 'st', 2: 'nd', 3: 'rd', 21: 'st', 102: 'nd' };
    expect(render('{{ place | ordinal }}', { place })).toBe(`${place}${endings[place] ?? 'th'}`);
  });
});

describe('in the language of the conversation', () => {
  test.each([
    ['de', '{{ amount | currency: "EUR" }}', '1.234,50 €'],
    ['de', '{{ day | date: full }}', 'Freitag, 20. November 2026'],
    ['de', '{{ clock | time }}', '17:05'],
    ['de', '{{ place | ordinal }}', '3.'],
    ['fr', '{{ place | ordinal }}', '3e'],
    ['es', '{{ list | first }} {{ amount | number }}', 'tea 1234,5'],
    ['pt-BR', '{{ text | percent }}', '25,6%'],
    ['tr', '{{ word | upper }}', 'İ'],
    ['ja', '{{ day | date: long }}', '2026年11月20日'],
  ])('%s: %s', (language, text, expected) => {
    expect(render(text, { language, word: 'i' })).toBe(expected);
    expect(render(text, { word: 'i' }, language)).toBe(expected);
  });

  test("the bag's goes before the flow's, and what is no language is English", () => {
    expect(render('{{ day | date: weekday }}', { language: 'it' }, 'de')).toBe('venerdì');
    expect(render('{{ day | date: weekday }}', { language: 'no such tag' }, 'de')).toBe('Freitag');
    expect(render('{{ day | date: weekday }}', { language: 7 }, '!')).toBe('Friday');
  });

  test('a moment reads as local time', () => {
    expect(render('{{ moment | date }} {{ moment | time }}', { timezone: 'Asia/Tokyo' })).toBe(
      'Nov 21, 2026 7:30 AM',
    );
    expect(render('{{ moment | time }}', { moment: '2026-11-20T23:30:00' })).toBe('11:30 PM');
  });
});

test('a filter leaves what it cannot read unchanged, and missing values stay missing', () => {
  const filters = [
    'upper',
    'title',
    'date',
    'time',
    'number',
    'currency: "EUR"',
    'percent',
    'ordinal',
    'join',
  ];
  for (const filter of [...filters, 'first', 'digits', 'spell'])
    expect(render(`[{{ absent | ${filter} }}{{ nothing | ${filter} }}]`)).toBe('[]');
  for (const filter of ['date', 'time', 'number', 'percent', 'ordinal', 'join', 'first'])
    expect(render(`{{ value | ${filter} }}`, { value: 'next week' })).toBe('next week');
  expect(render('{{ day | time }} {{ clock | date }} {{ amount | ordinal }}')).toBe(
    '2026-11-20 17:05 1234.5',
  );
});

test("a placeholder that is a whole value keeps the type of its filters' result", () => {
  const scope: Scope = {
    variables,
    userInput: null,
    inputStatus: null,
    attempts: null,
    language: null,
    session: null,
    budget: uncounted,
    turn: { nowMs: 0 },
  };
  const value = (text: string) => renderValue(compileValue(text, ''), scope);
  expect(value('{{ list | count }}')).toBe(3);
  expect(value('{{ list | last }}')).toBe(variables.list[2]);
  expect(value('{{ list | first | default: "x" }}')).toBe('tea');
});

test('a filter reads no more than the maximum length of a text', () => {
  const long = { long: 'x'.repeat(300_000), many: Array.from({ length: 100_000 }, () => 'y') };
  expect(render('{{ long | spell }}', long)).toHaveLength(limits.renderedCharsMax);
  expect(render('{{ many | join: "" }}', long)).toHaveLength(limits.joinedElementsMax);
});
