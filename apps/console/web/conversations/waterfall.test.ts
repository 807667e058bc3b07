import { expect, test } from '@jest/globals';
import { toPlaces } from './waterfall.rules.ts';

const turn = (start_ms: number | null, end_ms: number | null) => ({ start_ms, end_ms });

test('places turns as fractions of the conversation', () => {
  expect(toPlaces([turn(1000, 2000), turn(2000, 4000), turn(4500, 5000)])).toEqual([
    { from: 0, width: 0.25 },
    { from: 0.25, width: 0.5 },
    { from: 0.875, width: 0.125 },
  ]);
});

test('a turn without a valid end has no width; a turn without a start has no place', () => {
  expect(toPlaces([turn(0, 1000), turn(500, null), turn(null, null), turn(700, 600)])).toEqual([
    { from: 0, width: 1 },
    { from: 0.5, width: 0 },
    null,
    { from: 0.7, width: 0 },
  ]);
});

test('a conversation without duration or without turns has no timeline', () => {
  expect(toPlaces([turn(5, 5)])).toEqual([null]);
  expect(toPlaces([turn(null, null)])).toEqual([null]);
  expect(toPlaces([])).toEqual([]);
});
