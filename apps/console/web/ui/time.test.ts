import { expect, test } from '@jest/globals';
import { formatAgo, formatDuration } from './time.tsx';

const NOW = Date.parse('2026-03-01T12:00:00Z');

test.each([
  ['2026-03-01T11:59:58Z', 'now'],
  ['2026-03-01T11:59:20Z', '40s ago'],
  [NOW / 1000 - 150, '2m ago'],
  ['2026-03-01T14:00:00Z', 'in 2h'],
  ['2026-02-27T12:00:00Z', '2d ago'],
  ['2025-01-27T12:00:00Z', '27 Jan 2025'],
])('formats %s as %s', (moment, words) => {
  expect(formatAgo(moment, NOW)).toBe(words);
});

test.each([
  [850, '850 ms'],
  [2_449, '2.4 s'],
  [200_000, '3 m 20 s'],
  [7_260_000, '2 h 1 m'],
])('formats %d ms as %s', (ms, words) => {
  expect(formatDuration(ms)).toBe(words);
});
