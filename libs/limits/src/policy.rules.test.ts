import { describe, expect, test } from '@jest/globals';
import {
  headersOf,
  headersOfBoth,
  isUnlimited,
  refusalOf,
  UNLIMITED,
  type Policy,
  type Reading,
} from './policy.rules.ts';

const starter: Policy = { name: 'starter', requests: 60, windowMs: 60_000, concurrent: 10 };
const unlimited: Policy = { name: 'enterprise', requests: null, windowMs: 60_000, concurrent: null };
const admitted: Reading = { refusedBy: null, counted: 3, inFlight: 1, resetMs: 40_001 };

describe('headersOf', () => {
  test('says policy, what is left and when there is more', () => {
    expect(headersOf(starter, admitted, 1_000_000, false)).toEqual({
      'ratelimit-policy': '"starter";q=60;w=60, "concurrency";q=10;qu="concurrent-requests"',
      ratelimit: '"starter";r=57;t=41, "concurrency";r=9',
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '57',
      'x-ratelimit-reset': '1041',
    });
  });

  test('says that it counts by itself when Redis is away', () => {
    expect(headersOf(starter, admitted, 0, true)).toMatchObject({ 'x-ratelimit-mode': 'degraded' });
  });

  test('leaves nothing, not less, after a plan was lowered', () => {
    const over = { ...admitted, counted: 200, inFlight: 40 };
    expect(headersOf(starter, over, 0, false)).toMatchObject({
      ratelimit: '"starter";r=0;t=41, "concurrency";r=0',
      'x-ratelimit-remaining': '0',
    });
  });

  test('states the greatest number there is where nothing is limited', () => {
    expect(isUnlimited(unlimited)).toBe(true);
    expect(headersOf(unlimited, { ...admitted, resetMs: 0 }, 1_000_000, false)).toEqual({
      'ratelimit-policy': `"enterprise";q=${UNLIMITED};w=60`,
      ratelimit: `"enterprise";r=${UNLIMITED}`,
      'x-ratelimit-limit': String(UNLIMITED),
      'x-ratelimit-remaining': String(UNLIMITED),
      'x-ratelimit-reset': '1000',
    });
  });
});

describe('headersOfBoth', () => {
  const sends: Policy = { name: 'notify', unit: 'sends', requests: 500, windowMs: 60_000, concurrent: null };
  const requests = headersOf(starter, admitted, 0, false);
  const second = headersOf(sends, { ...admitted, counted: 100, inFlight: 0 }, 0, true);

  test('two policies hold, and what counts by itself says so', () => {
    expect(headersOfBoth(requests, second, false)).toEqual({
      ...requests,
      'ratelimit-policy': `${requests['ratelimit-policy']}, "notify";q=500;w=60;qu="sends"`,
      ratelimit: `${requests['ratelimit']}, "notify";r=400;t=41`,
      'x-ratelimit-mode': 'degraded',
    });
  });

  test('a refusal speaks of what refused', () => {
    const both = headersOfBoth(requests, second, true);
    expect([both['x-ratelimit-limit'], both['x-ratelimit-remaining']]).toEqual(['500', '400']);
    expect(refusalOf(sends, { ...admitted, refusedBy: 'rate' }, both).message).toMatch(/make 500 sends in/);
  });
});

describe('refusalOf', () => {
  test.each([
    [1, '1'],
    [1_000, '1'],
    [1_001, '2'],
    [59_999, '60'],
  ])('rate, %i ms: Retry-After %s', (resetMs, seconds) => {
    const refusal = refusalOf(starter, { refusedBy: 'rate', counted: 60, inFlight: 2, resetMs }, {});
    expect(refusal).toMatchObject({ code: 'rate_limited', headers: { 'retry-after': seconds } });
    expect(refusal.details).toMatchObject({ policy: 'starter', limit: 60, window_seconds: 60 });
  });

  test('concurrency: a second', () => {
    const refusal = refusalOf(
      starter,
      { refusedBy: 'concurrency', counted: 0, inFlight: 10, resetMs: 5_000 },
      {},
    );
    expect(refusal).toMatchObject({ code: 'concurrency_limited', headers: { 'retry-after': '1' } });
  });
});
