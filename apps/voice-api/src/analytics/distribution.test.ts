import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  addValue,
  encodeDistributions,
  mergeDistributions,
  mergeEncoded,
  computeQuantile,
  type Distributions,
} from './distribution.ts';

const values = fc.array(
  fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 2 ** 31 - 1 })),
  { minLength: 1, maxLength: 300 },
);

function of(measured: readonly number[]): Distributions {
  const distributions: Distributions = {};
  for (const value of measured) addValue(distributions, 'e2e', value);
  return distributions;
}

function facts({ e2e }: Distributions) {
  const quantiles = [0, 0.5, 0.9, 0.95, 0.99, 1].map((quantile) => computeQuantile(e2e!, quantile));
  return { count: e2e!.count, sum: e2e!.sum, max: e2e!.max, quantiles };
}

test('count, sum and maximum are exact, percentiles are within 1 % of the nearest rank', () => {
  fc.assert(
    fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (measured, quantile) => {
      const { e2e } = of(measured);
      const sorted = measured.toSorted((a, b) => a - b);
      expect(e2e).toMatchObject({
        count: measured.length,
        sum: measured.reduce((sum, value) => sum + value, 0),
        max: sorted.at(-1),
      });
      const expected = sorted[Math.max(0, Math.ceil(quantile * sorted.length) - 1)]!;
      expect(Math.abs(computeQuantile(e2e!, quantile) - expected)).toBeLessThanOrEqual(expected * 0.01);
    }),
  );
});

test('encoded and merged parts equal the whole, however it was split', () => {
  fc.assert(
    fc.property(values, fc.nat(), (measured, cut) => {
      const at = cut % (measured.length + 1);
      const parts = [measured.slice(0, at), measured.slice(at)].filter((part) => part.length > 0).map(of);
      const read: Distributions = {};
      for (const part of parts) mergeEncoded(read, encodeDistributions(part));
      expect(facts(read)).toEqual(facts(of(measured)));
      const joined: Distributions = {};
      for (const part of parts) mergeDistributions(joined, part);
      expect(encodeDistributions(joined)).toEqual(encodeDistributions(of(measured)));
      expect(encodeDistributions(read)).toEqual(encodeDistributions(joined));
    }),
  );
});

test('merging leaves the source unchanged', () => {
  const part = of([1, 2, 3]);
  const into: Distributions = {};
  mergeDistributions(into, part);
  addValue(into, 'e2e', 1000);
  expect(facts(part)).toMatchObject({ count: 3, max: 3 });
});

test('measures stay separate, empty distributions need no bytes, and foreign bytes throw', () => {
  const both: Distributions = {};
  addValue(both, 'duration', 61_000);
  addValue(both, 'webhook', 7);
  const read: Distributions = {};
  mergeEncoded(read, encodeDistributions(both));
  expect(Object.keys(read).sort()).toEqual(['duration', 'webhook']);
  expect(read.duration!.sum).toBe(61_000);
  expect(encodeDistributions({})).toHaveLength(0);
  expect(() => mergeEncoded({}, Buffer.from([9]))).toThrow('unknown version: 9');
  const bytes = encodeDistributions(both);
  expect(() => mergeEncoded({}, bytes.subarray(0, bytes.length - 1))).toThrow('ends in the middle');
});

test('thousands of latencies need less than 400 bytes', () => {
  const latencies = Array.from({ length: 10_000 }, (_, index) => 200_000 + ((index * 7919) % 1_800_000));
  expect(encodeDistributions(of(latencies)).length).toBeLessThan(400);
  expect(encodeDistributions(of([1, 2 ** 31 - 1])).length).toBeLessThan(32);
});
