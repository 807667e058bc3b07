// Dotted paths: reading and writing places of the variables.
import { describe, expect, test } from '@jest/globals';
import { compileLookup, compileWriter, parsePath, type Scope } from './paths.ts';
import { uncounted } from './turn-budget.ts';

const scopeOf = (variables: Record<string, unknown>): Scope => ({
  variables,
  userInput: 'hello',
  inputStatus: 'no_match',
  attempts: 2,
  language: null,
  session: null,
  turn: { nowMs: 0 },
  budget: uncounted,
});

describe('parsePath', () => {
  test.each([
    ['name', ['name']],
    [' order.items[0].name ', ['order', 'items', '0', 'name']],
    ['grid[1][02]', ['grid', '1', '2']],
    ['full name', ['full name']],
    ['größe', ['größe']],
  ])('%j', (text, steps) => expect(parsePath(text)).toEqual(steps));

  test.each([
    '',
    ' ',
    '.',
    'a.',
    '.a',
    'a..b',
    'a[',
    'a[]',
    'a[x]',
    'a]b',
    '[0]',
    'a{b',
    'a|b',
    "it's",
    'a.'.repeat(40) + 'a',
  ])('%j is no path', (text) => expect(parsePath(text)).toBeNull());
});

describe('compileLookup', () => {
  const bag = {
    name: 'Ada',
    order: { items: [{ name: 'tea' }, { name: 'milk' }], total: 0 },
    nothing: null,
    'a.b': 'flat',
    text: 'abc',
  };

  test.each([
    ['name', 'Ada'],
    ['order.items[1].name', 'milk'],
    ['order.items.0.name', 'tea'],
    ['order.total', 0],
    ['nothing', null],
    ['user_input', 'hello'],
    ['_input_status', 'no_match'],
    ['_attempts', 2],
  ])('%s', (path, value) => expect(compileLookup(path)(scopeOf(bag))).toEqual(value));

  test.each([
    'absent',
    'order.absent.deeper',
    'nothing.deeper',
    'text[0]',
    'text.length',
    'order.items[9]',
    'a..b',
    '',
  ])('%j is missing', (path) => expect(compileLookup(path)(scopeOf(bag))).toBeUndefined());

  test.each(['toString', 'hasOwnProperty', 'order.valueOf', 'order.items.map', 'map', 'user_input.length'])(
    '%j is not an own member',
    (path) => expect(compileLookup(path)(scopeOf(bag))).toBeUndefined(),
  );

  test('a reserved name is missing even if the variables have it', () => {
    const hostile = JSON.parse(
      '{"__proto__": {"admin": true}, "constructor": {"name": "x"}, "a": {"prototype": 1}}',
    ) as Record<string, unknown>;
    for (const path of [
      '__proto__',
      '__proto__.admin',
      'admin',
      'constructor',
      'constructor.name',
      'a.prototype',
    ])
      expect(compileLookup(path)(scopeOf(hostile))).toBeUndefined();
  });

  test('an own member may have the name of an inherited one', () => {
    expect(compileLookup('toString')(scopeOf({ toString: 'mine' }))).toBe('mine');
    expect(compileLookup('a.map')(scopeOf({ a: { map: 1 } }))).toBe(1);
  });

  test('pseudo-variables go before members of the bag', () => {
    expect(compileLookup('user_input')(scopeOf({ user_input: 'from the bag' }))).toBe('hello');
  });
});

describe('compileWriter', () => {
  const write = (bag: Record<string, unknown>, path: string, value: unknown) => {
    const writer = compileWriter(path);
    if (writer === null) return null;
    const copy = { ...bag };
    writer(copy, value);
    return copy;
  };

  test.each([
    [{}, 'a', { a: 1 }],
    [{ a: 0, b: 2 }, 'a', { a: 1, b: 2 }],
    [{}, 'a.b.c', { a: { b: { c: 1 } } }],
    [{ a: { x: 1 } }, 'a.b', { a: { x: 1, b: 1 } }],
    [{ a: 'text' }, 'a.b', { a: { b: 1 } }],
    [{ a: [7, 8] }, 'a[1]', { a: [7, 1] }],
    [{ a: [7, 8] }, 'a[2]', { a: [7, 8, 1] }],
    [{ a: [7, 8] }, 'a[1000000]', { a: { 1000000: 1 } }],
    [{ a: [{ n: 1 }] }, 'a[0].m', { a: [{ n: 1, m: 1 }] }],
  ])('%j %s', (bag, path, after) => {
    const before = structuredClone(bag);
    const written = write(bag, path, 1);
    expect(written).toEqual(after);
    expect(bag).toEqual(before);
    expect(compileLookup(path)(scopeOf(written ?? {}))).toBe(1);
  });

  test.each(['__proto__', 'a.__proto__', 'constructor.prototype.x', '_flow', '_flow.turn', 'a..b', ''])(
    '%j is never written',
    (path) => expect(compileWriter(path)).toBeNull(),
  );
});
