// Work in flight with any receivers: quick, slow and hanging ones. The test controls the time. The
// work table is in memory, with the rules of the real one (test/work-table.int.test.ts).
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { createCrashIsolation } from '../isolation/crash-isolation.ts';
import type { WorkEntry, WorkInFlight } from './work-entries.ts';
import { createWorkInFlight } from './work-in-flight.ts';
import type { WorkRow, WorkTable } from './work-rows.ts';

const LEASE_MS = 10_000;
const TICK_MS = 500;
const PLACES = 40;
const PER_TAKE = 5;
/** The concurrency of a queue's worker. */
const TAKES = 3;
const ROWS_PER_JOB = 2;
const SHARE = 30; // three quarters
const BYTES = 4_000;

/** A busy machine takes ten times as long as an idle one. */
jest.setTimeout(120_000);

beforeEach(() => {
  jest.useFakeTimers({ now: 1_000_000, doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
});

interface Entry extends WorkEntry {
  readonly id: number;
  /** Duration of its attempt. */
  readonly ms: number;
}
type Planned = Pick<Entry, 'organizationId' | 'receiver' | 'retry' | 'ms' | 'bytes'> & {
  readonly id?: number;
};

interface Row {
  readonly id: string;
  entries: Entry[];
  dueAtMs: number;
  lease: string | null;
  leasedUntilMs: number;
  claims: number;
  /** Workers died with it: it is isolated. */
  isSuspected: boolean;
}

interface Process {
  readonly inFlight: WorkInFlight<Entry>;
  /** Entries of each organisation that were claimed and neither finished nor deferred. */
  readonly admitted: Map<string, number>;
  takes: number;
}

/** Rows that processes work through until none is left. */
function createWorld() {
  const rows = new Map<string, Row>();
  const attempted = new Map<number, number>();
  /** By the claim of its row. */
  const running = new Map<number, string>();
  const startedAtMs = new Map<number, number>();
  const deferrals: { entry: Entry; dueAtMs: number; inDoubt: boolean }[] = [];
  const wrong: string[] = [];
  let ids = 0;
  let postgresIsAway = false;
  let claimMs = 0;
  const clock = () => Date.now();

  function addRow(planned: readonly Planned[], dueAtMs = clock(), isSuspected = false): void {
    const id = `row_${(ids += 1)}`;
    const entries = planned.map((one) => ({ ...one, id: one.id ?? (ids += 1), rowId: id }));
    rows.set(id, { id, entries, dueAtMs, lease: null, leasedUntilMs: 0, claims: 0, isSuspected });
  }

  const has = (row: Row | undefined, { id }: Entry) => row?.entries.some((one) => one.id === id) ?? false;
  const ours = (id: string, lease: string) => (rows.get(id)?.lease === lease ? rows.get(id) : undefined);
  const table = {
    table: 'memory',
    isolation: createCrashIsolation(),
    explainUnclaimed: async (asked: readonly string[]) => ({
      suspected: asked
        .filter((id) => isFree(rows.get(id)) && rows.get(id)?.isSuspected)
        .map((id) => ({ id, organizationId: rows.get(id)!.entries[0]!.organizationId })),
      unfit: [],
    }),
    clear: async (asked: readonly string[], lease: string) => {
      for (const row of asked.flatMap((id) => ours(id, lease) ?? [])) row.isSuspected = false;
    },
    abandon: async () => undefined,
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
    enqueue: async () => [],
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
    /** Writes results a moment later, and deletes finished rows that are still held. */
    function write(entries: readonly Entry[], more: () => void = () => undefined): void {
      const { lease, closeEntries, freePlaces } = inFlight;
      const now = () => {
        if (!unwritten.delete(now)) return;
        more();
        for (const id of closeEntries(entries)) if (ours(id, lease)) rows.delete(id);
        freePlaces(entries);
      };
      unwritten.add(now);
      setTimeout(now, 20);
    }

    const inFlight = createWorkInFlight<WorkRow, Entry>({
      table,
      clock,
      log: { warn: () => undefined } as never,
      placesMax: PLACES,
      bytesMax: BYTES,
      entriesPerClaim: PER_TAKE,
      pauseMs: 3_000,
      claim: async (asked, lease, isIsolated) => {
        const free = asked
          .map((id) => rows.get(id))
          .filter(isFree)
          .filter(({ isSuspected }) => isSuspected === isIsolated);
        for (const row of free)
          Object.assign(row, { lease, leasedUntilMs: clock() + LEASE_MS, claims: row.claims + 1 });
        // objects of this claim
        const entries = free.flatMap((row) => row.entries.map((entry) => ({ ...entry })));
        for (const entry of entries) count(entry, 1);
        if (claimMs > 0) await delay(claimMs);
        return { rowIds: free.map(({ id }) => id), entries };
      },
      attempt: async (entry) => {
        const row = ours(entry.rowId, inFlight.lease);
        if (!row || row.leasedUntilMs <= clock()) wrong.push(`${entry.id} is attempted without a lease`);
        const claim = `${entry.rowId} ${row?.claims}`;
        if (row && running.get(entry.id) === claim) wrong.push(`${entry.id} is attempted twice at once`);
        if (!has(row, entry)) wrong.push(`${entry.id} is attempted although it is done`);
        startedAtMs.set(entry.id, startedAtMs.get(entry.id) ?? clock());
        running.set(entry.id, claim);
        await new Promise((resolve) => setTimeout(resolve, entry.ms));
        running.delete(entry.id);
        count(entry, -1);
        attempted.set(entry.id, (attempted.get(entry.id) ?? 0) + 1);
        if (row) row.entries = row.entries.filter(({ id }) => id !== entry.id);
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
          // Only what remains: after a lost lease another process may have been faster.
          const open = entries.filter((entry) => has(ours(entry.rowId, inFlight.lease), entry));
          for (const entry of open) {
            const row = rows.get(entry.rowId) as Row;
            row.entries = row.entries.filter(({ id }) => id !== entry.id);
          }
          if (open.length > 0) addRow(open, dueAtMs);
        });
      },
      flush: async () => {
        for (const now of unwritten) now();
      },
    });
    return { inFlight, admitted, takes: 0 };
  }

  const queue = new Set<string>();
  function handOut(process: Process): void {
    while (process.takes < TAKES && queue.size > 0) {
      const job = [...queue].slice(0, ROWS_PER_JOB);
      for (const id of job) queue.delete(id);
      process.takes += 1;
      const done = () => {
        process.takes -= 1;
        handOut(process);
      };
      void process.inFlight.accept(job, new AbortController().signal).then(done, done);
    }
  }

  /** Enqueues what is due, lets free workers take it, and advances the time. */
  async function tick(processes: readonly Process[]): Promise<void> {
    for (const row of rows.values()) if (isFree(row)) queue.add(row.id);
    for (const process of processes) handOut(process);
    await jest.advanceTimersByTimeAsync(TICK_MS);
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
    claimsTake: (ms: number) => void (claimMs = ms),
    postgresAway: (away: boolean) => void (postgresIsAway = away),
    entries: () => [...rows.values()].flatMap(({ entries }) => entries),
  };
}

