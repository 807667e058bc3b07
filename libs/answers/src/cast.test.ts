// Every cast (docs/flow-language.md#casts): the captured value, or the reason when nothing is
// captured.
import { describe, expect, test } from '@jest/globals';
import { compileCast, type CastRules } from './cast.ts';
import { casts, type Cast } from './casts.ts';
import { readNumber } from './read-number.ts';

/** Friday, 20 November 2026, 23:30 UTC: already Saturday in Berlin, still Friday in New York. */
const lateMs = Date.parse('2026-11-20T23:30:00Z');

function read(
  cast: Cast,
  answer: string,
  rules: Partial<CastRules> = {},
  timezone?: unknown,
  nowMs = lateMs,
) {
  const variables = timezone === undefined ? {} : { timezone };
  const outcome = compileCast(cast, { choices: [], defaultRegion: null, ...rules })(answer, {
    ...variables,
    nowMs,
  });
  return outcome.ok ? outcome.value : outcome.reason;
}

test('string: as it is', () => {
  for (const answer of ['', ' Ada \n', '12', 'x'.repeat(20_000)]) expect(read('string', answer)).toBe(answer);
});

describe('numbers', () => {
  test.each<[string, number]>([
    ['0', 0],
    ['42', 42],
    [' 42. ', 42],
    ['-3.5', -3.5],
    ['.5', 0.5],
    ['+7', 7],
    ['007', 7],
    ['1,234', 1234],
    ['1,234,567.89', 1234567.89],
    ['1 234 567', 1234567],
    ["1'234", 1234],
    ['\u22125', -5],
    ['zero', 0],
    ['Seven.', 7],
    ['twenty-one', 21],
    ['twenty one', 21],
    ['one hundred and five', 105],
    ['a hundred', 100],
    ['twelve hundred', 1200],
    ['one thousand two hundred thirty-four', 1234],
    ['two million and three', 2000003],
    ['three hundred thousand', 300000],
    ['minus five', -5],
    ['negative twenty-one', -21],
    ['three point one four', 3.14],
    ['point five', 0.5],
    ['2 million', 2000000],
    ['1.5 thousand', 1500],
    ['nine hundred ninety-nine thousand nine hundred ninety-nine', 999999],
  ])('%j is %d', (answer, value) => expect(read('number', answer)).toBe(value));

  test.each([
    ...['', 'abc', '12 apples', '1,23', '1.2.3', '1,234 567', '12a', '--5', 'NaN', 'Infinity', '0x10', '1e5'],
    ...[
      'one two three',
      'twenty twelve',
      'twenty zero',
      'hundred',
      'and',
      'five and',
      'one and two',
      'million two',
    ],
    ...[
      'one thousand million',
      'three point',
      'point',
      'three point ten',
      'a',
      'an',
      'minus',
      'one hundred hundred',
    ],
    ...['9'.repeat(400)],
  ])('%j is no number', (answer) => expect(read('number', answer)).toBe('not_a_number'));

  test.each<[string, unknown]>([
    ['12', 12],
    ['12.0', 12],
    ['twenty-one', 21],
    ['1,000', 1000],
    ['12.5', 'not_an_integer'],
    ['three point five', 'not_an_integer'],
    ['abc', 'not_a_number'],
    ['9007199254740993', 'out_of_range'],
  ])('integer %j', (answer, value) => expect(read('integer', answer)).toBe(value));

  test('every number up to a thousand can be said', () => {
    const ones =
      'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
        ' ',
      );
    const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
    const below100 = (n: number) =>
      n < 20 ? ones[n] : `${tens[Math.floor(n / 10) - 2]}${n % 10 ? `-${ones[n % 10]}` : ''}`;
    for (let n = 0; n < 1000; n++) {
      const hundreds = n < 100 ? '' : `${ones[Math.floor(n / 100)]} hundred`;
      const said = n < 100 ? below100(n) : n % 100 === 0 ? hundreds : `${hundreds} and ${below100(n % 100)}`;
      expect([said, readNumber(said ?? '')]).toEqual([said, n]);
    }
  });
});

test.each<[string, unknown]>([
  ['yes', true],
  ['Yes, please!', true],
  ['YEAH', true],
  ['1', true],
  ['true', true],
  ['no', false],
  ['No thanks.', false],
  ['nope', false],
  ['0', false],
  ['false', false],
  ['maybe', 'not_a_boolean'],
  ['2', 'not_a_boolean'],
  ['yes and no', 'not_a_boolean'],
])('boolean %j', (answer, value) => expect(read('boolean', answer)).toBe(value));

