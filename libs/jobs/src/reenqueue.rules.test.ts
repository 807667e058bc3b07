import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  INBOX_RETENTION_MS,
  isTooOld,
  MESSAGE_AGE_MAX_MS,
  NEVER,
  computeNextRingAt,
  REENQUEUE_AFTER_MS,
  REENQUEUE_FOR_MS,
  REENQUEUE_WAIT_MS_MAX,
} from './reenqueue.rules.ts';

const written = new Date('2026-11-20T18:00:00Z');
const at = (seconds: number) => written.getTime() + seconds * 1_000;

test('waits double with the age of the message, up to ten minutes', () => {
  const rings = [10];
  while (rings.length < 10)
    rings.push((computeNextRingAt(written, at(rings.at(-1)!)).getTime() - at(0)) / 1_000);
  expect(rings).toEqual([10, 20, 40, 80, 160, 320, 640, 1_240, 1_840, 2_440]);
});

test('a message is given up after seven days', () => {
  expect(computeNextRingAt(written, written.getTime() + REENQUEUE_FOR_MS - 1)).not.toBe(NEVER);
  expect(computeNextRingAt(written, written.getTime() + REENQUEUE_FOR_MS)).toBe(NEVER);
});

test('the next enqueue is later than now, and within the longest wait', () => {
  fc.assert(
    fc.property(fc.integer({ min: -60_000, max: REENQUEUE_FOR_MS - 1 }), (ageMs) => {
      const nowMs = written.getTime() + ageMs;
      const waitMs = computeNextRingAt(written, nowMs).getTime() - nowMs;
      expect(waitMs).toBeGreaterThanOrEqual(REENQUEUE_AFTER_MS);
      expect(waitMs).toBeLessThanOrEqual(REENQUEUE_WAIT_MS_MAX);
    }),
  );
});

test('the inbox remembers the effect of every message that may still be applied', () => {
  fc.assert(
    fc.property(fc.nat(MESSAGE_AGE_MAX_MS * 2), fc.nat(MESSAGE_AGE_MAX_MS * 2), (appliedAge, againAge) => {
      fc.pre(appliedAge < againAge && !isTooOld(0, appliedAge) && !isTooOld(0, againAge));
      const forgottenAt = appliedAge + INBOX_RETENTION_MS;
      expect(againAge).toBeLessThan(forgottenAt);
    }),
  );
});
