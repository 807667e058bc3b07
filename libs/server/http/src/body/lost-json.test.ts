// Finds everything that JSON.parse loses silently, and nothing else.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findLostJson, mayHaveLost } from './lost-json.ts';
import { analyzeShape } from './text-shape.ts';

const lost = (text: string) =>
  mayHaveLost(text, JSON.parse(text)) ? findLostJson(text).map(({ path, code }) => `${path} ${code}`) : [];

describe('numbers', () => {
  test.each([
    ['9007199254740993'],
    ['9007199254740992'],
    ['-9007199254740992'],
    ['9007199254740993.0'],
    ['123456789012345678901234567890'],
    ['1e400'],
    ['-1E+400'],
    ['1e0400'],
    [`1${'0'.repeat(309)}`],
    [`${'9'.repeat(200)}e200`],
  ])('%s is refused anywhere', (number) => {
    expect(lost(number)).toEqual([' number_out_of_range']);
    expect(lost(`{"a":[1,{"b/c":${number}}],"d":"${number}"}`)).toEqual(['/a/1/b~1c number_out_of_range']);
    expect(lost(`[[], {}, "x,]", 2 , ${number} ]`)).toEqual(['/4 number_out_of_range']);
  });

  test.each([
    '9007199254740991',
    '-9007199254740991',
    '1e308',
    '1e22',
    '0.1234567890123456789',
    '1e-400',
    '-0',
  ])('%s is not', (number) => expect(lost(`{"a":${number}}`)).toEqual([]));

  test('digits in texts and names are not numbers', () =>
    expect(lost('{"9007199254740993":"1e400, 9007199254740993","a\\"b":"\\\\"}')).toEqual([]));
});

describe('names', () => {
  test.each([
    ['{"a":1,"a":1}', ['/a duplicate_member']],
    ['{"a":1,"a" :2}', ['/a duplicate_member']],
    ['{"a":1,"\\u0061":2}', ['/a duplicate_member']],
    [
      '{"a":{"b":1},"c":[{"b":1},{"b":1,"x/y":{},"b":[],"b":0}]}',
      ['/c/1/b duplicate_member', '/c/1/b duplicate_member'],
    ],
    ['{"__proto__":1,"__proto__":2}', ['/__proto__ duplicate_member']],
    ['{"":1,"":2}', ['/ duplicate_member']],
    ['{"a":":","b":" :","c":"\\":"}', []],
    ['{"a":1,"b":{"a":1},"c":["a","a"]}', []],
    ['{"a" : 1, "b"\n:\t2}', []],
  ])('%s', (text, places) => expect(lost(text)).toEqual(places));

  test('reports a hundred', () =>
    expect(findLostJson(`{${Array.from({ length: 5_000 }, () => '"a":1').join()}}`)).toHaveLength(100));
});

/** JSON as an author writes it: any names, any numbers, blanks anywhere. */
const written = fc.letrec<{ value: string }>((tie) => {
  const blank = fc.constantFrom('', ' ', '\n');
  const text = fc.oneof(fc.constantFrom('a', 'b', '__proto__', ':', '":', '{"', '\\', ''), fc.string());
  const number = fc.constantFrom('1', '-2.5', '9007199254740991', '9007199254740995', '1e5', '1e999');
  const member = fc.tuple(text, blank, blank, tie('value'));
  const spread = (open: string, parts: string[], close: string) => `${open}${parts.join(' ,')}${close}`;
  return {
    value: fc.oneof(
      { depthSize: 'small' },
      number,
      text.map((one) => JSON.stringify(one)),
      fc.array(tie('value'), { maxLength: 3 }).map((parts) => spread('[', parts, ']')),
      fc
        .array(member, { maxLength: 4 })
        .map((parts) =>
          parts.map(([name, before, after, value]) => `${JSON.stringify(name)}${before}:${after}${value}`),
        )
        .map((parts) => spread('{', parts, '}')),
    ),
  };
}).value;

/** Before a text, it makes it long enough to be scanned. */
const LONG = ' '.repeat(60_000);

test('the scan of the text misses nothing that reading every member finds', () => {
  fc.assert(
    fc.property(written, (text) => {
      const found = findLostJson(text);
      if (found.length > 0) {
        const { members } = analyzeShape(text + LONG).counted!;
        expect(mayHaveLost(text, JSON.parse(text))).toBe(true);
        expect(mayHaveLost(text, JSON.parse(text), members)).toBe(true);
      }
      const left = findLostJson(JSON.stringify(JSON.parse(text)));
      expect(left.filter(({ code }) => code === 'duplicate_member')).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});
