import { describe, expect, test } from '@jest/globals';
import { keeps, median, ratioOfRounds } from './statistics.ts';

test.each([
  [[3], 3],
  [[9, 1, 2], 2],
  [[4, 1, 3, 2], 2.5],
])('the median of %j is %d', (values, expected) => expect(median(values)).toBe(expected));

test('the median does not reorder what it is given, and of nothing there is none', () => {
  const values = [3, 1, 2];
  median(values);
  expect(values).toEqual([3, 1, 2]);
  expect(() => median([])).toThrow();
});

describe('ratioOfRounds', () => {
  test('is the median of the ratios of rounds, not the quotient of the medians', () => {
    // The machine was twice as fast in the last round: both sides were.
    expect(ratioOfRounds([10, 12, 40], [5, 4, 20])).toEqual({ median: 2, lowest: 2, highest: 3 });
  });

  test('refuses sides that were not measured in the same rounds', () => {
    expect(() => ratioOfRounds([1, 2], [1])).toThrow('2 rounds against 1');
  });
});

test.each([
  [{ atLeast: 2 }, 2, true],
  [{ atLeast: 2 }, 1.99, false],
  [{ atMost: 1.2 }, 1.2, true],
  [{ atMost: 1.2 }, 1.21, false],
  [{}, 5, null],
])('%j with a ratio of %d: %s', (target, ratio, expected) => expect(keeps(target, ratio)).toBe(expected));