describe('dates and times', () => {
  test.each<[string, string]>([
    ['2026-12-24', '2026-12-24'],
    ['today', '2026-11-20'],
    ['tomorrow', '2026-11-21'],
    ['the day after tomorrow', '2026-11-22'],
    ['the day before yesterday', '2026-11-18'],
    ['yesterday', '2026-11-19'],
    ['next friday', '2026-11-27'],
    ['Monday', '2026-11-23'],
    ['in two weeks', '2026-12-04'],
    ['December 24th, 2026', '2026-12-24'],
    ['24 December', '2026-12-24'],
    ['March 3', '2027-03-03'],
    ['I would like tomorrow, please.', '2026-11-21'],
    ['tomorrow at 5pm', '2026-11-21'],
    ['29 February 2028', '2028-02-29'],
  ])('date %j', (answer, day) => expect(read('date', answer)).toBe(day));

  test.each<[string, string]>([
    ['banana', 'not_a_date'],
    ['', 'not_a_date'],
    ['2026-02-30', 'not_a_date'],
    ['5pm', 'no_day'],
    ['next month', 'no_day'],
    ['may', 'no_day'],
    ['monday to friday', 'is_a_range'],
    ['Monday or Tuesday', 'ambiguous'],
  ])('date %j is refused: %s', (answer, reason) => expect(read('date', answer)).toBe(reason));

  test.each<[string, string]>([
    ['5pm', '17:00'],
    ['17:30', '17:30'],
    ['17:30:15', '17:30:15'],
    ['noon', '12:00'],
    ['at 9 in the morning', '09:00'],
    ['tomorrow at 5pm', '17:00'],
    ['in three hours', '02:30'],
    ['banana', 'not_a_time'],
    ['tomorrow', 'no_time'],
  ])('time %j', (answer, time) => expect(read('time', answer)).toBe(time));

  test.each<[string, unknown, string]>([
    ['tomorrow at 5pm', undefined, '2026-11-21T17:00:00Z'],
    ['tomorrow at 5pm', 'Europe/Berlin', '2026-11-22T17:00:00+01:00'],
    ['tomorrow at 5pm', 'America/New_York', '2026-11-21T17:00:00-05:00'],
    ['today at 9am', 'Asia/Kolkata', '2026-11-21T09:00:00+05:30'],
    ['in 3 hours', 'Europe/Berlin', '2026-11-21T03:30:00+01:00'],
    ['5pm UTC tomorrow', 'Europe/Berlin', '2026-11-22T18:00:00+01:00'],
    ['1 July 2027 at noon', 'Europe/Berlin', '2027-07-01T12:00:00+02:00'],
    ['2026-12-24T10:00:00Z', 'Europe/Berlin', '2026-12-24T11:00:00+01:00'],
    ['tomorrow at 5pm', '+02:00', '2026-11-22T17:00:00+02:00'],
    ['tomorrow at 5pm', 'Mars/Olympus', '2026-11-21T17:00:00Z'],
    ['tomorrow at 5pm', 42, '2026-11-21T17:00:00Z'],
    ['tomorrow', undefined, 'no_time'],
    ['soon', undefined, 'not_a_datetime'],
  ])('datetime %j in %j', (answer, zone, moment) => expect(read('datetime', answer, {}, zone)).toBe(moment));

  test('today is the day of the time zone', () => {
    expect(read('date', 'today', {}, 'Europe/Berlin')).toBe('2026-11-21');
    expect(read('date', 'today', {}, 'America/New_York')).toBe('2026-11-20');
  });

  test('wall clocks on both sides of a clock change', () => {
    const beforeMs = Date.parse('2026-10-24T12:00:00Z');
    expect(read('datetime', 'today at 6pm', {}, 'Europe/Berlin', beforeMs)).toBe('2026-10-24T18:00:00+02:00');
    expect(read('datetime', 'in 2 days at 6pm', {}, 'Europe/Berlin', beforeMs)).toBe(
      '2026-10-26T18:00:00+01:00',
    );
  });
});

test.each<[string, string]>([
  ['ada@example.com', 'ada@example.com'],
  ['My address is Ada.L+news@Example.COM.', 'Ada.L+news@example.com'],
  ['<ada@example.com>', 'ada@example.com'],
  ['mailto:ada@example.com', 'ada@example.com'],
  ['ada@example.com or ada@example.com', 'ada@example.com'],
  ['ada@example.com or bob@example.com', 'ambiguous'],
  ['ada at example dot com', 'ada@example.com'],
  ['ada@', 'not_an_email'],
  ['@example.com', 'not_an_email'],
  ['ada@localhost', 'not_an_email'],
])('email %j', (answer, value) => expect(read('email', answer)).toBe(value));

