import { expect, test } from '@jest/globals';
import { computeChange, formatChange, toWindow } from './window.rules.ts';

const NOW = Date.parse('2026-03-01T12:34:56Z');

test('a day has hourly buckets and ends with the current hour', () => {
  expect(toWindow('24h', NOW, 0)).toEqual({
    from: '2026-02-28T13:00:00.000Z',
    to: '2026-03-01T13:00:00.000Z',
    interval: 'hour',
  });
});

test('the previous period ends where this one starts', () => {
  const [now, before] = [toWindow('7d', NOW, 0), toWindow('7d', NOW, 1)];
  expect(before.to).toBe(now.from);
  expect(before.from).toBe('2026-02-15T13:00:00.000Z');
  expect(now.interval).toBe('day');
});

test.each([
  [12, 10, 20],
  [5, 10, -50],
  [5, 0, null],
  [null, 10, null],
  [5, null, null],
])('computes the change to %p from %p as %p percent', (now, before, change) => {
  expect(computeChange(now, before)).toBe(change);
});

test.each([
  [0.04, 0.02, 2, '+2 points'],
  [0.905, 0.92, -1.5, '-1.5 points'],
  [0.5, 0, 50, '+50 points'],
  [0.3, 0.3, 0, '0 points'],
])('the change of a rate to %p from %p is %p points', (now, before, change, text) => {
  expect(computeChange(now, before, true)).toBe(change);
  expect(formatChange(change, true)).toBe(text);
});

test('a rate without a figure before has no change', () => {
  expect(computeChange(0.5, null, true)).toBeNull();
});
