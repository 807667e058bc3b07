import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  INBOX_KEPT_MS,
  isTooOld,
  MESSAGE_AGE_MAX_MS,
  NEVER,
  nextRingAt,
  RING_AGAIN_AFTER_MS,
  RING_FOR_MS,
  RING_WAIT_MAX_MS,
} from './ring.rules.ts';

const written = new Date('2026-11-20T18:00:00Z');
const at = (seconds: number) => written.getTime() + seconds * 1_000;

test('waits double with the age of the message, up to ten minutes', () => {
  const rings = [10];
  while (rings.length < 10) rings.push((nextRingAt(written, at(rings.at(-1)!)).getTime() - at(0)) / 1_000);
  expect(rings).toEqual([10, 20, 40, 80, 160, 320, 640, 1_240, 1_840, 2_440]);
});

test('a message is given up after seven days', () => {
  expect(nextRingAt(written, written.getTime() + RING_FOR_MS - 1)).not.toBe(NEVER);
  expect(nextRingAt(written, written.getTime() + RING_FOR_MS)).toBe(NEVER);
});

test('the next ring is never now, and never further away than the longest wait', () => {
  fc.assert(
    fc.property(fc.integer({ min: -60_000, max: RING_FOR_MS - 1 }), (ageMs) => {
      const nowMs = written.getTime() + ageMs;
      const waitMs = nextRingAt(written, nowMs).getTime() - nowMs;
      expect(waitMs).toBeGreaterThanOrEqual(RING_AGAIN_AFTER_MS);
      expect(waitMs).toBeLessThanOrEqual(RING_WAIT_MAX_MS);
    }),
  );
});

test('whatever may still be applied finds the memory of its effect', () => {
  fc.assert(
    fc.property(fc.nat(MESSAGE_AGE_MAX_MS * 2), fc.nat(MESSAGE_AGE_MAX_MS * 2), (appliedAge, againAge) => {
      fc.pre(appliedAge < againAge && !isTooOld(0, appliedAge) && !isTooOld(0, againAge));
      const forgottenAt = appliedAge + INBOX_KEPT_MS;
      expect(againAge).toBeLessThan(forgottenAt);
    }),
  );
});
