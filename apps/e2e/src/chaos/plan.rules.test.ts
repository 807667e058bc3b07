import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FAULT_KINDS, listFaultKinds, planFaults, seededRandom, TOPOLOGIES } from './plan.rules.ts';

const seed = fc.nat({ max: 2 ** 32 - 1 });

describe('a plan', () => {
  test('is the same for the same seed, and another for another', () => {
    expect(planFaults(7, 60)).toEqual(planFaults(7, 60));
    expect(planFaults(7, 60)).not.toEqual(planFaults(8, 60));
  });

  test('has faults in sequence that all end before the load', () => {
    fc.assert(
      fc.property(seed, fc.integer({ min: 1, max: 300 }), (given, seconds) => {
        let freeFromMs = 0;
        for (const { atMs, durationMs } of planFaults(given, seconds)) {
          expect(atMs).toBeGreaterThanOrEqual(freeFromMs);
          freeFromMs = atMs + durationMs;
        }
        expect(freeFromMs).toBeLessThan(seconds * 1000);
      }),
    );
  });

  test('has each requested kind once before any repeats, and no other kind', () => {
    fc.assert(
      fc.property(seed, (given) => {
        const kinds = planFaults(given, 300).map(({ kind }) => kind);
        expect(new Set(kinds.slice(0, FAULT_KINDS.length)).size).toBe(FAULT_KINDS.length);
        const some = planFaults(given, 60, ['redis_flushed', 'redis_killed']).map(({ kind }) => kind);
        expect(new Set(some)).toEqual(new Set(['redis_flushed', 'redis_killed']));
      }),
    );
  });

  test('kills every replica of every service, over many seeds', () => {
    const targets = Array.from({ length: 100 }, (_, given) => planFaults(given, 60)).flat();
    const killed = targets.filter(({ kind }) => kind === 'replica_killed').map(({ target }) => target);
    expect(new Set(killed.map(({ service, replica }) => `${service} ${replica}`)).size).toBe(6);
  });

  test('has every fault of Redis that the topology allows', () => {
    expect(listFaultKinds('single')).not.toContain('redis_failed_over');
    expect(listFaultKinds('single', false)).not.toContain('redis_disk_full');
    expect(listFaultKinds('sentinel')).toContain('redis_failed_over');
    expect(listFaultKinds('cluster')).toEqual(expect.arrayContaining(['redis_failed_over', 'redis_away']));
    expect(new Set(TOPOLOGIES.flatMap((topology) => listFaultKinds(topology)))).toEqual(new Set(FAULT_KINDS));
  });

  test('omits a fault that lasts longer than the load, and continues with the others', () => {
    const kinds = planFaults(3, 25, ['replica_frozen', 'redis_flushed']).map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['redis_flushed']));
    expect(kinds.length).toBeGreaterThan(2);
  });

  test('is empty for a run that is too short', () => {
    expect(planFaults(1, 3)).toEqual([]);
  });
});

test('random numbers are spread over [0, 1)', () => {
  const random = seededRandom(1);
  const numbers = Array.from({ length: 10_000 }, random);
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...numbers)).toBeLessThan(1);
  for (let tenth = 0; tenth < 10; tenth += 1)
    expect(numbers.filter((number) => Math.floor(number * 10) === tenth).length).toBeGreaterThan(900);
});
