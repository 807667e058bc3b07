import { describe, expect, test } from '@jest/globals';
import {
  buildHeaders,
  joinHeaders,
  isUnlimited,
  createRefusal,
  UNLIMITED,
  type Policy,
  type Reading,
} from './policy.rules.ts';

const starter: Policy = { name: 'starter', requests: 60, windowMs: 60_000, concurrent: 10 };
const unlimited: Policy = { name: 'enterprise', requests: null, windowMs: 60_000, concurrent: null };
const admitted: Reading = { refusedBy: null, counted: 3, inFlight: 1, resetMs: 40_001 };

describe('headersOf', () => {
  test('reports the policy, what is left and when there is more', () => {
    expect(buildHeaders(starter, admitted, 1_000_000, false)).toEqual({
      'ratelimit-policy': '"starter";q=60;w=60, "concurrency";q=10;qu="concurrent-requests"',
      ratelimit: '"starter";r=57;t=41, "concurrency";r=9',
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '57',
      'x-ratelimit-reset': '1041',
    });
  });

  test('reports local counting when Redis is away', () => {
    expect(buildHeaders(starter, admitted, 0, true)).toMatchObject({ 'x-ratelimit-mode': 'degraded' });
  });

  test('leaves nothing, never less, after a plan was lowered', () => {
    const over = { ...admitted, counted: 200, inFlight: 40 };
    expect(buildHeaders(starter, over, 0, false)).toMatchObject({
      ratelimit: '"starter";r=0;t=41, "concurrency";r=0',
      'x-ratelimit-remaining': '0',
    });
  });

  test('reports the greatest number when nothing is limited', () => {
    expect(isUnlimited(unlimited)).toBe(true);
    expect(buildHeaders(unlimited, { ...admitted, resetMs: 0 }, 1_000_000, false)).toEqual({
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
  const requests = buildHeaders(starter, admitted, 0, false);
  const second = buildHeaders(sends, { ...admitted, counted: 100, inFlight: 0 }, 0, true);

  test('with two policies, local counting is reported', () => {
    expect(joinHeaders(requests, second, false)).toEqual({
      ...requests,
      'ratelimit-policy': `${requests['ratelimit-policy']}, "notify";q=500;w=60;qu="sends"`,
      ratelimit: `${requests['ratelimit']}, "notify";r=400;t=41`,
      'x-ratelimit-mode': 'degraded',
    });
  });

  test('a refusal names the policy that refused', () => {
    const both = joinHeaders(requests, second, true);
    expect([both['x-ratelimit-limit'], both['x-ratelimit-remaining']]).toEqual(['500', '400']);
    expect(createRefusal(sends, { ...admitted, refusedBy: 'rate' }, both).message).toMatch(
      /make 500 sends in/,
    );
  });
});

describe('refusalOf', () => {
  test.each([
    [1, '1'],
    [1_000, '1'],
    [1_001, '2'],
    [59_999, '60'],
  ])('rate, %i ms: Retry-After %s', (resetMs, seconds) => {
    const refusal = createRefusal(starter, { refusedBy: 'rate', counted: 60, inFlight: 2, resetMs }, {});
    expect(refusal).toMatchObject({ code: 'rate_limited', headers: { 'retry-after': seconds } });
    expect(refusal.details).toMatchObject({ policy: 'starter', limit: 60, window_seconds: 60 });
  });

  test('concurrency: a second', () => {
    const refusal = createRefusal(
      starter,
      { refusedBy: 'concurrency', counted: 0, inFlight: 10, resetMs: 5_000 },
      {},
    );
    expect(refusal).toMatchObject({ code: 'concurrency_limited', headers: { 'retry-after': '1' } });
  });
});
