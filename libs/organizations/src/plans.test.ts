import { expect, test } from '@jest/globals';
import { limitsOf, type Plan } from './plans.ts';

test.each<[Plan, number | null, number | null, number | null, number | null]>([
  ['starter', null, null, 60, 10], // docs/voice-api.md#plans
  ['pro', null, null, 300, 50],
  ['enterprise', null, null, null, null],
  ['enterprise', 5_000, null, 5_000, null],
  ['enterprise', null, 200, null, 200],
  ['starter', 90, 1, 90, 1],
])('%s with %p and %p of its own: %p a minute, %p at once', (plan, ownRate, ownAtOnce, rate, atOnce) => {
  expect(limitsOf({ plan, requestsPerMinute: ownRate, concurrentConnections: ownAtOnce })).toEqual({
    requestsPerMinute: rate,
    concurrentConnections: atOnce,
  });
});
