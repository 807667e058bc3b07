import { describe, expect, test } from '@jest/globals';
import { computeFloor, isGrowing, sumMetric, computeTrend, type Sample } from './slope.rules.ts';

const samples = (count: number, value: (at: number) => number): Sample[] =>
  Array.from({ length: count }, (_, index) => ({ at: index * 5, value: value(index * 5) }));

describe('a trend', () => {
  test('is the growth in an hour, without the warm-up', () => {
    const leaking = samples(60, (at) => 100 + at / 36);
    expect(computeTrend(leaking).perHour).toBeCloseTo(100);
    const warmingUp = samples(60, (at) => (at < 60 ? at : 60));
    expect(computeTrend(warmingUp).perHour).toBe(0);
    expect(computeTrend(warmingUp)).toMatchObject({ first: 0, last: 60, largest: 60, warmUp: 60 });
  });

  test('ignores the saw-tooth of garbage collection', () => {
    const sawtooth = samples(120, (at) => 200 + (at % 35));
    expect(Math.abs(computeTrend(sawtooth).perHour!)).toBeLessThan(20);
    const withLeak = samples(120, (at) => 200 + (at % 35) + at / 36);
    expect(computeTrend(withLeak).perHour!).toBeGreaterThan(80);
  });

  test('is unknown with too few samples, and then nothing grows', () => {
    const few = computeTrend(samples(4, (at) => at));
    expect(few.perHour).toBeNull();
    expect(isGrowing(few, 20, { share: 0, atLeast: 0 })).toBe(false);
  });

  test('grows when it exceeds the tolerance in the watched time', () => {
    const trend = { first: 100, last: 110, largest: 110, warmUp: 100, perHour: 60 };
    expect(isGrowing(trend, 600, { share: 0.05, atLeast: 1 })).toBe(true);
    expect(isGrowing(trend, 600, { share: 0.2, atLeast: 1 })).toBe(false);
    expect(isGrowing(trend, 600, { share: 0.05, atLeast: 11 })).toBe(false);
    expect(isGrowing({ ...trend, warmUp: 110 }, 600, { share: 0, atLeast: 0 })).toBe(false);
    expect(isGrowing({ ...trend, perHour: -60 }, 600, { share: 0, atLeast: 0 })).toBe(false);
  });
});

test('the floor is the minimum of each whole group', () => {
  const sawtooth = samples(30, (at) => 200 + (at % 35) + at);
  expect(computeFloor(sawtooth, 7).map(({ at, value }) => [at, value])).toEqual([
    [0, 200],
    [35, 235],
    [70, 270],
    [105, 305],
  ]);
  expect(computeFloor(sawtooth.slice(0, 6), 7)).toEqual([]);
});

test('a metric is summed over its labels', () => {
  const text = [
    '# HELP jobs Jobs',
    'jobs{queue="a",state="waiting"} 2',
    'jobs{queue="b",state="waiting"} 3',
    'jobs{queue="b",state="active"} 7',
    'jobs_more 9',
    'memory_bytes 1.5e3',
  ].join('\n');
  expect(sumMetric(text, 'jobs', { state: 'waiting' })).toBe(5);
  expect(sumMetric(text, 'jobs')).toBe(12);
  expect(sumMetric(text, 'memory_bytes')).toBe(1500);
  expect(sumMetric(text, 'nothing')).toBeNull();
});