/** With all places free again, the process fills every place. */
async function takesEverything(world: ReturnType<typeof createWorld>, process: Process): Promise<void> {
  // after a lost lease, work that another process finished may still run
  await jest.advanceTimersByTimeAsync(LEASE_MS);
  const before = world.startedAtMs.size;
  for (let count = 0; count < PLACES / PER_TAKE; count += 1) {
    const one = { organizationId: `fresh_${count}`, retry: false, ms: 300 };
    world.addRow(Array.from({ length: PER_TAKE }, (_, index) => ({ ...one, receiver: `r${index}` })));
  }
  for (const id of world.rows.keys()) void process.inFlight.accept([id], new AbortController().signal);
  await jest.advanceTimersByTimeAsync(100);
  expect(world.startedAtMs.size - before).toBe(PLACES);
  await jest.advanceTimersByTimeAsync(500);
  expect(world.rows.size).toBe(0);
}

const planned = fc.record({
  organizationId: fc.constantFrom('a', 'b', 'c'),
  receiver: fc.constantFrom('r1', 'r2', 'r3', 'r4', null),
  retry: fc.boolean(),
  ms: fc.constantFrom(5, 80, 700, 3_000),
});
const work = fc.array(fc.array(planned, { minLength: 1, maxLength: 2 }), { maxLength: 60, size: 'max' });

