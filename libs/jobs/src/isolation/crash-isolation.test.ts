// Isolated work never has company, and no work waits for long.
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { createCrashIsolation, MOMENT_MS } from './crash-isolation.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('any arrivals: nothing runs beside isolated work, and all work gets its turn', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ isolated: fc.boolean(), turns: fc.nat(3), wait: fc.nat(2) }), { maxLength: 30 }),
      async (comings) => {
        const isolation = createCrashIsolation();
        let [concurrent, isolated, done] = [0, 0, 0];
        const all: Promise<void>[] = [];
        for (const one of comings) {
          const work = async () => {
            if (one.isolated) isolated += 1;
            else concurrent += 1;
            for (let left = one.turns; left >= 0; left -= 1) {
              expect(isolated > 1 || (isolated === 1 && concurrent > 0)).toBe(false);
              await turn();
            }
            if (one.isolated) isolated -= 1;
            else concurrent -= 1;
            done += 1;
          };
          all.push(one.isolated ? isolation.runIsolated('a', work) : isolation.runConcurrent(work));
          for (let left = one.wait; left > 0; left -= 1) await turn();
        }
        await Promise.all(all);
        expect(done).toBe(comings.length);
      },
    ),
  );
});

test('further isolated work runs next, then waiting work; a failure blocks nothing', async () => {
  const isolation = createCrashIsolation();
  const order: string[] = [];
  const does = (name: string) => async () => void order.push(name);
  const failing = isolation.runIsolated('a', async () => {
    await turn();
    await turn();
    order.push('first isolated');
    throw new Error('failed');
  });
  const failed = expect(failing).rejects.toThrow('failed');
  await turn();
  const rest = [
    isolation.runIsolated('a', does('second isolated')),
    isolation.runConcurrent(does('concurrent')),
  ];
  await failed;
  await Promise.all(rest);
  expect(order).toEqual(['first isolated', 'second isolated', 'concurrent']);
});

describe('with time', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Advances the time in steps of a tenth of a moment. */
  async function pass(moments: number): Promise<void> {
    for (let left = moments * 10; left > 0; left -= 1) {
      await turn();
      jest.advanceTimersByTime(MOMENT_MS / 10);
    }
    await turn();
  }

  test('work that waits for an answer longer than a moment blocks nothing', async () => {
    const isolation = createCrashIsolation();
    const isolated: string[] = [];
    void isolation.runConcurrent(() => new Promise(() => undefined));
    void isolation.runIsolated('a', async () => void isolated.push('isolated'));
    await pass(0.5);
    expect(isolated).toEqual([]);
    await pass(1);
    expect(isolated).toEqual(['isolated']);
  });

  test('after a moment of isolated work, concurrent work gets as long', async () => {
    const isolation = createCrashIsolation();
    const order: string[] = [];
    for (const name of ['one', 'two', 'three', 'four']) {
      void isolation.runIsolated('a', async () => {
        await new Promise((resolve) => setTimeout(resolve, MOMENT_MS / 2));
        order.push(name);
      });
    }
    void isolation.runConcurrent(async () => void order.push('concurrent'));
    await pass(1.5);
    void isolation.runConcurrent(async () => void order.push('concurrent later'));
    await pass(4);
    expect(order).toEqual(['one', 'two', 'concurrent', 'concurrent later', 'three', 'four']);
  });

  test('the organisation with the least isolated time goes first', async () => {
    const isolation = createCrashIsolation();
    const order: string[] = [];
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, MOMENT_MS));
      order.push('slow');
    };
    for (let count = 0; count < 3; count += 1) void isolation.runIsolated('a', slow);
    for (const name of ['quick', 'also']) void isolation.runIsolated('b', async () => void order.push(name));
    await pass(6);
    expect(order).toEqual(['slow', 'quick', 'also', 'slow', 'slow']);
  });

  test('isolated work does not wait for work that has run longer than a moment', async () => {
    const isolation = createCrashIsolation();
    const isolated: string[] = [];
    void isolation.runConcurrent(() => new Promise(() => undefined));
    await pass(1.1);
    void isolation.runConcurrent(() => Promise.reject(new Error('failed'))).catch(() => undefined);
    void isolation.runIsolated('a', async () => void isolated.push('isolated'));
    await pass(0.1);
    expect(isolated).toEqual(['isolated']);
  });
});
