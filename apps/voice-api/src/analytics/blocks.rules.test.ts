import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  QUARTER_MS,
  floorToBlock,
  findBucket,
  countBlocks,
  coverBuckets,
  floorToQuarter,
} from './blocks.rules.ts';

const edgesAnywhere = fc
  .uniqueArray(fc.integer({ min: -2_000, max: 2_000 }), { minLength: 2, maxLength: 20 })
  .map((quarters) => quarters.sort((a, b) => a - b).map((quarter) => quarter * QUARTER_MS));

test('each quarter of the window is in exactly one block, and each block in one bucket', () => {
  fc.assert(
    fc.property(edgesAnywhere, (edges) => {
      const seen: number[] = [];
      for (const { level, fromMs, toMs } of coverBuckets(edges)) {
        const blockMs = level * 60_000;
        const aligned = fromMs === floorToBlock(level, fromMs) && toMs === floorToBlock(level, toMs);
        expect(aligned).toBe(true);
        for (let at = fromMs; at < toMs; at += blockMs) {
          if (findBucket(edges, at + blockMs - 1) !== findBucket(edges, at))
            throw new Error(`${at} is in two buckets`);
          for (let quarter = at; quarter < at + blockMs; quarter += QUARTER_MS) seen.push(quarter);
        }
      }
      const all = (edges.at(-1)! - edges[0]!) / QUARTER_MS;
      expect(seen).toEqual(Array.from({ length: all }, (_, index) => edges[0]! + index * QUARTER_MS));
    }),
  );
});

test('a local day needs at most 7 long blocks and 22 quarters', () => {
  for (let startQuarter = 0; startQuarter < 96; startQuarter += 1) {
    const fromMs = startQuarter * QUARTER_MS;
    expect(countBlocks(coverBuckets([fromMs, fromMs + 86_400_000]))).toBeLessThanOrEqual(29);
  }
});

test('adjacent buckets share a range', () => {
  const hours = Array.from({ length: 25 }, (_, hour) => hour * 3_600_000);
  expect(coverBuckets(hours)).toEqual([{ level: 15, fromMs: 0, toMs: 86_400_000 }]);
});

test('instants map to their quarter and bucket, also before 1970', () => {
  expect(floorToQuarter(Date.parse('2026-11-20T10:29:59.999Z')).toISOString()).toBe(
    '2026-11-20T10:15:00.000Z',
  );
  expect(floorToQuarter(-1).getTime()).toBe(-QUARTER_MS);
  expect([9, 10, 19, 20, 39, 40].map((at) => findBucket([10, 20, 40], at))).toEqual([-1, 0, 0, 1, 1, -1]);
});
