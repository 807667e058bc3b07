// A work table on real Postgres and Redis: concurrent claims, leases, enqueues, and sweeps while
// jobs are lost or wait, or the engine is away.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sqlOf, type Sql } from '@parley/server/postgres';
import { eventually } from '@parley/testing';
import { z } from 'zod';
import {
  createWorkTable,
  onJob,
  REENQUEUE_AFTER_MS,
  type JobKind,
  type Queues,
  type WorkRow,
  type WorkTable,
  type WorkTableOptions,
} from '../src/index.ts';
import { openBench, openGate, type Bench } from './bench.ts';

const LEASE_MS = 10_000;

interface Row extends WorkRow {
  readonly together: string | null;
}

const workJob: JobKind<{ ids: string[] }> = {
  name: 'work.do',
  queue: 'webhook-deliveries',
  payload: z.object({ ids: z.array(z.string()) }),
  attempts: 3,
  timeoutMs: 5_000,
};

let bench: Bench;
let queues: Queues;
let sql: Sql;
let table: WorkTable<Row>;
beforeAll(async () => {
  bench = await openBench('redis');
  sql = sqlOf(bench.consuming);
  await sql(
    `CREATE TABLE work (id text PRIMARY KEY, organization_id text NOT NULL DEFAULT 'acme', rings int NOT NULL DEFAULT 0, run_at timestamptz(3) NOT NULL,
       next_ring_at timestamptz(3) NOT NULL, holder text, held_until timestamptz(3), together text, touched int NOT NULL DEFAULT 0,
       bytes int NOT NULL DEFAULT 0, deaths smallint NOT NULL DEFAULT 0, quarantined_at timestamptz(3))`,
  );
});
beforeEach(async () => {
  queues = await bench.openReadyQueues();
  table = openTable();
});
afterEach(async () => {
  await bench.reset();
  await sql('TRUNCATE work');
});
afterAll(() => bench.close());

/** Rows with the same `together` share a job; those with `nobody` have none. */
function openTable(at = queues, more: Partial<WorkTableOptions<Row>> = {}): WorkTable<Row> {
  return createWorkTable<Row>({
    table: 'work',
    columns: { dueAt: 'run_at', lease: 'holder', leasedUntil: 'held_until' },
    select: 'together',
    claimable: 'touched < 100',
    toJobs: (rows) => {
      const jobs = new Map<string, Row[]>();
      for (const row of rows) {
        const key = row.together ?? row.id;
        jobs.set(key, [...(jobs.get(key) ?? []), row]);
      }
      jobs.delete('nobody');
      return [...jobs.values()].map((its) => ({
        kind: workJob,
        newJob: {
          row: its[0]!.id,
          attempt: 1,
          enqueueNumber: its[0]!.rings,
          payload: { ids: its.map(({ id }) => id) },
        },
        rows: its,
      }));
    },
    pool: bench.consuming,
    queues: at,
    clock: bench.now,
    ...more,
  });
}

/** Commits rows that are due in `inMs`. */
function commit(ids: readonly string[], inMs = 0, together: string | null = null): Promise<Row[]> {
  const dueAtMs = bench.now() + inMs;
  return sql<Row>(
    `INSERT INTO work (id, run_at, next_ring_at, together)
     SELECT id, $2, $3, $4 FROM unnest($1::text[]) AS row (id) RETURNING id, rings, run_at AS "dueAt", together`,
    [ids, new Date(dueAtMs), new Date(dueAtMs + REENQUEUE_AFTER_MS), together],
  );
}

const many = Array.from({ length: 60 }, (_, index) => `row_${String(index).padStart(2, '0')}`);
const createClaim = () =>
  table.prepareClaim<{ id: string }>({ select: 'SELECT id FROM claimed ORDER BY id' });
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
const claim = async (ids: readonly string[], lease: string) => idsOf(await createClaim()(ids, lease));
const stored = () =>
  sql<{ id: string; rings: number; holder: string | null }>('SELECT id, rings, holder FROM work ORDER BY id');
const jobs = async () => {
  const [stats] = await queues.readStats(['webhook-deliveries']);
  return { waiting: stats?.waiting, delayed: stats?.delayed };
};

