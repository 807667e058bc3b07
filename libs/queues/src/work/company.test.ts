// Who is alone is alone, whoever comes; and nobody waits for long.
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { createCompany, MOMENT_MS } from './company.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('any comings: nobody is beside one who is alone, and all have their turn', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ alone: fc.boolean(), turns: fc.nat(3), wait: fc.nat(2) }), { maxLength: 30 }),
      async (comings) => {
        const company = createCompany();
        let [beside, alone, done] = [0, 0, 0];
        const all: Promise<void>[] = [];
        for (const one of comings) {
          const work = async () => {
            if (one.alone) alone += 1;
            else beside += 1;
            for (let left = one.turns; left >= 0; left -= 1) {
              expect(alone > 1 || (alone === 1 && beside > 0)).toBe(false);
              await turn();
            }
            if (one.alone) alone -= 1;
            else beside -= 1;
            done += 1;
          };
          all.push(one.alone ? company.alone('a', work) : company.beside(work));
          for (let left = one.wait; left > 0; left -= 1) await turn();
        }
        await Promise.all(all);
        expect(done).toBe(comings.length);
      },
    ),
  );
});

test('who wants to be alone as well comes next, then those who waited; a failure holds up nobody', async () => {
  const company = createCompany();
  const order: string[] = [];
  const does = (name: string) => async () => void order.push(name);
  const failing = company.alone('a', async () => {
    await turn();
    await turn();
    order.push('first alone');
    throw new Error('failed');
  });
  const failed = expect(failing).rejects.toThrow('failed');
  await turn();
  const rest = [company.alone('a', does('second alone')), company.beside(does('beside'))];
  await failed;
  await Promise.all(rest);
  expect(order).toEqual(['first alone', 'second alone', 'beside']);
});

describe('with time', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Lets a time pass, a tenth of a moment at once. */
  async function pass(moments: number): Promise<void> {
    for (let left = moments * 10; left > 0; left -= 1) {
      await turn();
      jest.advanceTimersByTime(MOMENT_MS / 10);
    }
    await turn();
  }

  test('who waits for an answer for longer than a moment keeps nobody waiting', async () => {
    const company = createCompany();
    const alone: string[] = [];
    void company.beside(() => new Promise(() => undefined));
    void company.alone('a', async () => void alone.push('alone'));
    await pass(0.5);
    expect(alone).toEqual([]);
    await pass(1);
    expect(alone).toEqual(['alone']);
  });

  test('after a moment of those who are alone, the others go on for as long', async () => {
    const company = createCompany();
    const order: string[] = [];
    for (const name of ['one', 'two', 'three', 'four']) {
      void company.alone('a', async () => {
        await new Promise((resolve) => setTimeout(resolve, MOMENT_MS / 2));
        order.push(name);
      });
    }
    void company.beside(async () => void order.push('beside'));
    await pass(1.5);
    void company.beside(async () => void order.push('beside later'));
    await pass(4);
    expect(order).toEqual(['one', 'two', 'beside', 'beside later', 'three', 'four']);
  });

  test('of two organisations that one comes next which was alone for the shortest time', async () => {
    const company = createCompany();
    const order: string[] = [];
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, MOMENT_MS));
      order.push('slow');
    };
    for (let count = 0; count < 3; count += 1) void company.alone('a', slow);
    for (const name of ['quick', 'also']) void company.alone('b', async () => void order.push(name));
    await pass(6);
    expect(order).toEqual(['slow', 'quick', 'also', 'slow', 'slow']);
  });

  test('nobody waits for those who have been at work for longer than a moment', async () => {
    const company = createCompany();
    const alone: string[] = [];
    void company.beside(() => new Promise(() => undefined));
    await pass(1.1);
    void company.beside(() => Promise.reject(new Error('failed'))).catch(() => undefined);
    void company.alone('a', async () => void alone.push('alone'));
    await pass(0.1);
    expect(alone).toEqual(['alone']);
  });
});
