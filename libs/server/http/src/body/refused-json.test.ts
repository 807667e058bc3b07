import { describe, expect, test } from '@jest/globals';
import { findRefusedJson, JSON_DEPTH_MAX, findUnstorableText } from './refused-json.ts';

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

describe('refusedIn', () => {
  test('leaves an ordinary document unchanged', () => {
    const text = '{"a":[1,true,null,"x",{"b":"é😀"}],"":{"c":-1.5}}';
    const value: unknown = JSON.parse(text);
    expect(findRefusedJson(value)).toEqual([]);
    expect(JSON.stringify(value)).toBe(text);
  });

  test('members of any name are checked', () => {
    const text = '{"__proto__":{"admin":true,"deep":"\\u0000"},"constructor":1,"a":[{"__proto__":{"x":1}}]}';
    const value: unknown = JSON.parse(text);
    expect(findRefusedJson(value)).toEqual([
      { path: '/__proto__/deep', message: 'contains a NUL character, which cannot be stored' },
    ]);
    expect(JSON.stringify(value)).toBe(text);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  test('accepts the maximum of levels, not one more', () => {
    expect(findRefusedJson(nested(JSON_DEPTH_MAX))).toEqual([]);
    expect(findRefusedJson(nested(JSON_DEPTH_MAX + 1))).toEqual([
      { path: '/0'.repeat(JSON_DEPTH_MAX), message: 'is nested deeper than 64 levels' },
    ]);
    expect(findRefusedJson(nested(100_000))).toHaveLength(1);
  });

  test('reports what Postgres cannot store with its place, in values and in names', () => {
    const value: unknown = JSON.parse(
      '{"a/b":["x","\\u0000"],"c~":"\\ud800 alone","n\\u0000":1,"pair":"\\ud83d\\ude00"}',
    );
    expect(findRefusedJson(value)).toEqual([
      { path: '/a~1b/1', message: 'contains a NUL character, which cannot be stored' },
      {
        path: '/c~0',
        message: 'contains half a surrogate pair, which cannot be stored',
        code: 'half_surrogate',
      },
      { path: '/n\0', message: 'has a NUL character in its name, which cannot be stored' },
    ]);
  });

  test('reports a hundred problems of a body', () => {
    expect(findRefusedJson(Array.from({ length: 5_000 }, () => '\0'))).toHaveLength(100);
  });

  test.each([null, 1, true, 'text'])('%j alone is fine', (value) =>
    expect(findRefusedJson(value)).toEqual([]),
  );
});

test.each([
  ['', null],
  ['plain', null],
  ['日本 😀', null],
  ['\udc00', 'half a surrogate pair'],
  ['a\0b', 'a NUL character'],
])('unstorable(%j)', (text, why) => expect(findUnstorableText(text)).toBe(why));
