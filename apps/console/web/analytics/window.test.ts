import { expect, test } from '@jest/globals';
import { computeChange, toWindow } from './window.rules.ts';

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
  [12, 10, 0.2],
  [5, 10, -0.5],
  [5, 0, null],
  [null, 10, null],
  [5, null, null],
])('computes the change to %p from %p as %p', (now, before, change) => {
  expect(computeChange(now, before)).toBe(change);
});