describe('a claim', () => {
  test('gives each row to one of several concurrent claims', async () => {
    await commit(many);
    const all = await Promise.all(
      Array.from({ length: 5 }, (_, worker) =>
        claim(worker % 2 ? many : [...many].reverse(), `lease_${worker}`),
      ),
    );
    expect(all.flat().sort()).toEqual(many);
    expect(await claim(many, 'late')).toEqual([]);
  });

  test('takes rows that are due and claimable, and may change and read more columns', async () => {
    await commit(['now']);
    await commit(['later'], 60_000);
    await commit(['done']);
    await sql(`UPDATE work SET touched = 100 WHERE id = 'done'`);
    const changing = table.prepareClaim<{ id: string; touched: number }>({
      set: 'touched = $6',
      select: 'SELECT id, touched FROM claimed',
    });
    expect(await changing(['now', 'later', 'done'], 'lease', [7])).toEqual([{ id: 'now', touched: 7 }]);
    bench.aheadMs += 30_000;
    expect(await claim(['later'], 'lease')).toEqual([]);
    table = openTable(queues, { earlyMs: 40_000 });
    expect(await claim(['later'], 'lease')).toEqual(['later']);
  });

  test('holds a row for the lease, longer when renewed; then another holder can claim it', async () => {
    await commit(['a', 'b']);
    await claim(['a', 'b'], 'first');
    bench.aheadMs += LEASE_MS - 1_000;
    expect(await table.renew(['a'], 'first')).toEqual(new Set(['a']));
    bench.aheadMs += 2_000;
    expect(await claim(['a', 'b'], 'second')).toEqual(['b']);
    expect(await table.renew(['a', 'b'], 'first')).toEqual(new Set(['a']));
    // The former holder changes nothing of a row that it lost.
    expect(idsOf(await table.release(['a', 'b'], 'first'))).toEqual(['a']);
    await table.remove(['b'], 'first');
    expect(await stored()).toMatchObject([
      { id: 'a', holder: null },
      { id: 'b', holder: 'second' },
    ]);
    await table.remove(['b'], 'second');
    expect(idsOf(await stored())).toEqual(['a']);
  });
});

test('a released row is free immediately or at its due time, with a new enqueue number', async () => {
  await commit(['a', 'b']);
  await claim(['a', 'b'], 'first');
  const [a] = await table.release(['a'], 'first', undefined, 'touched = touched + 1');
  expect(a).toMatchObject({ id: 'a', rings: 1, together: null });
  const dueAtMs = bench.now() + 60_000;
  const [b] = await table.release(['b'], 'first', dueAtMs);
  expect(b!.dueAt.getTime()).toBe(dueAtMs);
  expect(await claim(['a', 'b'], 'second')).toEqual(['a']);
  bench.aheadMs += 60_000;
  expect(await claim(['b'], 'second')).toEqual(['b']);
});

test('a later row can be brought forward unless it is claimed', async () => {
  const later = await commit(['a', 'b'], 60_000);
  await table.enqueue(later);
  expect(await jobs()).toEqual({ waiting: 0, delayed: 2 });
  await commit(['due']);
  await sql(`UPDATE work SET holder = 'somebody', held_until = run_at WHERE id = 'b'`);
  const due = await table.bringForward(['a', 'b', 'due']);
  expect(due).toMatchObject([{ id: 'a', rings: 1 }]);
  expect(idsOf(await table.enqueue(due))).toEqual(['a']); // its later job has another number
  expect(await jobs()).toEqual({ waiting: 1, delayed: 2 });
  expect(await claim(['a'], 'lease')).toEqual(['a']);
});

test('a job comes when its row is due, not before', async () => {
  const seen: { ids: string[]; early: boolean }[] = [];
  const due = new Map<string, number>();
  queues.worker('webhook-deliveries', [
    onJob(workJob, async ({ ids }) => {
      seen.push({ ids, early: ids.some((id) => due.get(id)! > Date.now()) });
    }),
  ]);
  const rows = [
    ...(await commit(['now'])),
    ...(await commit(['soon'], 300)),
    ...(await commit(['a', 'b'], 0, 'x')),
  ];
  for (const row of rows) due.set(row.id, row.dueAt.getTime());
  expect(await table.enqueue(rows)).toHaveLength(4);
  await eventually(() => seen.length === 3);
  expect(seen.map(({ ids }) => ids).sort()).toEqual([['a', 'b'], ['now'], ['soon']]);
  expect(seen.filter(({ early }) => early)).toEqual([]);
});

