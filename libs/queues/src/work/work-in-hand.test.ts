// What processes have in hand of a work table, over any receivers: quick ones, slow ones, some that hang; and a Postgres that stands
// still. Time is the test's; the work table is one in memory with the rules of the real one (test/work-table.int.test.ts).
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { createWorkInHand, type WorkEntry, type WorkInHand } from './work-in-hand.ts';
import type { WorkRow, WorkTable } from './work-table.ts';

const LEASE_MS = 10_000;
const TICK_MS = 250;
const PLACES = 40;
const PER_TAKE = 5;
/** As many as a queue's worker has at once. */
const TAKES = 3;
const ROWS_PER_JOB = 2;
const SHARE = 30; // three quarters

beforeEach(() => {
  jest.useFakeTimers({ now: 1_000_000, doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
});

interface Entry extends WorkEntry {
  readonly id: number;
  /** How long its attempt takes. */
  readonly ms: number;
}
type Planned = Pick<Entry, 'organizationId' | 'receiver' | 'retry' | 'ms'>;

interface Row {
  readonly id: string;
  entries: Entry[];
  dueAtMs: number;
  lease: string | null;
  leasedUntilMs: number;
}

interface Process {
  readonly inHand: WorkInHand<Entry>;
  /** Of each organisation, what was claimed and neither finished nor sent back. */
  readonly admitted: Map<string, number>;
  takes: number;
}

/** Rows that processes work off until none is left. */
function createWorld() {
  const rows = new Map<string, Row>();
  const attempted = new Map<number, number>();
  const underWay = new Map<number, number>();
  const startedAtMs = new Map<number, number>();
  const deferrals: { entry: Entry; dueAtMs: number; inDoubt: boolean }[] = [];
  const wrong: string[] = [];
  let ids = 0;
  let postgresIsAway = false;
  const clock = () => Date.now();

  function addRow(planned: readonly Planned[], dueAtMs = clock()): void {
    const id = `row_${(ids += 1)}`;
    const entries = planned.map((one) => ({ ...one, id: (ids += 1), rowId: id }));
    rows.set(id, { id, entries, dueAtMs, lease: null, leasedUntilMs: 0 });
  }

  const ours = (id: string, lease: string) => (rows.get(id)?.lease === lease ? rows.get(id) : undefined);
  const table = {
    table: 'memory',
    leaseMs: LEASE_MS,
    renew: async (asked: readonly string[], lease: string) => {
      if (postgresIsAway) throw new Error('away');
      const held = asked.flatMap((id) => ours(id, lease) ?? []);
      for (const row of held) row.leasedUntilMs = clock() + LEASE_MS;
      return new Set(held.map(({ id }) => id));
    },
    release: async (asked: readonly string[], lease: string) => {
      for (const row of asked.flatMap((id) => ours(id, lease) ?? [])) row.lease = null;
      return [];
    },
    remove: async (asked: readonly string[], lease: string) => {
      for (const id of asked) if (ours(id, lease)) rows.delete(id);
    },
    ring: async () => [],
  } as unknown as WorkTable<WorkRow>;

  const isFree = (row: Row | undefined): row is Row =>
    row !== undefined && row.dueAtMs <= clock() && (row.lease === null || row.leasedUntilMs <= clock());

  function startProcess(): Process {
    const admitted = new Map<string, number>();
    const count = ({ organizationId }: Entry, by: number) => {
      const now = (admitted.get(organizationId) ?? 0) + by;
      admitted.set(organizationId, now);
    };

    const unwritten = new Set<() => void>();
    /** Results are written a moment later: rows of which nothing is left go, as far as they are still ours. */
    function write(entries: readonly Entry[], more: () => void = () => undefined): void {
      const { lease, finishing, finished } = inHand;
      const now = () => {
        if (!unwritten.delete(now)) return;
        more();
        for (const id of finishing(entries)) if (ours(id, lease)) rows.delete(id);
        finished(entries);
      };
      unwritten.add(now);
      setTimeout(now, 20);
    }

    const inHand = createWorkInHand<WorkRow, Entry>({
      table,
      clock,
      log: { warn: () => undefined } as never,
      placesMax: PLACES,
      entriesPerTake: PER_TAKE,
      pauseMs: 3_000,
      claim: async (asked, lease) => {
        const free = asked.map((id) => rows.get(id)).filter(isFree);
        for (const row of free) Object.assign(row, { lease, leasedUntilMs: clock() + LEASE_MS });
        const entries = free.flatMap((row) => row.entries);
        for (const entry of entries) count(entry, 1);
        return { rowIds: free.map(({ id }) => id), entries };
      },
      attempt: async (entry) => {
        const row = ours(entry.rowId, inHand.lease);
        if (!row || row.leasedUntilMs <= clock()) wrong.push(`${entry.id} is attempted without a lease`);
        if (underWay.get(entry.id)) wrong.push(`${entry.id} is attempted twice at once`);
        if (!row?.entries.includes(entry)) wrong.push(`${entry.id} is attempted although it is done`);
        startedAtMs.set(entry.id, startedAtMs.get(entry.id) ?? clock());
        underWay.set(entry.id, 1);
        await new Promise((resolve) => setTimeout(resolve, entry.ms));
        underWay.delete(entry.id);
        count(entry, -1);
        attempted.set(entry.id, (attempted.get(entry.id) ?? 0) + 1);
        if (row) row.entries = row.entries.filter((one) => one !== entry);
        write([entry]);
        return entry.receiver === null ? null : { ms: entry.ms, timedOut: entry.ms >= 3_000 };
      },
      defer: (entries, dueAtMs, inDoubt) => {
        if (dueAtMs <= clock() || dueAtMs > clock() + 60_000) wrong.push(`deferred to ${dueAtMs}`);
        for (const entry of entries) {
          count(entry, -1);
          deferrals.push({ entry, dueAtMs, inDoubt });
        }
        write(entries, () => {
          for (const { rowId } of entries) {
            const row = ours(rowId, inHand.lease);
            if (row) row.entries = row.entries.filter((one) => !entries.includes(one));
          }
          addRow(entries, dueAtMs);
        });
      },
      flush: async () => {
        for (const now of unwritten) now();
      },
    });
    return { inHand, admitted, takes: 0 };
  }

  /** The queue: hands out what is due to whoever has a job free, while time passes. */
  async function tick(processes: readonly Process[]): Promise<void> {
    const due = [...rows.values()].filter(isFree).map(({ id }) => id);
    const handOut = (process: Process): void => {
      while (process.takes < TAKES && due.length > 0) {
        process.takes += 1;
        const done = () => ((process.takes -= 1), handOut(process));
        void process.inHand.take(due.splice(0, ROWS_PER_JOB), new AbortController().signal).then(done, done);
      }
    };
    for (const process of processes) handOut(process);
    await jest.advanceTimersByTimeAsync(TICK_MS);
    due.length = 0; // the next tick looks anew
    for (const { admitted } of processes) {
      for (const [organizationId, count] of admitted)
        if (count > SHARE) wrong.push(`${organizationId} has ${count} of ${PLACES} places`);
      const all = [...admitted.values()].reduce((sum, count) => sum + count, 0);
      if (all > PLACES) wrong.push(`${all} of ${PLACES} places are taken`);
    }
  }

  return {
    rows,
    attempted,
    startedAtMs,
    deferrals,
    wrong,
    addRow,
    startProcess,
    tick,
    postgresAway: (away: boolean) => void (postgresIsAway = away),
    entries: () => [...rows.values()].flatMap(({ entries }) => entries),
  };
}

/** Takes as many at once as there are places: with all places free again, none of them waits. */
async function takesEverything(world: ReturnType<typeof createWorld>, process: Process): Promise<void> {
  const before = world.deferrals.length;
  for (let count = 0; count < PLACES / PER_TAKE; count += 1) {
    const one = { organizationId: `fresh_${count}`, retry: false, ms: 10 };
    world.addRow(Array.from({ length: PER_TAKE }, (_, index) => ({ ...one, receiver: `r${index}` })));
  }
  const ids = [...world.rows.keys()];
  const waiting = ids.map((id) => process.inHand.take([id], AbortSignal.timeout(60_000)));
  await Promise.all([Promise.all(waiting), jest.advanceTimersByTimeAsync(500)]);
  expect(world.rows.size).toBe(0);
  expect(world.deferrals).toHaveLength(before);
}

const planned = fc.record({
  organizationId: fc.constantFrom('a', 'b', 'c'),
  receiver: fc.constantFrom('r1', 'r2', 'r3', 'r4', null),
  retry: fc.boolean(),
  ms: fc.constantFrom(5, 80, 700, 3_000),
});
const work = fc.array(fc.array(planned, { minLength: 1, maxLength: 2 }), { maxLength: 120, size: 'max' });

describe('any work, in two processes', () => {
  test('everything is attempted once, within each share, and every place comes back', async () => {
    await fc.assert(
      fc.asyncProperty(work, async (batches) => {
        const world = createWorld();
        for (const batch of batches) world.addRow(batch);
        const all = world.entries().length;
        const processes = [world.startProcess(), world.startProcess()];
        for (let ticks = 0; world.rows.size > 0 && ticks < 8_000; ticks += 1) await world.tick(processes);
        expect(world.wrong).toEqual([]);
        expect(world.rows.size).toBe(0);
        // What was sent back is a new entry each time: one attempt for each that was not.
        expect(world.attempted.size).toBe(all);
        expect(new Set(world.attempted.values())).toEqual(all === 0 ? new Set() : new Set([1]));
        for (const process of processes) await takesEverything(world, process);
        await Promise.all(processes.map(({ inHand }) => inHand.close()));
      }),
      { numRuns: 40 },
    );
  });

  test('with a Postgres that stands still, nothing is attempted without a lease, and all is attempted in the end', async () => {
    await fc.assert(
      fc.asyncProperty(work, fc.integer({ min: 1, max: 80 }), async (batches, awayTicks) => {
        const world = createWorld();
        for (const batch of batches) world.addRow(batch);
        const processes = [world.startProcess(), world.startProcess()];
        for (let ticks = 0; world.rows.size > 0 && ticks < 8_000; ticks += 1) {
          world.postgresAway(ticks >= 4 && ticks < 4 + awayTicks);
          await world.tick(processes);
        }
        expect(world.wrong).toEqual([]);
        expect(world.rows.size).toBe(0);
        for (const process of processes) await takesEverything(world, process);
        await Promise.all(processes.map(({ inHand }) => inHand.close()));
      }),
      { numRuns: 25 },
    );
  });
});

test('an organisation whose attempts are quick is waited for: nothing of a backlog goes back', async () => {
  const world = createWorld();
  for (let count = 0; count < 400; count += 1) {
    const receiver = `r${count % 5}`;
    world.addRow(Array.from({ length: 2 }, () => ({ organizationId: 'a', receiver, retry: false, ms: 20 })));
  }
  const one = world.startProcess();
  for (let ticks = 0; world.rows.size > 0 && ticks < 400; ticks += 1) await world.tick([one]);
  expect([world.rows.size, world.deferrals, world.wrong]).toEqual([0, [], []]);
  expect(world.attempted.size).toBe(800);
  await one.inHand.close();
});

test('an organisation whose receivers all hang leaves places for the next one', async () => {
  const world = createWorld();
  const hanging = (index: number) => ({
    organizationId: 'a',
    receiver: `r${index}`,
    retry: false,
    ms: 60_000,
  });
  for (let count = 0; count < 100; count += 1) world.addRow([hanging(count), hanging(count)]);
  const one = world.startProcess();
  for (let ticks = 0; ticks < 10; ticks += 1) await world.tick([one]); // its two seconds of patience are over
  expect(one.admitted.get('a')).toBeGreaterThanOrEqual(SHARE - PER_TAKE);
  const cameAtMs = Date.now();
  world.addRow([{ organizationId: 'b', receiver: 'r', retry: false, ms: 10 }]);
  const [id] = [...world.rows.keys()].slice(-1);
  const mine = world.rows.get(id!)!.entries[0]!;
  for (let ticks = 0; !world.startedAtMs.has(mine.id) && ticks < 40; ticks += 1) await world.tick([one]);
  expect(world.startedAtMs.get(mine.id)! - cameAtMs).toBeLessThan(2_000);
  expect(world.deferrals.every(({ entry }) => entry.organizationId === 'a')).toBe(true);
  expect(world.wrong).toEqual([]);
});

test('what nobody is called for waits for no receiver', async () => {
  const world = createWorld();
  const hanging = { organizationId: 'a', receiver: 'r', retry: false, ms: 3_000 };
  world.addRow([hanging]);
  const one = world.startProcess();
  await world.tick([one]);
  world.addRow([{ ...hanging, receiver: null, ms: 0 }]);
  await world.tick([one]);
  expect(world.rows.size).toBe(1);
  for (let ticks = 0; world.rows.size > 0 && ticks < 40; ticks += 1) await world.tick([one]);
  await one.inHand.close();
});

test('a stop waits for what is under way, and releases the rest', async () => {
  jest.useRealTimers();
  const world = createWorld();
  const slow = { organizationId: 'a', receiver: 'r', retry: false, ms: 200 };
  for (let count = 0; count < 15; count += 1) world.addRow([slow]);
  const one = world.startProcess();
  const ids = [...world.rows.keys()];
  for (let from = 0; from < ids.length; from += PER_TAKE)
    await one.inHand.take(ids.slice(from, from + PER_TAKE), new AbortController().signal);
  await one.inHand.close();
  expect(world.attempted.size).toBe(10); // as many as a receiver gets at once
  expect([...world.rows.values()].filter(({ lease }) => lease === null)).toHaveLength(5);
});
