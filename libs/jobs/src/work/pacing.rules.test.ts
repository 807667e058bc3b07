import { describe, expect, test } from '@jest/globals';
import {
  recordAttempt,
  CONCURRENCY_MAX,
  DEFERRAL_MS_MAX,
  createPace,
  scheduleDeferrals,
  mayStart,
  PATIENCE_MS,
} from './pacing.rules.ts';

const NOW = 1_000_000;
const PAUSE = 15_000;
const idle = { inFlight: 0, oldestStartedAtMs: Infinity, ahead: 0 };
const busy = (ahead: number, forMs = 0, inFlight = CONCURRENCY_MAX) => ({
  inFlight,
  oldestStartedAtMs: NOW - forMs,
  ahead,
});
const timedOut = () => {
  const pace = createPace();
  recordAttempt(pace, { ms: 15_000, timedOut: true, pauseMs: PAUSE }, NOW);
  return pace;
};

test('up to ten concurrent attempts, the rest waits', () => {
  const pace = createPace();
  expect(mayStart(pace, idle, false, NOW)).toBe('start');
  expect(mayStart(pace, busy(0, 0, CONCURRENCY_MAX - 1), false, NOW)).toBe('start');
  expect(mayStart(pace, busy(0), false, NOW)).toBe('wait');
  expect(mayStart(pace, { ...idle, ahead: 1 }, false, NOW)).toBe('wait');
});

test('a fast receiver may have a long queue, a slow one a short one', () => {
  const fast = { ...createPace(), meanMs: 5 };
  const slow = { ...createPace(), meanMs: 1_500 };
  expect(mayStart(fast, busy(900), false, NOW)).toBe('wait');
  expect(mayStart(slow, busy(5), false, NOW)).toBe('wait');
  expect(mayStart(slow, busy(15), false, NOW)).toBe('go back');
});

test('a receiver that never answered is judged by the age of its attempts in flight', () => {
  expect(mayStart(createPace(), busy(5, PATIENCE_MS - 1), false, NOW)).toBe('wait');
  expect(mayStart(createPace(), busy(5, PATIENCE_MS + 1), false, NOW)).toBe('go back');
});

describe('after a timeout', () => {
  test('first attempts are deferred during the pause, retries run when they are due', () => {
    const pace = timedOut();
    expect(mayStart(pace, idle, false, NOW + PAUSE - 1)).toBe('go back');
    expect(mayStart(pace, idle, true, NOW)).toBe('start');
    expect(mayStart(pace, idle, false, NOW + PAUSE)).toBe('start');
  });
  test('then one at a time until the receiver answers, with any status', () => {
    const pace = timedOut();
    const later = NOW + PAUSE;
    expect(mayStart(pace, { inFlight: 1, oldestStartedAtMs: later, ahead: 0 }, false, later)).not.toBe(
      'start',
    );
    recordAttempt(pace, { ms: 20, timedOut: false, pauseMs: PAUSE }, later);
    expect(mayStart(pace, { inFlight: 1, oldestStartedAtMs: later, ahead: 0 }, false, later)).toBe('start');
  });
  test('a retry ignores the doubt as well', () => {
    const asked = { inFlight: 1, oldestStartedAtMs: NOW + PAUSE, ahead: 0 };
    expect(mayStart(timedOut(), asked, true, NOW + PAUSE)).toBe('start');
  });
  test('an answer ends the pause immediately', () => {
    const pace = timedOut();
    recordAttempt(pace, { ms: 20, timedOut: false, pauseMs: PAUSE }, NOW + 1);
    expect(mayStart(pace, idle, false, NOW + 1)).toBe('start');
  });
});

describe('deferred deliveries', () => {
  test('are due at the pace of the receiver, one group after the other', () => {
    const pace = { ...createPace(), meanMs: 1_000 };
    expect(scheduleDeferrals(pace, 50, PAUSE, NOW)).toEqual([{ count: 50, dueAtMs: NOW + 1_000 }]);
    expect(scheduleDeferrals(pace, 50, PAUSE, NOW)).toEqual([{ count: 50, dueAtMs: NOW + 6_000 }]);
  });
  test('of a receiver in doubt: one after the pause, one after each possible pause, the rest within a minute', () => {
    const pace = timedOut(); // after 15 s
    expect(scheduleDeferrals(pace, 50, PAUSE, NOW)).toEqual([
      { count: 1, dueAtMs: NOW + PAUSE },
      { count: 1, dueAtMs: NOW + PAUSE + 30_000 },
      { count: 48, dueAtMs: NOW + DEFERRAL_MS_MAX },
    ]);
    expect(scheduleDeferrals(pace, 5, PAUSE, NOW)).toEqual([{ count: 5, dueAtMs: NOW + DEFERRAL_MS_MAX }]);
  });
  test('of a receiver in doubt, a few: at most one a second, each once', () => {
    const pace = timedOut();
    expect(scheduleDeferrals(pace, 1, PAUSE, NOW)).toEqual([{ count: 1, dueAtMs: NOW + PAUSE }]);
    expect(scheduleDeferrals(pace, 1, PAUSE, NOW)).toEqual([{ count: 1, dueAtMs: NOW + PAUSE + 30_000 }]);
    const quick = { ...createPace(), doubtful: true, meanMs: 10 };
    const groups = scheduleDeferrals(quick, 500, 10, NOW);
    expect(groups.map(({ dueAtMs }) => dueAtMs - NOW).slice(0, 3)).toEqual([1_000, 2_000, 3_000]);
    expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(500);
  });
  test('are due within a minute, however many there are', () => {
    for (const pace of [{ ...createPace(), meanMs: 10_000 }, timedOut()]) {
      for (let count = 0; count < 100; count += 1)
        for (const { dueAtMs } of scheduleDeferrals(pace, 50, PAUSE, NOW))
          expect(dueAtMs).toBeLessThanOrEqual(NOW + DEFERRAL_MS_MAX);
    }
  });
});

test('a receiver that answers again loses its old durations and bookings', () => {
  const pace = timedOut();
  scheduleDeferrals(pace, 50, PAUSE, NOW);
  recordAttempt(pace, { ms: 20, timedOut: false, pauseMs: PAUSE }, NOW + 1);
  expect(pace).toEqual({ ...createPace(), meanMs: 20 });
  expect(mayStart(pace, busy(500), false, NOW + 1)).toBe('wait');
});