describe('a sweep', () => {
  test('re-enqueues lost rows once, with several sweepers', async () => {
    await commit(many);
    expect((await table.sweep()).enqueued).toBe(0);
    bench.aheadMs += REENQUEUE_AFTER_MS;
    const swept = await Promise.all([table.sweep(), table.sweep(), table.sweep()]);
    expect(swept.map(({ enqueued }) => enqueued).reduce((sum, count) => sum + count)).toBe(many.length);
    expect(await jobs()).toEqual({ waiting: many.length, delayed: 0 });
    expect(new Set((await stored()).map(({ rings }) => rings))).toEqual(new Set([1]));
  });

  test('leaves rows whose job waits, and rows under a lease', async () => {
    const rows = await commit(['waits', 'held', 'lost']);
    await table.enqueue(rows.slice(0, 1));
    await claim(['held'], 'lease');
    bench.aheadMs += REENQUEUE_AFTER_MS - 1;
    await table.renew(['held'], 'lease');
    bench.aheadMs += 1;
    expect((await table.sweep()).enqueued).toBe(1);
    expect(await stored()).toMatchObject([
      { id: 'held', rings: 0 },
      { id: 'lost', rings: 1 },
      { id: 'waits', rings: 0 },
    ]);
    bench.aheadMs += LEASE_MS;
    expect((await table.sweep()).enqueued).toBe(1);
    await bench.wipeEngine();
    bench.aheadMs += 60_000;
    expect((await table.sweep()).enqueued).toBe(3);
  });

  test('one waiting job hides no other row that would share its job now', async () => {
    const [first] = await commit(['a'], 0, 'x');
    await table.enqueue([first!]);
    await commit(['b', 'c'], 0, 'x');
    bench.aheadMs += REENQUEUE_AFTER_MS;
    expect((await table.sweep()).enqueued).toBe(2);
    expect(await jobs()).toEqual({ waiting: 2, delayed: 0 });
  });

  test('with the engine away, rows keep their number, and the next sweep enqueues them', async () => {
    const gate = await openGate(bench);
    const away = bench.openQueues(gate.url);
    await eventually(() => away.ready());
    await gate.shut();
    await commit(['a', 'b']);
    bench.aheadMs += REENQUEUE_AFTER_MS;
    expect((await openTable(away).sweep()).enqueued).toBe(0);
    expect(await openTable(away).enqueue(await commit(['c']))).toEqual([]);
    expect((await stored()).map(({ rings }) => rings)).toEqual([0, 0, 0]);
    expect((await table.sweep()).enqueued).toBe(2);
  });

  test('reports rows without a job, and rows that are given up', async () => {
    await commit(['jobless'], 0, 'nobody');
    await commit(['old']);
    table = openTable(queues, { enqueueForMs: 60_000 });
    bench.aheadMs += 60_000;
    const swept = await table.sweep();
    expect(idsOf(swept.jobless)).toEqual(['jobless']);
    expect(swept.enqueued).toBe(1); // the last enqueue
    expect(idsOf(swept.givenUp).sort()).toEqual(['jobless', 'old']);
    bench.aheadMs += 10 * 86_400_000;
    expect(await table.sweep()).toEqual({ enqueued: 0, jobless: [], givenUp: [] });
  });
});

