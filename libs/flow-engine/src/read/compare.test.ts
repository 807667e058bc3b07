// Every row of the operator rules (docs/flow-language.md#comparison), and known mistakes of other
// engines.
import { describe, expect, test } from '@jest/globals';
import { compileComparison } from './compare.ts';
import { listElements } from '@parley/answers/readings';
import { operators, type Operator } from '../define/operators.ts';

const verdict = (actual: unknown, op: Operator | null, value?: unknown, caseSensitive = false) =>
  compileComparison(op, value, { caseSensitive })(actual);
const holds = (actual: unknown, op: Operator, value?: unknown, caseSensitive = false) =>
  verdict(actual, op, value, caseSensitive).matched;

const composed = 'caf\u00e9';
const decomposed = 'cafe\u0301';

describe('eq', () => {
  test.each<[unknown, unknown]>([
    ['yes', 'yes'],
    [' Yes\n', 'yes'],
    ['STRASSE', 'strasse'],
    [composed, decomposed],
    [7, 7],
    [7, '7'],
    [7, '007'],
    ['7', 7],
    ['7.0', 7],
    [' 7 ', 7],
    [0, 0],
    [0, '0'],
    [-1.5, '-1.5'],
    [true, true],
    ['true', true],
    ['YES', true],
    ['1', true],
    [1, true],
    [true, 'yes'],
    [false, 0],
    ['no', false],
    ['', ''],
    [
      ['a', 1],
      ['A', '1'],
    ],
    [{ a: { b: 'x' } }, { a: { b: 'X' } }],
    [[], []],
    [{ a: null }, { a: null }],
  ])('%j eq %j', (actual, value) => {
    expect(holds(actual, 'eq', value)).toBe(true);
    expect(holds(actual, 'neq', value)).toBe(false);
  });

  test.each<[unknown, unknown]>([
    ['007', '7'],
    ['7', '7.0'],
    [7, '7 apples'],
    ['', 0],
    [0, ''],
    [0, 'abc'],
    ['abc', true],
    [2, true],
    ['false', true],
    [false, true],
    [[], ''],
    [{}, '[object Object]'],
    [[7], 7],
    [['a'], ['a', 'b']],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: 1 }, { b: 1 }],
    [[], {}],
    [{}, []],
    ['Infinity', Infinity],
    ['0x10', 16],
    ['1e3', 1000],
    ['x', null],
    ['x', undefined],
  ])('not %j eq %j', (actual, value) => {
    expect(holds(actual, 'eq', value)).toBe(false);
    expect(holds(actual, 'neq', value)).toBe(true);
  });

  test('compares case when the edge is case-sensitive; trimming and NFC stay', () => {
    expect(holds('Yes', 'eq', 'yes', true)).toBe(false);
    expect(holds(' yes ', 'eq', 'yes', true)).toBe(true);
    expect(holds(composed, 'eq', decomposed, true)).toBe(true);
    expect(holds(['A'], 'eq', ['a'], true)).toBe(false);
  });

  test('"false" is not truthy', () => {
    expect(holds('false', 'is_true')).toBe(false);
    expect(holds('false', 'is_false')).toBe(true);
  });
});

describe('order', () => {
  test.each<[unknown, Operator, unknown]>([
    [10, 'gt', 9],
    ['10', 'gt', '9'],
    ['10', 'gt', 9],
    [10, 'gte', '10'],
    ['007', 'lte', 7],
    [0, 'gte', 0],
    [-1, 'lt', 0],
    ['.5', 'lt', '0.51'],
    ['2026-11-20', 'lt', '2026-11-21'],
    ['2026-11-20T10:00:00Z', 'gt', '2026-11-20T10:30:00+01:00'],
    ['2026-11-20', 'lte', '2026-11-20T00:00:00Z'],
    ['2026-11-20T10:00', 'gt', '2026-11-20'],
    ['09:30', 'lt', '17:00'],
    ['17:00:00.5', 'gt', '17:00'],
  ])('%j %s %j', (actual, op, value) =>
    expect(verdict(actual, op, value)).toMatchObject({ matched: true, note: null }),
  );

  test('"9" is not greater than "10"', () => {
    expect(verdict('9', 'gt', '10')).toMatchObject({ matched: false, note: null });
    expect(holds('9', 'lt', '10')).toBe(true);
  });

  test.each<[unknown, unknown]>([
    ['abc', 0],
    ['', 0],
    ['abc', 'abb'],
    ['longer', 3],
    ['7 apples', 5],
    ['1,000', 5],
    [true, 0],
    [[5], 1],
    [{}, 1],
    [5, 'five'],
    ['2026-11-20', 5],
    ['2026-02-30', '2026-01-01'],
    ['2026-13-01', '2026-01-01'],
    ['2026-11-20T25:00', '2026-01-01'],
    ['20.11.2026', '2026-01-01'],
    ['17:00', '2026-01-01'],
    ['24:30', '12:00'],
    ['NaN', 1],
    [NaN, 1],
    [Infinity, 1],
    ['9'.repeat(400), 1],
  ])('%j and %j do not compare', (actual, value) => {
    for (const op of ['gt', 'gte', 'lt', 'lte'] as const)
      expect(verdict(actual, op, value)).toMatchObject({ matched: false, note: 'type_mismatch' });
    expect(verdict(actual, 'between', [value, value])).toMatchObject({
      matched: false,
      note: 'type_mismatch',
    });
  });

  test.each<[unknown, unknown, boolean]>([
    [0, [0, 0], true],
    [1, [1, 3], true],
    ['3', [1, '3'], true],
    [3.01, [1, 3], false],
    [0, [1, 3], false],
    [2, [3, 1], false],
    ['2026-11-20', ['2026-11-01', '2026-11-30'], true],
    ['12:00', ['09:00', '17:00'], true],
  ])('%j between %j is %s', (actual, value, expected) =>
    expect(holds(actual, 'between', value)).toBe(expected),
  );

  test.each([[5], [[5]], ['1,9'], [{ low: 1, high: 9 }], [[1, 2, 3]], [null]])(
    'between %j matches nothing',
    (value) => expect(holds(5, 'between', value)).toBe(false),
  );
});

