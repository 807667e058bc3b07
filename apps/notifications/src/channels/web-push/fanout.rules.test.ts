// The outcome of devices and sends, and the payload.
import { describe, expect, test } from '@jest/globals';
import { computePauseMs } from '../../push-engine/push-outcome.rules.ts';
import { computeEnd, computeExpiresAtMs, toDeviceResult, remainingTtl } from './fanout.rules.ts';
import { payloadBytes, buildPayload } from './payload.rules.ts';
import { RETRY_WAITS_MS } from '../../config/delivery.ts';

const schedule = RETRY_WAITS_MS;
const now = { attempts: 0, expiresAtMs: 100_000, nowMs: 1_000, random: 0.5 };

describe('a device after an attempt', () => {
  test.each([
    [{ kind: 'sent' }, { kind: 'sent' }],
    [{ kind: 'gone' }, { kind: 'gone' }],
    [{ kind: 'key_mismatch' }, { kind: 'key_mismatch' }],
    [{ kind: 'rejected', errorClass: 'too_large' }, { kind: 'failed' }],
    [
      { kind: 'unavailable', errorClass: 'timeout' },
      { kind: 'retry', attempts: 1, atMs: 3_500, errorClass: 'timeout' },
    ],
    [
      { kind: 'throttled', waitMs: 30_000 },
      { kind: 'retry', attempts: 1, atMs: 31_000, errorClass: 'throttled' },
    ],
  ] as const)('%j is recorded as %j', (tried, recorded) => {
    expect(toDeviceResult(tried, now, schedule)).toMatchObject(recorded);
  });

  test('a pause that prevented the attempt does not count as one', () => {
    const recorded = toDeviceResult({ kind: 'deferred', waitMs: 1_000 }, { ...now, attempts: 9 }, schedule);
    expect(recorded).toEqual({ kind: 'retry', attempts: 9, atMs: 2_050, errorClass: 'throttled' });
  });

  test('ends with the last attempt or with its time', () => {
    const unavailable = { kind: 'unavailable', errorClass: 'timeout' } as const;
    expect(toDeviceResult(unavailable, { ...now, attempts: 9 }, schedule)).toEqual({ kind: 'failed' });
    expect(toDeviceResult(unavailable, { ...now, expiresAtMs: 3_000 }, schedule)).toEqual({
      kind: 'expired',
    });
    expect(toDeviceResult({ kind: 'deferred', waitMs: 99_000 }, now, schedule)).toEqual({ kind: 'expired' });
  });
});

test.each([
  [[0, 0, 0, 0, 0], 'no_devices'],
  [[2, 2, 0, 0, 0], 'delivered'],
  [[2, 1, 1, 0, 0], 'delivered'],
  [[2, 1, 0, 1, 0], 'partial'],
  [[2, 1, 0, 0, 1], 'partial'],
  [[2, 0, 2, 0, 0], 'no_devices'],
  [[2, 0, 1, 1, 0], 'failed'],
  [[2, 0, 0, 1, 1], 'failed'],
  [[2, 0, 1, 0, 1], 'expired'],
] as const)('targeted, sent, gone, failed, expired of %j end as %s', (counts, end) => {
  const [targeted, sent, gone, failed, expired] = counts;
  expect(computeEnd({ targeted, sent, gone, failed, expired })).toBe(end);
});

test('a send ends with its TTL or its notification; a TTL of 0 leaves a minute for one attempt', () => {
  expect(computeExpiresAtMs(1_000, 3_600, null)).toBe(3_601_000);
  expect(computeExpiresAtMs(1_000, 3_600, 5_000)).toBe(5_000);
  expect(computeExpiresAtMs(1_000, 0, null)).toBe(61_000);
  const message = { createdAtMs: 0, ttlSeconds: 60, expiresAtMs: 60_000 };
  expect([remainingTtl(message, 0), remainingTtl(message, 59_500)]).toEqual([60, 1]);
  expect(remainingTtl({ ...message, ttlSeconds: 0 }, 10)).toBe(0);
  expect(remainingTtl({ ...message, expiresAtMs: 5_000 }, 1_000)).toBe(4);
});

test('pauses last as long as requested, else double from the first, spread and bounded', () => {
  expect(computePauseMs(7_000, 5, 5_000, 0)).toBe(7_000);
  expect(computePauseMs(7_000, 5, 5_000, 0.5)).toBe(7_350);
  expect(computePauseMs(10 * 86_400_000, 1, 5_000, 0)).toBe(3_600_000);
  expect([1, 2, 3].map((inARow) => computePauseMs(undefined, inARow, 5_000, 0))).toEqual([
    2_500, 5_000, 10_000,
  ]);
  expect(computePauseMs(undefined, 1_000, 5_000, 0.999)).toBeLessThanOrEqual(300_000);
});

test('the payload is small and counted in bytes', () => {
  const content = { notificationId: 'n', title: 'ü', body: 'b' };
  expect(buildPayload(content)).toBe('{"title":"ü","body":"b","notification_id":"n","tag":"n"}');
  expect(payloadBytes(buildPayload(content))).toBe(buildPayload(content).length + 1);
  expect(JSON.parse(buildPayload({ ...content, url: 'https://a.example/' }))).toMatchObject({
    web_push: 8030,
    notification: { title: 'ü', navigate: 'https://a.example/' },
    mutable: true,
  });
});