describe('a row that kills workers', () => {
  /** A worker claims these and is killed. */
  async function die(ids: readonly string[], isIsolated = false): Promise<string[]> {
    const claimed = idsOf(await createClaim()(ids, 'a worker that is killed', [], isIsolated));
    bench.aheadMs += LEASE_MS;
    return claimed;
  }

  test('is claimed with others, then isolated, then quarantined; the other rows continue', async () => {
    const told: string[] = [];
    table = openTable(queues, { onQuarantine: async (_sql, rows) => void told.push(...idsOf(rows)) });
    const both = ['guilty', 'innocent'];
    await commit(both);
    expect(await die(both)).toEqual(both);
    expect(await table.explainUnclaimed(both)).toEqual({ suspected: [], unfit: both });
    expect(await die(both)).toEqual(both);
    expect(await table.explainUnclaimed(both)).toMatchObject({
      suspected: both.map((id) => ({ id, organizationId: 'acme' })),
      unfit: [],
    });
    expect(await claim(both, 'together')).toEqual([]);
    expect(idsOf(await createClaim()(['innocent'], 'isolated', [], true))).toEqual(['innocent']);
    await table.remove(['innocent'], 'isolated');
    expect(await die(['guilty'], true)).toEqual(['guilty']);
    expect(await table.explainUnclaimed(both)).toEqual({ suspected: [], unfit: [] });
    expect((await table.sweep()).enqueued).toBe(0);
    expect(told).toEqual(['guilty']);
    bench.aheadMs += 86_400_000;
    expect((await table.sweep()).enqueued).toBe(0);
    for (const isIsolated of [false, true])
      expect(await createClaim()(both, 'later', [], isIsolated)).toEqual([]);
  });

  test('is not a row that survived isolation when its worker dies later', async () => {
    await commit(['a']);
    for (let times = 0; times < 3; times += 1) {
      await die(['a']);
      await die(['a']);
      expect(idsOf(await createClaim()(['a'], 'isolated', [], true))).toEqual(['a']);
      await table.clear(['a'], 'somebody else');
      await table.clear(['a'], 'isolated');
      bench.aheadMs += LEASE_MS;
      expect(await table.explainUnclaimed(['a'])).toEqual({ suspected: [], unfit: ['a'] });
      expect(await claim(['a'], 'living')).toEqual(['a']);
      await table.clear(['a'], 'living');
      await table.release(['a'], 'living');
    }
  });

  test('is not a row that was released, or left by a process that stopped in time', async () => {
    await commit(['a']);
    for (let times = 0; times < 5; times += 1) {
      expect(await claim(['a'], 'living')).toEqual(['a']);
      await table.release(['a'], 'living');
      expect(await claim(['a'], 'stopping')).toEqual(['a']);
      await table.abandon(['a'], 'stopping');
      expect(await claim(['a'], 'early')).toEqual([]);
      bench.aheadMs += LEASE_MS;
    }
    expect(await table.explainUnclaimed(['a'])).toEqual({ suspected: [], unfit: ['a'] });
  });
});

describe('by size', () => {
  const budget = { of: 'bytes', max: 1_000 };
  const sized = async (sizes: Record<string, number>) => {
    await commit(Object.keys(sizes));
    for (const [id, bytes] of Object.entries(sizes))
      await sql('UPDATE work SET bytes = $2 WHERE id = $1', [id, bytes]);
  };

  test('a claim takes no more bytes than it may load; a larger row goes isIsolated', async () => {
    table = openTable(queues, { claimBytes: budget });
    await sized({ a: 400, b: 400, c: 400, d: 5_000 });
    const all = ['a', 'b', 'c', 'd'];
    expect(await claim(all, 'lease')).toEqual(['a', 'b']);
    expect(await table.explainUnclaimed(['c', 'd'])).toEqual({ suspected: [], unfit: ['c', 'd'] });
    expect(await claim(all, 'lease')).toEqual(['c']);
    expect(await claim(all, 'lease')).toEqual(['d']);
  });

  test('a sweep locks no more bytes at a time, and reaches all rows', async () => {
    let most = 0;
    const counting = async (rows: readonly Row[]) => {
      const [{ bytes }] = (await sql<{ bytes: number }>(
        'SELECT sum(bytes)::int AS bytes FROM work WHERE id = ANY($1::text[])',
        [idsOf(rows)],
      )) as [{ bytes: number }];
      most = Math.max(most, bytes);
    };
    const looking = { ...queues, findQueued: async () => new Set<string>() };
    const seen: Row[][] = [];
    table = openTable(looking, {
      sweepBytes: budget,
      toJobs: (rows) => {
        if (rows.length > 1) seen.push([...rows]);
        return rows.map((row) => ({
          kind: workJob,
          newJob: { row: row.id, attempt: 1, enqueueNumber: row.rings, payload: { ids: [row.id] } },
          rows: [row],
        }));
      },
    });
    await sized(Object.fromEntries(many.map((id) => [id, 300])));
    bench.aheadMs += REENQUEUE_AFTER_MS;
    expect((await table.sweep()).enqueued).toBe(many.length);
    for (const rows of seen) await counting(rows);
    expect(most).toBe(1_200); // the last one exceeds it
  });
});
