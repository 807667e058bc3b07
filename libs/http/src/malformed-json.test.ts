import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { malformedAt, placeOf } from './malformed-json.ts';

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('malformedAt', () => {
  test.each([
    ['', 0],
    ['  ', 2],
    ['{"a":1,}', 7],
    ['[1,]', 3],
    ['[,1]', 1],
    ['{"a" 1}', 5],
    ['{a:1}', 1],
    ["{'a':1}", 1],
    ['{"a":x}', 5],
    ['nul', 0],
    ['01', 1],
    ['1.', 1],
    ['"a', 2],
    ['"a\nb"', 2],
    ['"\\x"', 1],
    ['"\\u12g4"', 1],
    ['[1}', 2],
    ['{} {}', 3],
    ['\ufeff{}', 0],
    ['[[[[', 4],
  ])('%j at %i', (text, at) => expect(malformedAt(text)).toBe(at));

  test('says the same as JSON.parse of any JSON, and of any JSON with a character taken, put or changed', () => {
    const spoilt = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', '"', '\\', '}', ']', ',', ':', '0', '-', '.', 'e', ' ', '\n', 'n'),
        fc.boolean(),
      )
      .map(([json, place, put, taken]) => {
        const at = place % (json.length + 1);
        return json.slice(0, at) + put + json.slice(at + (taken ? 1 : 0));
      });
    fc.assert(
      fc.property(fc.oneof(fc.json(), spoilt, fc.string()), (text) => {
        expect(malformedAt(text) === null).toBe(parses(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test('what stands before the place could have been the beginning of JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (json, place) => {
        const cut = json.slice(0, place % (json.length + 1));
        const at = malformedAt(`${cut}\u0001`); // a control character can stand nowhere
        expect(at).toBeLessThanOrEqual(cut.length);
        expect(json.startsWith(cut.slice(0, at!))).toBe(true);
      }),
    );
  });

  test('a large body does not take long or much stack', () => {
    expect(malformedAt(`${'['.repeat(500_000)}"${'x'.repeat(500_000)}`)).toBe(1_000_001);
  });
});

test('placeOf counts lines and columns from one', () => {
  const text = 'ab\ncd\n';
  expect([0, 2, 3, 4, 6].map((offset) => placeOf(text, offset))).toEqual([
    { line: 1, column: 1 },
    { line: 1, column: 3 },
    { line: 2, column: 1 },
    { line: 2, column: 2 },
    { line: 3, column: 1 },
  ]);
});
