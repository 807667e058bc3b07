// Partitions on a real server: none is missing, no row is refused or lost, nobody waits long.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type pg from 'pg';
import { createIds, createLog, firstIdAt, Secret } from '@parley/server/runtime';
import { capturedLog, createTestDatabase } from '@parley/testing';
import { createPool, keepPartitions, readSecondsAhead, sqlOf, trimEarlier, type Sql } from '../src/index.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse('2026-11-18T12:00:00Z');
const table = { table: 'notes', key: 'id', prefix: 'nt' };

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: pg.Pool;
let sql: Sql;
const log = createLog({ service: 'test', level: 'info', destination: capturedLog() });

beforeAll(async () => {
  database = await createTestDatabase('flow-builder');
  pool = createPool({ url: new Secret(database.url), applicationName: 'app', connectionsMax: 8, log });
  sql = sqlOf(pool);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  const bound = firstIdAt('nt', Date.parse('2026-11-12T00:00:00Z'));
  await sql('CREATE TABLE notes (id text, part int, PRIMARY KEY (id, part)) PARTITION BY RANGE (id)');
  await sql(`CREATE TABLE notes_earlier PARTITION OF notes FOR VALUES FROM (MINVALUE) TO ('${bound}')`);
  await sql(
    `CREATE TABLE notes_later PARTITION OF notes FOR VALUES FROM ('${bound}') TO (MAXVALUE) WITH (fillfactor = 60)`,
  );
});
afterEach(() => sql('DROP TABLE notes'));

const keep = (nowMs: number, keptDays = 30) =>
  keepPartitions({ pool, log }, table, { nowMs, keptFromMs: nowMs - keptDays * DAY_MS });
const makeId = (ms: number) => createIds(() => ms)('nt');
const add = (ms: number) => sql('INSERT INTO notes VALUES ($1, 1)', [makeId(ms)]);
const countByPartition = async () =>
  Object.fromEntries(
    (
      await sql<{ name: string; count: number }>(
        'SELECT tableoid::regclass::text AS name, count(*)::int AS count FROM notes GROUP BY 1 ORDER BY 1',
      )
    ).map(({ name, count }) => [name, count]),
  );
const names = async () =>
  (
    await sql<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relispartition AND relkind = 'r' ORDER BY 1`,
    )
  ).map(({ name }) => name);

test('weeks ahead are created once, with the storage parameters of the table', async () => {
  await Promise.all([keep(NOW_MS), keep(NOW_MS), keep(NOW_MS)]);
  const all = ['notes_20261112', 'notes_20261119', 'notes_20261126', 'notes_earlier', 'notes_later'];
  expect(await names()).toEqual(all);
  expect(await keep(NOW_MS)).toEqual([]);
  expect(await names()).toEqual(all);
  expect(await sql(`SELECT count(*)::int AS n FROM pg_class WHERE reloptions = '{fillfactor=60}'`)).toEqual([
    { n: 4 },
  ]);
  expect(await readSecondsAhead(sql, table, NOW_MS)).toBe((Date.parse('2026-12-03') - NOW_MS) / 1000);
});

test('rows without a partition of their own stay where they are, and get one around them', async () => {
  await add(NOW_MS - 20 * DAY_MS);
  await add(NOW_MS + 60 * DAY_MS); // a clock that is ahead
  for (const days of [0, 1, 5]) await add(NOW_MS + days * DAY_MS);
  expect(await countByPartition()).toEqual({ notes_earlier: 1, notes_later: 4 });
  await keep(NOW_MS + 5 * DAY_MS);
  expect(await countByPartition()).toEqual({ notes_20261112: 3, notes_earlier: 1, notes_later: 1 });
  await keep(NOW_MS + 100 * DAY_MS, 1_000);
  expect(await countByPartition()).toEqual({ notes_20261112: 3, notes_20261210: 1, notes_earlier: 1 });
});

test('old weeks are dropped; what is older still has a partition, and is deleted by rows', async () => {
  await add(NOW_MS - 20 * DAY_MS);
  await keep(NOW_MS);
  await add(NOW_MS);
  await add(NOW_MS + 3 * DAY_MS);
  expect(await keep(NOW_MS + 30 * DAY_MS)).toEqual([]); // its week has younger ids
  expect(await keep(NOW_MS + 31 * DAY_MS)).toEqual(['notes_earlier', 'notes_20261112']);
  expect(await countByPartition()).toEqual({ notes_20261119: 1 });
  await add(NOW_MS - 20 * DAY_MS);
  const trim = (keptFromMs: number) => trimEarlier(sql, table, keptFromMs, { rowsMax: 10, batchesMax: 2 });
  expect(await trim(NOW_MS - 21 * DAY_MS)).toBe(0);
  expect(await trim(NOW_MS + 31 * DAY_MS)).toBe(1);
  expect(await countByPartition()).toEqual({ notes_20261119: 1 });
});

test('a long reader delays the change, and statements wait for half a second at most', async () => {
  const reader = await pool.connect();
  await reader.query('BEGIN');
  await reader.query('SELECT count(*) FROM notes');
  const changing = keep(NOW_MS);
  await delay(100);
  await add(NOW_MS); // behind the change
  expect(await changing).toEqual([]);
  expect(await names()).toEqual(['notes_earlier', 'notes_later']);
  await reader.query('COMMIT');
  reader.release();
  await keep(NOW_MS);
  expect(await countByPartition()).toEqual({ notes_20261112: 1 });
});

test('writers and readers notice nothing while a year passes', async () => {
  const state = { nowMs: NOW_MS, running: true, written: 0 };
  const ids = createIds(() => state.nowMs);
  const write = async () => {
    while (state.running) {
      const id = ids('nt');
      await sql('INSERT INTO notes VALUES ($1, 1), ($1, 2)', [id]);
      expect(await sql('SELECT part FROM notes WHERE id = $1', [id])).toHaveLength(2);
      state.written += 2;
    }
  };
  const writers = [write(), write(), write()];
  const dropped: string[] = [];
  for (let week = 0; week < 52; week += 1) {
    state.nowMs += 7 * DAY_MS;
    dropped.push(...(await keep(state.nowMs, 10_000)));
    await delay(2);
  }
  state.running = false;
  await Promise.all(writers);
  expect(dropped).toEqual([]);
  expect(Object.values(await countByPartition()).reduce((all, one) => all + one, 0)).toBe(state.written);
  expect((await keep(state.nowMs)).length).toBeGreaterThan(40);
});
