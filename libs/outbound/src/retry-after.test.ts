import { expect, test } from '@jest/globals';
import { parseRetryAfterMs } from './retry-after.ts';

const nowMs = Date.UTC(2026, 0, 1, 12, 0, 0);

test.each([
  ['0', 0],
  [' 30 ', 30_000],
  ['999999999999', 86_400_000],
  ['Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
  ['Thursday, 01-Jan-26 12:00:30 GMT', 30_000],
  ['Thu Jan  1 12:00:30 2026 GMT', 30_000],
  ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
  ['Fri, 01 Jan 2027 12:00:00 GMT', 86_400_000],
])('%j asks for %i ms', (value, expected) => {
  expect(parseRetryAfterMs(value, nowMs)).toBe(expected);
});

test.each([[''], ['soon'], ['-5'], ['1.5'], ['1e3'], ['Infinity'], ['Thu, 99 Foo 2026']])(
  '%j asks for nothing',
  (value) => {
    expect(parseRetryAfterMs(value, nowMs)).toBeUndefined();
  },
);
