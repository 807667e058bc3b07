// The clock that the database corrects, without a wrong machine clock.
import { afterEach, expect, jest, test } from '@jest/globals';
import { createDatabaseClock, type DatabaseClock, type Sql } from './index.ts';

const HOUR_MS = 3_600_000;
let clock: DatabaseClock;
afterEach(() => {
  clock.close();
  jest.restoreAllMocks();
});

/** A database whose clock is ahead of this machine's. */
const database = (aheadMs: number) => (async () => [{ ms: Date.now() + aheadMs }]) as unknown as Sql;

test.each([
  ['the same', 0, 0],
  ['as far as a query takes', 200, 0],
  ['an hour ahead', HOUR_MS, HOUR_MS],
  ['an hour behind', -HOUR_MS, -HOUR_MS],
])('the database is %s', async (_, aheadMs, correctedMs) => {
  clock = createDatabaseClock();
  const wrong: number[] = [];
  await clock.watch(database(aheadMs), (ms) => wrong.push(ms));
  expect(Math.abs(clock.now() - Date.now() - correctedMs)).toBeLessThan(100);
  expect(clock.isRight()).toBe(Math.abs(aheadMs) <= 5_000);
  expect(wrong).toHaveLength(clock.isRight() ? 0 : 1);
});

test('an unavailable database changes nothing', async () => {
  clock = createDatabaseClock();
  await clock.watch(
    async () => Promise.reject(new Error('away')),
    () => undefined,
  );
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(100);
  expect(clock.isRight()).toBe(true);
});

test("the machine's clock is set between two measurements", async () => {
  clock = createDatabaseClock();
  await clock.watch(database(0), () => undefined);
  const realMs = Date.now();
  jest.spyOn(Date, 'now').mockReturnValue(realMs + HOUR_MS);
  expect(Math.abs(clock.now() - realMs)).toBeLessThan(1_000);
});
