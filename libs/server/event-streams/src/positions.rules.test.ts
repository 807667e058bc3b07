import { expect, test } from '@jest/globals';
import {
  beginEpoch,
  continuePosition,
  formatPosition,
  isCurrent,
  parsePosition,
  type ClientPosition,
} from './positions.rules.ts';

const [FIRST, SECOND, LOST] = [1_796_000_000_000, 1_796_000_500_000, 1_796_000_200_000];
const epochs = [0, FIRST, SECOND];

test.each<[string, ClientPosition | null]>([
  ['1', { raisedAtMs: 0, position: 1n }],
  ['0', { raisedAtMs: 0, position: 0n }],
  [`${FIRST}.7`, { raisedAtMs: FIRST, position: 7n }],
  ['9223372036854775807', { raisedAtMs: 0, position: 9_223_372_036_854_775_807n }],
  ['9223372036854775808', null],
  ['-1', null],
  ['1e3', null],
  ['', null],
  ['7 ', null],
  ['12.7', null],
  ['.7', null],
])('%j is the position %j', (text, position) => expect(parsePosition(text)).toEqual(position));

test('a position says which epoch issued it, and only that of now can be read from', () => {
  expect(formatPosition([0], 7n)).toBe('7');
  expect(formatPosition(epochs, 7n)).toBe(`${SECOND}.7`);
  expect(isCurrent(epochs, parsePosition(formatPosition(epochs, 7n))!)).toBe(true);
  for (const text of ['7', `${FIRST}.7`, `${LOST}.7`])
    expect(isCurrent(epochs, parsePosition(text)!)).toBe(false);
});

test('later epochs follow every position of earlier ones', () => {
  expect(beginEpoch(1)).toBeGreaterThan(beginEpoch(0) + 2n ** 48n - 1n);
});

test('a position of an earlier epoch goes on from where it was', () => {
  expect(continuePosition(epochs, { raisedAtMs: 0, position: 900n })).toBe(900n);
  const seen = beginEpoch(1) + 900n;
  expect(continuePosition(epochs, { raisedAtMs: FIRST, position: seen })).toBe(seen);
});

test('an epoch that a restore undid goes on from the start of the epoch before it', () => {
  // The database was put back to the first epoch; the client read a later one that is lost.
  expect(continuePosition(epochs, { raisedAtMs: LOST, position: beginEpoch(2) + 5n })).toBe(beginEpoch(1));
  // It was behind, and had not read that far.
  expect(continuePosition(epochs, { raisedAtMs: LOST, position: 5n })).toBe(5n);
});

test('a position beyond its epoch skips nothing of the next one', () => {
  expect(continuePosition(epochs, { raisedAtMs: 0, position: beginEpoch(2) })).toBe(beginEpoch(1));
});