describe('lists and texts', () => {
  test.each<[unknown, unknown, boolean]>([
    ['b', ['a', 'B'], true],
    [7, ['7'], true],
    ['7', [7], true],
    ['007', ['7'], false],
    ['c', ['a', 'b'], false],
    ['b', 'a, b ,c', true],
    ['', 'a,,c', false],
    [7, 7, true],
    ['x', [], false],
    [true, ['yes'], true],
  ])('%j in %j is %s', (actual, value, expected) => {
    expect(holds(actual, 'in', value)).toBe(expected);
    expect(holds(actual, 'not_in', value)).toBe(!expected);
  });

  test.each<[unknown, unknown, boolean]>([
    ['I want TEA please', 'tea', true],
    [`un ${composed}`, decomposed, true],
    ['abc', 'd', false],
    ['room 12', 12, true],
    [12345, '234', true],
    [['Tea', 'milk'], 'tea', true],
    [['tea time'], 'tea', false],
    [[7], '7', true],
    [[null], 'x', false],
    [[['a']], ['A'], true],
    [{ tea: 1 }, 'tea', false],
  ])('%j contains %j is %s', (actual, value, expected) => {
    expect(holds(actual, 'contains', value)).toBe(expected);
    expect(holds(actual, 'not_contains', value)).toBe(!expected);
  });

  test.each(['', '  ', null])('%j is in nothing', (value) => {
    for (const op of ['contains', 'starts_with', 'ends_with', 'matches'] as const)
      expect(holds('anything', op, value)).toBe(false);
  });

  test.each<[unknown, Operator, unknown, boolean]>([
    ['  Hello world', 'starts_with', 'hello', true],
    ['Hello world', 'starts_with', 'world', false],
    ['Hello World ', 'ends_with', 'world', true],
    [2026, 'starts_with', '20', true],
    [['hello'], 'starts_with', 'hello', false],
  ])('%j %s %j is %s', (actual, op, value, expected) => expect(holds(actual, op, value)).toBe(expected));

  test('case counts when the edge says so', () => {
    expect(holds('Tea', 'contains', 'tea', true)).toBe(false);
    expect(holds('Tea', 'starts_with', 'tea', true)).toBe(false);
    expect(holds('Tea', 'in', ['tea'], true)).toBe(false);
    expect(holds('Tea', 'matches', 'tea', true)).toBe(false);
  });

  test('elements of an `in` value', () => {
    expect(listElements('a, b,,c ')).toEqual(['a', 'b', 'c']);
    expect(listElements(['a,b'])).toEqual(['a,b']);
    expect(listElements(5)).toEqual([5]);
    expect(listElements(null)).toEqual([]);
  });
});

