import { expect, test } from '@jest/globals';
import { MEMBERS_MAX } from '@parley/envelopes';
import { NAMES_MAX, analyzeShape } from './text-shape.ts';

const tooManyMembers = (text: string) => analyzeShape(text).tooMany;
const hasLargeObject = (text: string) => tooManyMembers(text) !== null;

const object = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, place) => [`m${place}`, value]));

test('one object with too many members, anywhere', () => {
  expect(hasLargeObject(JSON.stringify(object(MEMBERS_MAX)))).toBe(false);
  expect(hasLargeObject(JSON.stringify(object(MEMBERS_MAX + 1)))).toBe(true);
  expect(hasLargeObject(JSON.stringify({ a: [{ b: object(MEMBERS_MAX + 1) }] }))).toBe(true);
});

test('many objects, long lists, and texts that look like members', () => {
  expect(hasLargeObject(JSON.stringify(Array.from({ length: 30_000 }, () => object(4))))).toBe(false);
  expect(hasLargeObject(JSON.stringify(Array.from({ length: 200_000 }, (_, place) => place)))).toBe(false);
  expect(hasLargeObject(JSON.stringify(object(5_000, { x: '":1,"\\":{":' })))).toBe(false);
  expect(hasLargeObject(JSON.stringify({ text: '":'.repeat(50_000), more: '\\'.repeat(50_000) }))).toBe(
    false,
  );
});

test('too many different names, in any number of objects', () => {
  const names = (count: number) =>
    Array.from({ length: count / 5_000 }, (_, place) =>
      Object.fromEntries(Array.from({ length: 5_000 }, (_, member) => [`m${place * 5_000 + member}`, 1])),
    );
  expect(tooManyMembers(JSON.stringify(names(NAMES_MAX)))).toBeNull();
  expect(tooManyMembers(JSON.stringify([...names(NAMES_MAX), { one: 'more' }]))).toBe(
    'has members of more than 100000 different names',
  );
});

test('invalid JSON is left to the parser', () => {
  for (const text of ['"'.repeat(60_001), ']:'.repeat(60_000), '\\"'.repeat(60_000)])
    expect(typeof hasLargeObject(text)).toBe('boolean');
});

test('counts levels and members of a scanned text', () => {
  const long = ' '.repeat(60_000);
  const counted = (text: string) => analyzeShape(text + long).counted;
  expect(counted(`${'['.repeat(3)}{"a":"[[[[{"}${']'.repeat(3)}`)).toMatchObject({ depth: 4, members: 1 });
  expect(counted(`[[],[[]],{"a":[{}],"a" : ":"}]`)).toMatchObject({ depth: 4, members: 2 });
  expect(counted('1')).toMatchObject({ depth: 0, members: 0 });
  expect(analyzeShape('[[]]').counted).toBeNull();
});
