import { expect, test } from '@jest/globals';
import { jobIdOf } from './job-kind.ts';

test('a ring has an id of its own', () => {
  expect(jobIdOf('dlv_01jd', 2, 3)).toBe('dlv_01jd-2-3');
});

test.each(['', 'a:b'])('BullMQ would misread a row named "%s"', (row) => {
  expect(() => jobIdOf(row, 1, 0)).toThrow('cannot be part of a job id');
});
