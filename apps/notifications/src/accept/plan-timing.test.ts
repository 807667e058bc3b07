import { describe, expect, test } from '@jest/globals';
import { scheduledFor, timeProblems } from './plan-timing.ts';
import { chooseSubject } from '../rendering/subject.ts';

const NOW = Date.UTC(2026, 0, 1);
const at = (seconds: number) => new Date(NOW + seconds * 1000);
const DAY = 86_400;

describe('times', () => {
  test.each([
    [{}, []],
    [{ send_at: at(-10) }, []],
    [{ send_at: at(30 * DAY) }, []],
    [{ send_at: at(30 * DAY + 1) }, ['/send_at']],
    [{ expires_at: at(0) }, ['/expires_at']],
    [{ expires_at: at(1) }, []],
    [{ send_at: at(10), expires_at: at(10) }, ['/expires_at']],
    [{ send_at: at(10), expires_at: at(11) }, []],
    [{ send_at: at(31 * DAY), expires_at: at(-1) }, ['/send_at', '/expires_at']],
  ])('%j', (times, paths) => {
    expect(timeProblems(times, NOW).map(({ path }) => path)).toEqual(paths);
  });

  test('a time in the past means at once', () => {
    expect(scheduledFor(at(-1), NOW)).toBeNull();
    expect(scheduledFor(at(0), NOW)).toBeNull();
    expect(scheduledFor(at(1), NOW)).toEqual(at(1));
    expect(scheduledFor(undefined, NOW)).toBeNull();
  });
});

test.each([
  ['Kitchen', 'm', { subject: 'Kitchen', subjectGiven: true }],
  [undefined, 'm', { subject: 'm', subjectGiven: false }],
  [' \n', 'm', { subject: 'm', subjectGiven: false }],
  [undefined, 'x'.repeat(81), { subject: 'x'.repeat(80), subjectGiven: false }],
])('the subject %j of %j', (given, message, expected) => {
  expect(chooseSubject(given, message)).toEqual(expected);
});
