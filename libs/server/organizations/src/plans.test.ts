import { expect, test } from '@jest/globals';
import { SERVICES } from '@parley/server/runtime';
import { getCaps, getLimits, PLANS, type Plan } from './plans.ts';

test.each<[Plan, number | null, number | null, number | null, number | null]>([
  ['starter', null, null, 60, 10], // docs/platform.md#plans-and-limits
  ['pro', null, null, 300, 50],
  ['enterprise', null, null, null, null],
  ['enterprise', 5_000, null, 5_000, null],
  ['enterprise', null, 200, null, 200],
  ['starter', 90, 1, 90, 1],
])('%s with %p and %p of its own: %p a minute, %p at once', (plan, ownRate, ownAtOnce, rate, atOnce) => {
  const own = { plan, requestsPerMinute: ownRate, concurrentConnections: ownAtOnce, notifyPerMinute: null };
  expect(getLimits('voice-api', own)).toEqual({ requestsPerMinute: rate, concurrentConnections: atOnce });
});

test.each<[Plan, number | null, number | null]>([
  ['starter', null, 60_000],
  ['pro', null, 300_000],
  ['enterprise', null, null],
  ['enterprise', 5_000, 5_000],
  ['starter', 90, 90],
])('%s with %p of its own: %p sends a minute', (plan, notifyPerMinute, sends) => {
  const own = { plan, requestsPerMinute: null, concurrentConnections: null, notifyPerMinute };
  expect(getLimits('notifications', own).notifyPerMinute).toBe(sends);
  expect(getLimits('flow-builder', own).notifyPerMinute).toBeUndefined();
});

test.each(SERVICES)('%s: a larger plan allows no less', (service) => {
  const [starter, pro, enterprise] = PLANS.map((plan) => Object.entries(getCaps(service, plan)));
  for (const [index, [cap, number]] of starter!.entries()) {
    const rising = [number, pro![index]![1], enterprise![index]![1]];
    expect([cap, rising]).toEqual([cap, rising.toSorted((a, b) => a - b)]);
  }
});