test.each<[string, string | null, string]>([
  ['+1 213 373 4253', null, '+12133734253'],
  ['(213) 373-4253', 'US', '+12133734253'],
  ['(213) 373-4253', 'us', '+12133734253'],
  ['030 901820', 'DE', '+4930901820'],
  ['my number is +49 30 901820', null, '+4930901820'],
  ['(213) 373-4253', null, 'not_a_phone_number'],
  ['12', 'US', 'not_a_phone_number'],
  ['banana', 'US', 'not_a_phone_number'],
  ['030 901820', 'ZZ', 'not_a_phone_number'],
])('phone %j in %j', (answer, defaultRegion, value) =>
  expect(read('phone', answer, { defaultRegion })).toBe(value),
);

test.each<[string, string]>([
  ['https://example.com/a?b=c', 'https://example.com/a?b=c'],
  [' http://example.com ', 'http://example.com'],
  ['example.com/path', 'https://example.com/path'],
  ['javascript:alert(1)', 'not_a_url'],
  ['ftp://example.com', 'not_a_url'],
  ['file:///etc/passwd', 'not_a_url'],
  ['two words', 'not_a_url'],
  ['localhost', 'not_a_url'],
  ['', 'not_a_url'],
])('url %j', (answer, value) => expect(read('url', answer)).toBe(value));

test.each<[string, unknown]>([
  ['{"a": [1, null]}', { a: [1, null] }],
  ['"text"', 'text'],
  ['12', 12],
  ['{a: 1}', 'not_json'],
  ['', 'not_json'],
  ['{"a": [9007199254740993]}', 'out_of_range'],
  ['1e400', 'out_of_range'],
  [`${'['.repeat(40)}${']'.repeat(40)}`, 'too_deep'],
  [`${'['.repeat(5000)}${']'.repeat(5000)}`, 'too_deep'],
])('json %j', (answer, value) => expect(read('json', answer)).toEqual(value));

test.each<[string, unknown]>([
  ['tea', ['tea']],
  ['tea, milk', ['tea', 'milk']],
  ['tea; milk\nsugar', ['tea', 'milk', 'sugar']],
  ['tea, milk, and sugar.', ['tea', 'milk', 'sugar']],
  ['tea and milk', ['tea', 'milk']],
  ['rock and roll, jazz', ['rock and roll', 'jazz']],
  ['["tea", "milk"]', ['tea', 'milk']],
  ['["tea"', 'not_a_list'],
  ['[]', 'not_a_list'],
  [' , ,', 'not_a_list'],
])('list %j', (answer, value) => expect(read('list', answer)).toEqual(value));

describe('enum', () => {
  const choices = [
    'Small',
    { value: 'medium', synonyms: ['middle', 'the usual'] },
    { value: 3, synonyms: ['large'] },
  ];

  test.each<[string, unknown]>([
    ['small', 'Small'],
    [' SMALL. ', 'Small'],
    ['Medium', 'medium'],
    ['the usual', 'medium'],
    ['3', 3],
    ['3.0', 3],
    ['large', 3],
    ['huge', 'not_a_choice'],
    ['smal', 'not_a_choice'],
    ['small or medium', 'not_a_choice'],
  ])('%j', (answer, value) => expect(read('enum', answer, { choices })).toBe(value));

  test('without choices nothing is captured', () => expect(read('enum', 'anything')).toBe('not_a_choice'));
  test('punctuation of a choice counts when it is said', () =>
    expect(read('enum', 'C++.', { choices: ['C', 'C++.', 'C++'] })).toBe('C++.'));
});

test('an unknown cast captures nothing', () => {
  expect(compileCast(null, { choices: [], defaultRegion: null })('x', { nowMs: 0 })).toEqual({
    ok: false,
    reason: 'unknown_cast',
  });
});

test('an answer without end is no answer, and is not read either', () => {
  const started = process.cpuUsage();
  for (const cast of Object.keys(casts) as Cast[])
    if (cast !== 'string') expect(read(cast, '1 '.repeat(100_000))).toBe('too_long');
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(100);
});

test('answers made to be slow are not', () => {
  const started = process.cpuUsage();
  for (const hostile of ['1 ', '1/', 'monday ', 'five ', ' ', '.', 'a@', '1,', 'and ', '+1'])
    for (const cast of Object.keys(casts) as Cast[])
      read(cast, `${hostile.repeat(450).slice(0, 900)}x`, { defaultRegion: 'US' });
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(2000);
});
