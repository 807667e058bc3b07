// Rows of one entry: what cannot be attempted now goes back as it was claimed.
import { expect, test } from '@jest/globals';
import { createCompany } from './company.ts';
import { createWorkInHand, type WorkEntry } from './work-in-hand.ts';
import type { WorkRow, WorkTable } from './work-table.ts';

test('what a lane sends back at once is released and rung for, and not removed as a row without work', async () => {
  const calls: string[] = [];
  const row = (id: string): WorkRow => ({ id, rings: 1, dueAt: new Date() });
  const table = {
    table: 'memory',
    company: createCompany(),
    unclaimed: async () => ({ suspects: [], left: [] }),
    abandon: async () => undefined,
    leaseMs: 10_000,
    release: async (ids: readonly string[]) => (calls.push(`release ${ids.join()}`), ids.map(row)),
    ring: async (rows: readonly WorkRow[]) => (calls.push(`ring ${rows.map(({ id }) => id).join()}`), rows),
    remove: async (ids: readonly string[]) => void calls.push(`remove ${ids.join()}`),
    renew: async (ids: readonly string[]) => new Set(ids),
  } as unknown as WorkTable<WorkRow>;
  let now = 0;
  let end = (): void => undefined;
  const hand = createWorkInHand<WorkRow, WorkEntry>({
    table,
    clock: () => now,
    log: { warn: () => undefined } as never,
    placesMax: 10,
    entriesPerTake: 2,
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
  await hand.take(['first'], signal);
  now = 1;
  await hand.take(['second', 'empty'], signal);
  await new Promise((resolve) => setImmediate(resolve));
  expect(calls.sort()).toEqual(['release second', 'remove empty', 'ring second']);
  end();
  await hand.close();
});
