import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { NoPlace } from './fair-queue.ts';
import { createFairQueue, type FairQueueOptions } from './fair-queue.ts';
import { markServed } from './recently-served.ts';

/** Work that ends when the test says so. */
function open(options: FairQueueOptions) {
  const queue = createFairQueue(options);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (organizationId: string, name = organizationId): Promise<string> =>
    queue
      .run(organizationId, () => {
        begun.push(name);
        return new Promise<string>((resolve) => ends.push(() => resolve('done')));
      })
      .catch((error: unknown) => (error as NoPlace).reason);
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const endNext = async () => {
    ends.shift()?.();
    await settle();
  };
  return { queue, begun, ask, endNext, settle };
}

test('organisations take turns, and one has at most its places', async () => {
  const { begun, ask, endNext, settle } = open({ places: 2, placesOfOne: 1 });
  const all = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) => ask(name[0]!, name));
  await settle();
  expect(begun).toEqual(['a1', 'b1']);
  for (let ended = 0; ended < 5; ended += 1) await endNext();
  expect(await Promise.all(all)).toEqual(Array.from({ length: 5 }, () => 'done'));
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
});

/** Keeps the processor busy. */
const spin = (ms: number) => {
  for (const endsMs = performance.now() + ms; performance.now() < endsMs;);
};
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('while others wait, an organisation rests a multiple of its processor time, not of its waiting time', async () => {
  const { begun, ask, endNext, settle } = open({ places: 1, placesOfOne: 1, restFactor: 8 });
  const all = ['a1', 'a2', 'b1', 'b2'].map((name) => ask(name[0]!, name));
  await sleep(200); // idle time costs nothing
  await endNext();
  expect(begun).toEqual(['a1', 'b1']);
  spin(100);
  await endNext();
  expect(begun).toEqual(['a1', 'b1', 'a2']);
  await endNext();
  expect(begun).toEqual(['a1', 'b1', 'a2']);
  await sleep(100);
  expect(begun).toEqual(['a1', 'b1', 'a2']);
  await sleep(1_500);
  expect(begun).toEqual(['a1', 'b1', 'a2', 'b2']);
  await endNext();
  await settle();
  expect(await Promise.all(all)).toEqual(['done', 'done', 'done', 'done']);
});

test('a single organisation does not rest; with others served by the process it rests until they are gone for a second', async () => {
  const { begun, ask, endNext } = open({ places: 1, placesOfOne: 1, restFactor: 60 });
  const all = ['a1', 'a2', 'a3'].map((name) => ask('alone', name));
  await sleep(1_100); // those of other tests
  spin(100);
  await endNext();
  expect(begun).toEqual(['a1', 'a2']);
  markServed('another');
  spin(100);
  await endNext();
  await sleep(300);
  expect(begun).toEqual(['a1', 'a2']);
  await sleep(900);
  expect(begun).toEqual(['a1', 'a2', 'a3']);
  await endNext();
  expect(await Promise.all(all)).toEqual(['done', 'done', 'done']);
});

test('the organisation with the least processor time goes first', async () => {
  const { begun, ask, endNext } = open({ places: 1, placesOfOne: 1 });
  const all = ['a1', 'a2', 'b1', 'b2', 'b3', 'b4'].map((name) => ask(name[0]!, name));
  await sleep(0);
  spin(60);
  for (let ended = 0; ended < 6; ended += 1) await endNext();
  await Promise.all(all);
  expect(begun).toEqual(['a1', 'b1', 'b2', 'b3', 'b4', 'a2']);
});

test('time counted elsewhere replaces that of the main thread', async () => {
  const queue = createFairQueue({ places: 1, placesOfOne: 1 });
  const begun: string[] = [];
  const work = (name: string, ms: number) =>
    queue.run(name[0]!, async (countCpu) => {
      begun.push(name);
      await sleep(5);
      countCpu(ms);
    });
  await Promise.all([work('a1', 1_000), work('a2', 0), work('b1', 400), work('b2', 400), work('b3', 0)]);
  expect(begun).toEqual(['a1', 'b1', 'b2', 'b3', 'a2']);
});

test('failed work frees its place', async () => {
  const queue = createFairQueue({ places: 1, placesOfOne: 1 });
  await expect(queue.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await queue.run('a', () => Promise.resolve(1))).toBe(1);
});

test('too many wait, or for too long, or the queue is closed', async () => {
  const { ask, queue, endNext } = open({
    places: 1,
    placesOfOne: 1,
    waitingOfOne: 1,
    waiting: 2,
    waitMs: 30,
  });
  const first = ask('a');
  const waits = [ask('a'), ask('b')];
  expect(await ask('a')).toBe('too_many_of_one');
  expect(await ask('c')).toBe('too_many');
  expect(await Promise.all(waits)).toEqual(['too_late', 'too_late']);
  const last = ask('b');
  queue.close();
  expect([await last, await ask('a')]).toEqual(['closed', 'closed']);
  await endNext();
  expect(await first).toBe('done');
});

test('any requests: no organisation exceeds its share, and all work is done once', async () => {
  const asked = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(
      asked,
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 3 }),
      async (...given) => {
        const [organizations, places, placesOfOne] = given;
        const queue = createFairQueue({ places, placesOfOne });
        const now = new Map<string, number>();
        const work = (name: string) => async () => {
          now.set(name, (now.get(name) ?? 0) + 1);
          expect(now.get(name)).toBeLessThanOrEqual(placesOfOne);
          expect([...now.values()].reduce((sum, count) => sum + count)).toBeLessThanOrEqual(places);
          await new Promise((resolve) => setImmediate(resolve));
          now.set(name, now.get(name)! - 1);
          return name;
        };
        const done = await Promise.all(organizations.map((name) => queue.run(name, work(name))));
        expect(done).toEqual(organizations);
      },
    ),
    { numRuns: 50 },
  );
});

test('a rest ends in time for waiting work', async () => {
  const { begun, ask, endNext, settle } = open({ places: 1, placesOfOne: 1, restFactor: 60, waitMs: 2_000 });
  const all = ['a1', 'a2'].map((name) => ask('a', name));
  await settle();
  markServed('another');
  spin(100); // six seconds of rest without the limit
  await endNext();
  const others = setInterval(markServed, 200, 'another');
  await sleep(600);
  expect(begun).toEqual(['a1']);
  await sleep(600);
  clearInterval(others);
  expect(begun).toEqual(['a1', 'a2']);
  await endNext();
  expect(await Promise.all(all)).toEqual(['done', 'done']);
});
