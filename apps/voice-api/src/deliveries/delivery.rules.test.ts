import { describe, expect, test } from '@jest/globals';
import { decideBeforeAttempt, type DeliveryKind } from './delivery.rules.ts';
import { decideAfterFailure, RETRY_WAITS_MS, type AfterFailure } from './retry-schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const failed = (attempt: number, more: object = {}) => ({
  attempt,
  kind: 'event' as const,
  interim: false,
  ...more,
});
const after = (attempt: number, more: object = {}, random = 0) =>
  decideAfterFailure(failed(attempt, more), RETRY_WAITS_MS, random);

describe('the retry schedule', () => {
  test.each<[number, AfterFailure]>([
    [1, { next: 'retry', waitMs: MINUTE, disable: false, warn: false }],
    [2, { next: 'retry', waitMs: 5 * MINUTE, disable: false, warn: false }],
    [3, { next: 'retry', waitMs: 30 * MINUTE, disable: false, warn: true }],
    [4, { next: 'retry', waitMs: 2 * HOUR, disable: false, warn: false }],
    [5, { next: 'retry', waitMs: 24 * HOUR, disable: true, warn: false }],
    [6, { next: 'exhausted', disable: true, warn: false }],
  ])('failed attempt %d', (attempt, expected) => expect(after(attempt)).toEqual(expected));

  test('410 Gone ends the attempts and disables the webhook, also for interims', () => {
    const gone = { next: 'exhausted', disable: true, warn: false };
    expect(after(1, { status: 410 })).toEqual(gone);
    expect(after(1, { status: 410, interim: true })).toEqual(gone);
    expect(after(1, { status: 410, kind: 'test' })).toMatchObject({ disable: false });
    expect(after(1, { status: 410, kind: 'one_off' })).toMatchObject({ next: 'retry', disable: false });
  });

  test('six attempts in all', () => expect(RETRY_WAITS_MS).toHaveLength(5));
});

describe('deliveries that never disable a webhook', () => {
  test.each<DeliveryKind>(['replay', 'test'])('a %s has one attempt', (kind) =>
    expect(after(1, { kind })).toEqual({ next: 'exhausted', disable: false, warn: false }),
  );
  test('an interim keeps the schedule', () => {
    expect(after(3, { interim: true })).toMatchObject({ warn: false });
    expect(after(5, { interim: true })).toEqual({
      next: 'retry',
      waitMs: 24 * HOUR,
      disable: false,
      warn: false,
    });
    expect(after(6, { interim: true })).toEqual({ next: 'exhausted', disable: false, warn: false });
  });
  test('a one-off has all six attempts', () => {
    expect(after(5, { kind: 'one_off' })).toEqual({
      next: 'retry',
      waitMs: 24 * HOUR,
      disable: false,
      warn: false,
    });
    expect(after(6, { kind: 'one_off' })).toEqual({ next: 'exhausted', disable: false, warn: false });
  });
});

describe('the wait before a retry', () => {
  test.each([0, 0.25, 0.999_999])('is at most 10 %% late and never early (random %d)', (random) => {
    for (const [index, plannedMs] of RETRY_WAITS_MS.entries()) {
      const result = after(index + 1, {}, random);
      expect(result).toMatchObject({ next: 'retry' });
      const { waitMs } = result as { waitMs: number };
      expect(waitMs).toBeGreaterThanOrEqual(plannedMs);
      expect(waitMs).toBeLessThanOrEqual(plannedMs * 1.1);
    }
  });

  test.each<[string, object, number]>([
    ['absent', {}, MINUTE],
    ['shorter than planned', { status: 429, retryAfterMs: 10_000 }, MINUTE],
    ['longer than planned', { status: 429, retryAfterMs: 90_000 }, 90_000],
    ['on 503', { status: 503, retryAfterMs: 90_000 }, 90_000],
    ['more than twice as long', { status: 503, retryAfterMs: HOUR }, 2 * MINUTE],
    ['on another status', { status: 500, retryAfterMs: 90_000 }, MINUTE],
  ])('Retry-After: %s', (_what, more, waitMs) => expect(after(1, more)).toMatchObject({ waitMs }));
});

describe('a due attempt', () => {
  const due = (attempt: number, more: object = {}) => ({
    attempt,
    kind: 'event' as const,
    superseded: false,
    ...more,
  });
  test.each([1, 2, 3, 4, 5])('attempt %d is skipped when the webhook is disabled', (attempt) =>
    expect(decideBeforeAttempt(due(attempt), 'disabled')).toBe('skipped'),
  );
  test('the retry after 24 h is made only when the webhook is active again', () => {
    expect(decideBeforeAttempt(due(6), 'active')).toBe('send');
    expect(decideBeforeAttempt(due(6), 'disabled')).toBe('exhausted');
  });
  test.each<[string, object, 'active' | 'disabled' | 'gone', string]>([
    ['of a removed webhook', {}, 'gone', 'canceled'],
    ['of a superseded event', { superseded: true }, 'active', 'superseded'],
    ['of a replay to a disabled webhook', { kind: 'replay' }, 'disabled', 'send'],
    ['of a replay of a superseded event', { kind: 'replay', superseded: true }, 'active', 'send'],
    ['of a replay to a removed webhook', { kind: 'replay' }, 'gone', 'canceled'],
    ['of a one-off delivery', { kind: 'one_off' }, 'gone', 'send'],
  ])('%s', (_what, more, state, verdict) => expect(decideBeforeAttempt(due(1, more), state)).toBe(verdict));
});