describe('matches', () => {
  test.each<[unknown, string, boolean]>([
    ['order AB-1234 please', 'ab-\\d{4}', true],
    ['  x', '^\\s+x$', true],
    [42, '^4', true],
    ['a\nb', 'a.b', false],
    ['ПРИВЕТ', 'привет', true],
    ['abc', '^b', false],
    [['abc'], 'abc', false],
  ])('%j matches %j is %s', (actual, pattern, expected) => {
    expect(holds(actual, 'matches', pattern)).toBe(expected);
    expect(holds(actual, 'not_matches', pattern)).toBe(!expected);
  });

  test('an empty text does not match and so not_matches', () =>
    expect(holds('', 'not_matches', 'a')).toBe(true));

  test.each([
    '(',
    '[a-',
    '(?=x)',
    '(?<!x)y',
    '\\1',
    'a**',
    'x{1001}',
    '(x{100}){100}',
    'x'.repeat(2000),
    'x{900}'.repeat(3),
  ])('the pattern %j matches nothing and says so', (pattern) => {
    expect(verdict('xxx', 'matches', pattern)).toMatchObject({ matched: false, note: 'invalid_pattern' });
    expect(verdict('xxx', 'not_matches', pattern)).toMatchObject({ matched: true, note: 'invalid_pattern' });
  });

  test.each(['(a+)+$', '(a|a)*$', '(a|aa)+$', '(.*a){20}$', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    '%j takes linear time',
    (pattern) => {
      const compare = compileComparison('matches', pattern, { caseSensitive: true });
      const started = process.cpuUsage();
      compare(`${'a'.repeat(9_999)}!`);
      expect(process.cpuUsage(started).user / 1000).toBeLessThan(500);
    },
  );

  test('a very long text is not searched', () => {
    expect(verdict('a'.repeat(10_001), 'matches', 'a')).toMatchObject({
      matched: false,
      note: 'text_too_long',
    });
  });
});

describe('presence', () => {
  test.each<[unknown, boolean, boolean]>([
    [undefined, false, true],
    [null, false, true],
    ['', true, true],
    ['  ', true, true],
    [[], true, true],
    [{}, true, true],
    [0, true, false],
    [false, true, false],
    ['x', true, false],
    [[null], true, false],
  ])('%j: exists %s, empty %s', (actual, exists, empty) => {
    expect(holds(actual, 'exists')).toBe(exists);
    expect(holds(actual, 'not_exists')).toBe(!exists);
    expect(holds(actual, 'empty')).toBe(empty);
    expect(holds(actual, 'not_empty')).toBe(!empty);
  });

  const values: Partial<Record<Operator, unknown>> = { in: ['a'], not_in: ['a'], between: [1, 2] };
  test.each(Object.keys(operators) as Operator[])('a missing variable: %s', (op) => {
    for (const actual of [undefined, null])
      expect(verdict(actual, op, values[op] ?? 'a')).toMatchObject({
        matched: operators[op].trueOnMissing,
        note: 'variable_missing',
      });
  });

  test.each<[Operator, boolean]>([
    ['eq', false],
    ['neq', true],
    ['gt', false],
    ['between', false],
    ['in', false],
    ['not_in', true],
    ['contains', false],
    ['starts_with', false],
    ['matches', false],
    ['not_matches', true],
  ])('a value that is missing: %s', (op, matched) => {
    expect(verdict('', op, null)).toMatchObject({ matched, note: 'value_missing' });
  });
});

describe('booleans', () => {
  test.each<[unknown, boolean | null]>([
    [true, true],
    ['TRUE', true],
    [' yes ', true],
    ['1', true],
    [1, true],
    [false, false],
    ['No', false],
    ['0', false],
    [0, false],
    ['maybe', null],
    [2, null],
    ['', null],
    [[], null],
    ['truey', null],
  ])('%j reads as %j', (actual, reading) => {
    expect(holds(actual, 'is_true')).toBe(reading === true);
    expect(holds(actual, 'is_false')).toBe(reading === false);
    expect(holds(actual, 'eq', true)).toBe(reading === true);
    expect(holds(actual, 'eq', false)).toBe(reading === false);
  });
});

test('an unknown operator never matches, whatever the variable', () => {
  for (const actual of [undefined, null, 1, 'x', []])
    expect(verdict(actual, null, 'x')).toMatchObject({ matched: false, note: 'unknown_operator' });
});

test('a list or object that is too deep equals nothing', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 50_000; level++) deep = [deep];
  expect(holds(deep, 'eq', deep)).toBe(false);
});

test('long texts of digits are read in linear time', () => {
  const started = process.cpuUsage();
  for (const text of [`${'1'.repeat(200_000)}x`, `${'1.'.repeat(100_000)}x`, `${' '.repeat(200_000)}x`]) {
    holds(text, 'gt', 1);
    holds(text, 'gt', '2026-01-01');
    holds(text, 'contains', 'y');
  }
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(500);
});

test.each([
  ['Yes.', 'yes', true],
  ['Restart!', 'restart', true],
  ['start  over', 'start over', true],
  ['yes?', 'Yes', true],
  ['C++', 'C++.', true],
  ['yes sir', 'yes', false],
  ['?', '!', false],
])('%j equals %j as recognisers write it: %s', (said, value, equal) => {
  for (const op of ['eq', 'in'] as const)
    expect(compileComparison(op, value, { caseSensitive: false })(said).matched).toBe(equal);
  expect(compileComparison('eq', value, { caseSensitive: true })(said).matched).toBe(false);
});
