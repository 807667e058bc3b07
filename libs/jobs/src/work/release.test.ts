// Rows of one entry: what cannot be attempted now is released as it was claimed.
import { expect, test } from '@jest/globals';
import { createCrashIsolation } from '../isolation/crash-isolation.ts';
import type { WorkEntry } from './work-entries.ts';
import { createWorkInFlight } from './work-in-flight.ts';
import type { WorkRow, WorkTable } from './work-rows.ts';

test('an entry that a lane defers immediately is released and enqueued, not removed as a row without work', async () => {
  const calls: string[] = [];
  const row = (id: string): WorkRow => ({ id, rings: 1, dueAt: new Date() });
  const table = {
    table: 'memory',
    isolation: createCrashIsolation(),
    explainUnclaimed: async () => ({ suspected: [], unfit: [] }),
    abandon: async () => undefined,
    leaseMs: 10_000,
    release: async (ids: readonly string[]) => {
      calls.push(`release ${ids.join()}`);
      return ids.map(row);
    },
    enqueue: async (rows: readonly WorkRow[]) => {
      calls.push(`enqueue ${rows.map(({ id }) => id).join()}`);
      return rows;
    },
    remove: async (ids: readonly string[]) => void calls.push(`remove ${ids.join()}`),
    renew: async (ids: readonly string[]) => new Set(ids),
  } as unknown as WorkTable<WorkRow>;
  let now = 0;
  let end = (): void => undefined;
  const work = createWorkInFlight<WorkRow, WorkEntry>({
    table,
    clock: () => now,
    log: { warn: () => undefined } as never,
    placesMax: 10,
    entriesPerClaim: 2,
    pauseMs: 1_000,
    limits: { concurrencyMax: 1, patienceMs: 0 },
    claim: async (ids) => ({
      rowIds: ids,
      entries: ids
        .filter((id) => id !== 'empty')
        .map((rowId) => ({ rowId, organizationId: 'a', receiver: 'r', retry: false })),
    }),
    attempt: () => new Promise((resolve) => (end = () => resolve(null))),
  });
  const { signal } = new AbortController();
  await work.accept(['first'], signal);
  now = 1;
  await work.accept(['second', 'empty'], signal);
  await new Promise((resolve) => setImmediate(resolve));
  expect(calls.sort()).toEqual(['enqueue second', 'release second', 'remove empty']);
  end();
  await work.close();
});
