import { expect, test } from '@jest/globals';
import { buildJobId } from './job-kind.ts';

test('each enqueue has its own job id', () => {
  expect(buildJobId('dlv_01jd', 2, 3)).toBe('dlv_01jd-2-3');
});

test.each(['', 'a:b'])('a row named "%s" is refused because BullMQ would misread it', (row) => {
  expect(() => buildJobId(row, 1, 0)).toThrow('cannot be part of a job id');
});
