import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatTraceparent, isChosen, parseTraceparent } from './traceparent.rules.ts';

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''))
    .filter((text) => /[^0]/.test(text));

describe('traceparent', () => {
  test('what is written is read again', () => {
    fc.assert(
      fc.property(hex(32), hex(16), fc.boolean(), (traceId, spanId, isSampled) => {
        const place = { traceId, spanId, isSampled };
        expect(parseTraceparent(formatTraceparent(place))).toEqual(place);
      }),
    );
  });

  test.each([
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
    '01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    '00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331',
    '',
  ])('%j is not valid', (text) => {
    expect(parseTraceparent(text)).toBeNull();
  });

  test('a ratio chooses its share, and a larger ratio chooses more of the same', () => {
    const ids = Array.from({ length: 10_000 }, (_, n) =>
      ((n * 2_654_435_761) % 2 ** 32).toString(16).padStart(32, '0'),
    );
    const chosen = (ratio: number) => ids.filter((id) => isChosen(id, ratio));
    expect(chosen(0)).toHaveLength(0);
    expect(chosen(1)).toHaveLength(10_000);
    const tenth = chosen(0.1);
    expect(tenth.length).toBeGreaterThan(900);
    expect(tenth.length).toBeLessThan(1_100);
    expect(chosen(0.2)).toEqual(expect.arrayContaining(tenth));
  });
});
