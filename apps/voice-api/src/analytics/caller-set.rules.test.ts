import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createCallerUnion, decodeCallers, eachCaller, encodeCallers } from './caller-set.rules.ts';

const set = (numbers: Iterable<number>) => decodeCallers(encodeCallers(new Set(numbers)));
const numbers = fc.uniqueArray(fc.oneof(fc.nat(60), fc.nat(300_000)), { maxLength: 200 });

function decoded(bytes: Uint8Array): number[] {
  const all: number[] = [];
  eachCaller(decodeCallers(bytes), (number) => all.push(number));
  return all;
}

test('a decoded set has the encoded numbers in rising order', () => {
  fc.assert(
    fc.property(numbers, (some) => {
      expect(decoded(encodeCallers(new Set(some)))).toEqual(some.toSorted((a, b) => a - b));
    }),
  );
});

test('dense sets cost one bit a caller, sparse sets up to three bytes a caller', () => {
  expect(encodeCallers(new Set(Array.from({ length: 5_000 }, (_, index) => index)))).toHaveLength(626);
  expect(encodeCallers(new Set([7, 900_000])).length).toBeLessThan(8);
  expect(encodeCallers(new Set())).toHaveLength(0);
});

test('a decoded set uses the shorter form: bits or numbers', () => {
  expect(set([7, 900_000])).toEqual({ as: 'numbers', data: Uint32Array.of(7, 900_000) });
  expect(set([0, 40])).toEqual({ as: 'words', data: Uint32Array.of(1, 1 << 8) });
});

test('decoding rejects a set that ends in the middle of a number', () => {
  const whole = encodeCallers(new Set([7, 900_000]));
  expect(() => decoded(whole.subarray(0, -1))).toThrow('ends in the middle of a number');
});

test('a union counts each caller once, also after clear and join', () => {
  const scratch = createCallerUnion();
  fc.assert(
    fc.property(fc.array(numbers, { maxLength: 5 }), numbers, (sets, others) => {
      const total = createCallerUnion();
      for (const some of sets) {
        scratch.clear();
        scratch.add([set(some)], []);
        expect(scratch.count()).toBe(some.length);
        total.join(scratch);
      }
      total.add([], others);
      const expected = new Set([...sets.flat(), ...others]).size;
      expect(total.count()).toBe(expected);
      scratch.clear();
      scratch.add(
        sets.map((some) => set(some)),
        others,
      );
      expect(scratch.count()).toBe(expected);
    }),
  );
});
