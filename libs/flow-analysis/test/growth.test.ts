// Twice the flow takes about twice the work: analysis and comparison are never quadratic in the
// definition.
import { expect, test } from '@jest/globals';
import { diffFlows, validateFlow } from '../src/index.ts';
import type { FlowModel } from '@parley/flow-engine';
import { modelOf } from '@parley/flow-engine/testing';

const day = (place: number): string => new Date(Date.UTC(1900, 0, 1 + place)).toISOString().slice(0, 10);
const branching = (count: number, edge: (place: number) => object): FlowModel =>
  modelOf(
    [
      { id: 'b', type: 'branch' },
      { id: 'e', type: 'end' },
    ],
    [
      ...Array.from({ length: count }, (_, place) => ({ source: 'b', target: 'e', ...edge(place) })),
      { source: 'b', target: 'e', default: true },
    ],
  );

const flows: Readonly<Record<string, (count: number) => FlowModel>> = {
  'dates in order': (count) => branching(count, (place) => ({ variable: 'x', op: 'gt', value: day(place) })),
  'stretches of dates': (count) =>
    branching(count, (place) => ({ variable: 'x', op: 'between', value: [day(place), day(place + 1)] })),
  numbers: (count) => branching(count, (place) => ({ variable: '_attempts', op: 'gte', value: place })),
  'sought texts': (count) =>
    branching(count, (place) => ({ variable: 'x', op: 'contains', value: `t${place}` })),
  'case-sensitive texts': (count) =>
    branching(count, (place) => ({
      variable: 'x',
      op: 'eq',
      case_sensitive: place % 2 === 0,
      value: `T${place}`,
    })),
  'truth values': (count) =>
    branching(count, (place) => ({
      variable: 'x',
      op: place % 2 ? 'is_true' : 'eq',
      value: place % 3 ? '1' : 'yes',
    })),
  'lists of numbers': (count) =>
    branching(1, () => ({
      variable: 'x',
      op: 'in',
      value: Array.from({ length: 4 * count }, (_, place) => place),
    })),
  'long paths': (count) =>
    branching(count, (place) => ({ variable: `a.b.c.d.e.f${place}.g.h.i.j`, op: 'exists' })),
  'costly patterns': (count) =>
    branching(count, (place) => ({ variable: 'x', op: 'matches', value: `(?:a?){999}${place}` })),
};

const size = 4_000;
/**
 * Relative to the time of half the size: allows for a busy machine, but not for a square (four
 * times).
 */
const growthMax = 3.2;
/** Shorter times are noise. */
const floorMs = 150;

/** CPU time, so that other processes do not count. */
function msOf(work: () => unknown): number {
  const times = [1, 2].map(() => {
    const started = process.cpuUsage();
    work();
    return process.cpuUsage(started).user / 1000;
  });
  return Math.max(floorMs, Math.min(...times));
}

test.each(Object.keys(flows))('validate and diff: %s', (name) => {
  const [half, whole] = [flows[name]!(size), flows[name]!(2 * size)];
  validateFlow(half, { stepsMax: 200 });
  const validating = [half, whole].map((flow) => msOf(() => validateFlow(flow, { stepsMax: 200 })));
  expect(validating[1]! / validating[0]!).toBeLessThan(growthMax);
  const comparing = [half, whole].map((flow) => msOf(() => diffFlows(flow, flow)));
  expect(comparing[1]! / comparing[0]!).toBeLessThan(growthMax);
});