describe('any work, in two processes', () => {
  test('every entry is attempted once, within each share, and every place is freed', async () => {
    await fc.assert(
      fc.asyncProperty(work, async (batches) => {
        const world = createWorld();
        for (const batch of batches) world.addRow(batch);
        const all = world.entries().length;
        const processes = [world.startProcess(), world.startProcess()];
        for (let ticks = 0; world.rows.size > 0 && ticks < 2_000; ticks += 1) await world.tick(processes);
        expect(world.wrong).toEqual([]);
        expect(world.rows.size).toBe(0);
        expect(world.attempted.size).toBe(all);
        expect(new Set(world.attempted.values())).toEqual(all === 0 ? new Set() : new Set([1]));
        for (const process of processes) await takesEverything(world, process);
        await Promise.all(processes.map(({ inFlight }) => inFlight.close()));
      }),
      { numRuns: 25 },
    );
  });

  test('nothing is attempted without a lease, and all is done in the end, when Postgres is away and the machine sleeps', async () => {
    const trouble = fc.array(fc.record({ tick: fc.nat(20), away: fc.boolean(), ticks: fc.nat(40) }), {
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(work, trouble, async (batches, troubles) => {
        const world = createWorld();
        for (const batch of batches) world.addRow(batch);
        const all = world.entries().length;
        const processes = [world.startProcess(), world.startProcess()];
        for (let tick = 0; world.rows.size > 0 && tick < 2_000; tick += 1) {
          const now = troubles.filter((one) => tick >= one.tick && tick < one.tick + one.ticks);
          world.postgresAway(now.some(({ away }) => away));
          for (const one of now)
            if (!one.away && one.tick === tick) jest.setSystemTime(Date.now() + one.ticks * TICK_MS);
          await world.tick(processes);
        }
        expect(world.wrong).toEqual([]);
        expect([world.rows.size, world.attempted.size]).toEqual([0, all]);
        for (const process of processes) await takesEverything(world, process);
        await Promise.all(processes.map(({ inFlight }) => inFlight.close()));
      }),
      { numRuns: 25 },
    );
  });
});

test('claims wait for an organisation with quick attempts: nothing of its backlog is deferred', async () => {
  const world = createWorld();
  for (let count = 0; count < 600; count += 1) {
    const receiver = `r${count % 5}`;
    world.addRow(Array.from({ length: 2 }, () => ({ organizationId: 'a', receiver, retry: false, ms: 100 })));
  }
  const one = world.startProcess();
  for (let ticks = 0; world.rows.size > 0 && ticks < 400; ticks += 1) await world.tick([one]);
  expect([world.rows.size, world.deferrals, world.wrong]).toEqual([0, [], []]);
  expect(world.attempted.size).toBe(1_200);
  await one.inFlight.close();
});

test.each([
  { leaves: 'places', bytes: 0, entries: SHARE },
  { leaves: 'bytes', bytes: BYTES / 10, entries: 7 },
])(
  'an organisation with hanging receivers leaves $leaves places for the next one',
  async ({ bytes, entries }) => {
    const world = createWorld();
    const hanging = (index: number) => ({
      organizationId: 'a',
      receiver: `r${index}`,
      retry: false,
      ms: 60_000,
      bytes,
    });
    for (let count = 0; count < 100; count += 1) world.addRow([hanging(count), hanging(count)]);
    const one = world.startProcess();
    // its two seconds of patience are over
    for (let ticks = 0; ticks < 5; ticks += 1) await world.tick([one]);
    expect(one.admitted.get('a')).toBeGreaterThanOrEqual(entries - PER_TAKE);
    expect(one.admitted.get('a')).toBeLessThanOrEqual(entries);
    const cameAtMs = Date.now();
    world.addRow([{ organizationId: 'b', receiver: 'r', retry: false, ms: 10 }]);
    const [id] = [...world.rows.keys()].slice(-1);
    const mine = world.rows.get(id!)!.entries[0]!;
    for (let ticks = 0; !world.startedAtMs.has(mine.id) && ticks < 40; ticks += 1) await world.tick([one]);
    expect(world.startedAtMs.get(mine.id)! - cameAtMs).toBeLessThan(2_000);
    expect(world.deferrals.every(({ entry }) => entry.organizationId === 'a')).toBe(true);
    expect(world.wrong).toEqual([]);
  },
);

test('suspected rows with hanging receivers block nothing else, and hardly each other', async () => {
  const world = createWorld();
  const one = (receiver: string, ms: number) => ({ organizationId: receiver, receiver, retry: false, ms });
  for (let count = 0; count < 10; count += 1) world.addRow([one(`hangs${count}`, 60_000)], Date.now(), true);
  for (let count = 0; count < 60; count += 1) world.addRow([one(`quick${count}`, 10)], Date.now(), true);
  const process = world.startProcess();
  await world.tick([process]);
  const cameAtMs = Date.now();
  world.addRow([one('neighbour', 10)]);
  const mine = world.entries().at(-1)!;
  for (let ticks = 0; world.rows.size > 10 && ticks < 80; ticks += 1) await world.tick([process]);
  expect(world.startedAtMs.get(mine.id)! - cameAtMs).toBeLessThanOrEqual(2_000);
  expect(world.rows.size).toBe(10); // the hanging ones, all in flight
  expect(world.entries().every(({ id }) => world.startedAtMs.has(id))).toBe(true);
  expect(Date.now() - cameAtMs).toBeLessThan(25_000);
  expect(world.wrong).toEqual([]);
});

test('a process that slept attempts nothing that another one has claimed since', async () => {
  const world = createWorld();
  const slow = { organizationId: 'a', receiver: 'r', retry: false, ms: 700 };
  for (let count = 0; count < 15; count += 1) world.addRow([slow]);
  const [one, two] = [world.startProcess(), world.startProcess()];
  await world.tick([one]);
  expect(one.admitted.get('a')).toBe(15); // ten in flight
  jest.setSystemTime(Date.now() + 1.5 * LEASE_MS);
  for (let ticks = 0; world.rows.size > 0 && ticks < 400; ticks += 1) await world.tick([two]);
  expect([world.attempted.size, world.wrong]).toEqual([15, []]);
  for (const process of [one, two]) await takesEverything(world, process);
});

test('an entry without a receiver waits for none', async () => {
  const world = createWorld();
  const hanging = { organizationId: 'a', receiver: 'r', retry: false, ms: 3_000 };
  world.addRow([hanging]);
  const one = world.startProcess();
  await world.tick([one]);
  world.addRow([{ ...hanging, receiver: null, ms: 0 }]);
  await world.tick([one]);
  expect(world.rows.size).toBe(1);
  for (let ticks = 0; world.rows.size > 0 && ticks < 40; ticks += 1) await world.tick([one]);
  await one.inFlight.close();
});

test('a stop waits for attempts in flight, and releases the rest', async () => {
  jest.useRealTimers();
  const world = createWorld();
  const slow = { organizationId: 'a', receiver: 'r', retry: false, ms: 200 };
  for (let count = 0; count < 15; count += 1) world.addRow([slow]);
  const one = world.startProcess();
  const ids = [...world.rows.keys()];
  for (let from = 0; from < ids.length; from += PER_TAKE)
    await one.inFlight.accept(ids.slice(from, from + PER_TAKE), new AbortController().signal);
  await one.inFlight.close();
  expect(world.attempted.size).toBe(10); // the concurrency of a receiver
  expect([...world.rows.values()].filter(({ lease }) => lease === null)).toHaveLength(5);
});

test('a stop waits for a suspected row that is being claimed, and for its attempt', async () => {
  jest.useRealTimers();
  const world = createWorld();
  world.claimsTake(200);
  world.addRow([{ organizationId: 'a', receiver: 'r', retry: false, ms: 10 }], Date.now(), true);
  const one = world.startProcess();
  await one.inFlight.accept([...world.rows.keys()], new AbortController().signal);
  await one.inFlight.close();
  expect(world.rows.size).toBe(0);
});
