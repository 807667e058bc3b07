import { expect, test } from '@jest/globals';
import { measureConsumption } from './consumption.rules.ts';

const waiting = (atMs: number, queue = 'a') => ({ queue, atMs, event: 'waiting' });
const active = (atMs: number, queue = 'a') => ({ queue, atMs, event: 'active' });

test('the slowest queue counts, from its first job after the fault', () => {
  const events = [active(50), waiting(100), active(130), waiting(200, 'b'), active(900, 'b'), waiting(300)];
  expect(measureConsumption(100, 2_000, 15, events)).toEqual({ queue: 'b', ms: 700 });
});

test('a job from before the fault counts from its end', () => {
  expect(measureConsumption(100, 2_000, 15, [waiting(90), active(160)])).toEqual({ queue: 'a', ms: 60 });
});

test('reports a queue that is never consumed, unless its job came too late to judge', () => {
  expect(measureConsumption(100, 2_000, 15, [waiting(110)])).toEqual({ queue: 'a', ms: null });
  expect(measureConsumption(100, 2_000, 15, [waiting(1_990)])).toBeUndefined();
  expect(measureConsumption(100, 2_000, 15, [])).toBeUndefined();
});
