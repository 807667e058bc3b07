import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { backoffMs, isRetryable, isRetryStatus, decideNext } from './retry-schedule.rules.ts';
import { mayBecome } from './outcome.ts';
import { RETRY_WAITS_MS } from '../config/delivery.ts';

const schedule = RETRY_WAITS_MS;
const situation = { attempt: 1, expiresAtMs: null, nowMs: 1_000_000, random: 0.5 };

describe('the next attempt', () => {
  test.each([
    [{ kind: 'sent' } as const, { kind: 'settled', status: 'sent' }],
    [{ kind: 'delivered' } as const, { kind: 'settled', status: 'delivered' }],
    [{ kind: 'final', status: 'no_devices' } as const, { kind: 'settled', status: 'no_devices' }],
    [{ kind: 'handed_over' } as const, { kind: 'open' }],
    [{ kind: 'retry' } as const, { kind: 'again', atMs: 1_002_500 }],
    [{ kind: 'retry', retryAfterMs: 60_000 } as const, { kind: 'again', atMs: 1_060_000 }],
    [{ kind: 'retry', retryAfterMs: 1 } as const, { kind: 'again', atMs: 1_002_500 }],
    [{ kind: 'retry', retryAfterMs: 10 ** 12 } as const, { kind: 'again', atMs: 1_000_000 + 86_400_000 }],
  ])('after %j is %j', (outcome, next) => {
    expect(decideNext(outcome, situation, schedule)).toEqual(next);
  });

  test('the tenth attempt is the last', () => {
    const at = (attempt: number) => decideNext({ kind: 'retry' }, { ...situation, attempt }, schedule);
    expect(at(9)).toMatchObject({ kind: 'again' });
    expect(at(10)).toEqual({ kind: 'settled', status: 'failed' });
  });

  test('no attempt is made at or after the expiry of the notification', () => {
    const ends = (expiresAtMs: number) =>
      decideNext({ kind: 'retry' }, { ...situation, expiresAtMs }, schedule);
    expect(ends(1_002_500)).toEqual({ kind: 'settled', status: 'expired' });
    expect(ends(1_002_501)).toEqual({ kind: 'again', atMs: 1_002_500 });
  });
});

describe('the wait', () => {
  test('has a ceiling that doubles from 5 s to 21 minutes', () => {
    const almostOne = 1 - Number.EPSILON;
    const ceilings = schedule.map((longestMs) => backoffMs(longestMs, almostOne) / 1000);
    expect(ceilings).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280]);
  });

  test('is anywhere between zero and the ceiling', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 86_400_000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (longestMs, random) => {
          const wait = backoffMs(longestMs, random);
          expect(wait).toBeGreaterThanOrEqual(0);
          expect(wait).toBeLessThanOrEqual(longestMs);
        },
      ),
    );
    expect(backoffMs(20_000, 0)).toBe(0);
  });
});

test('which failures are retried', () => {
  const again = Array.from({ length: 600 }, (_, status) => status).filter(
    (status) => status < 500 && isRetryStatus(status),
  );
  expect(again).toEqual([408, 425, 429]);
  expect([500, 502, 503, 504, 599].every(isRetryStatus)).toBe(true);
  expect(isRetryable('http_status', 404)).toBe(false);
  expect(isRetryable('http_status', 503)).toBe(true);
  expect(isRetryable('http_status', 301)).toBe(false);
  for (const errorClass of [
    'dns_error',
    'connect_refused',
    'tls_error',
    'timeout',
    'connection_lost',
    'too_large',
  ])
    expect(isRetryable(errorClass, undefined)).toBe(true);
  for (const errorClass of ['blocked_address', 'invalid_request'])
    expect(isRetryable(errorClass, undefined)).toBe(false);
});

test.each([
  ['sending', 'sent', true],
  ['sending', 'failed', true],
  ['sent', 'delivered', true],
  ['sent', 'failed', true],
  ['sent', 'sent', false],
  ['delivered', 'bounced', true],
  ['delivered', 'sent', false],
  ['delivered', 'failed', false],
  ['bounced', 'delivered', false],
  ['unknown', 'sent', true],
  ['unknown', 'delivered', true],
  ['failed', 'delivered', false],
  ['canceled', 'sent', false],
  ['expired', 'delivered', false],
])('whether a report changes a delivery from %s to %s: %s', (from, to, changes) => {
  expect(mayBecome(from, to)).toBe(changes);
});
