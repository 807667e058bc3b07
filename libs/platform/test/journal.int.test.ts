// The files of a journal, and what tells that a database was set back.
import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { sqlOf, type Sql } from '@parley/server/postgres';
import { createTestDatabase } from '@parley/testing';
import {
  applyJournal,
  flushJournal,
  isJournalAhead,
  loadJournal,
  readEntries,
  readLastEntry,
  trimJournal,
} from '../src/journal/index.ts';

let folder: string;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: pg.Pool;
let sql: Sql;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'parley-journal-')), 'flow-builder');
  database = await createTestDatabase('flow-builder');
  pool = new pg.Pool({ connectionString: database.url });
  sql = sqlOf(pool);
});
afterEach(async () => {
  await pool.end();
  await database.drop();
  await rm(join(folder, '..'), { recursive: true });
});

const plant = (id: string, at: string) =>
  sql(
    `INSERT INTO journal_entries (id, at, kind, organization_id, subject, detail)
     VALUES ($1, $2::timestamptz, 'key_ended', 'acme', 'key_1', '{}')`,
    [id, at],
  );
const idsOf = async () => {
  const ids: string[] = [];
  for await (const some of readEntries(folder)) ids.push(...some.map(({ id }) => id));
  return ids;
};

test('entries are appended once, by any number of workers, and files follow each other', async () => {
  expect(await isJournalAhead(sql, folder)).toBe(false);
  await plant('b', '2026-02-01T00:00:00Z');
  await Promise.all([flushJournal(pool, folder), flushJournal(pool, folder)]);
  await plant('a', '2026-01-31T23:59:59Z'); // committed late
  await flushJournal(pool, folder);
  expect(await readdir(folder)).toEqual(['2026-02.jsonl']);
  await plant('c', '2026-03-01T00:00:00Z');
  await flushJournal(pool, folder);
  expect(await readdir(folder)).toEqual(['2026-02.jsonl', '2026-03.jsonl']);
  expect(await idsOf()).toEqual(['b', 'a', 'c']);
  expect(await readLastEntry(folder)).toMatchObject({ id: 'c', at: '2026-03-01T00:00:00.000Z' });
});

test('a line that a crash cut off is no entry, and harms none after it', async () => {
  await plant('a', '2026-02-01T00:00:00Z');
  await flushJournal(pool, folder);
  await appendFile(join(folder, '2026-02.jsonl'), '{"id":"half');
  expect(await readLastEntry(folder)).toMatchObject({ id: 'a' });
  await plant('b', '2026-02-02T00:00:00Z');
  await flushJournal(pool, folder);
  expect(await idsOf()).toEqual(['a', 'b']);
});

test('a process that ends between the append and the commit leaves a journal that is not ahead', async () => {
  await plant('a', '2026-02-01T00:00:00Z');
  await flushJournal(pool, folder);
  await sql('UPDATE journal_entries SET flushed_at = NULL');
  expect(await isJournalAhead(sql, folder)).toBe(false);
});

test('a database that was set back appends nothing until its entries are replayed', async () => {
  await plant('a', '2026-02-01T00:00:00Z');
  await plant('b', '2026-02-02T00:00:00Z');
  await flushJournal(pool, folder);
  await sql("DELETE FROM journal_entries WHERE id = 'b'");
  await plant('c', '2026-02-03T00:00:00Z');
  expect(await isJournalAhead(sql, folder)).toBe(true);
  await flushJournal(pool, folder);
  expect(await idsOf()).toEqual(['a', 'b']);

  expect(await loadJournal(sql, folder, undefined)).toBe(1);
  expect(await isJournalAhead(sql, folder)).toBe(true);
  const applied: string[] = [];
  await applyJournal(pool, {
    key_ended: async (_sql, organizationId, entries) =>
      void applied.push(...entries.map(({ id }) => `${organizationId} ${id}`)),
  });
  expect(applied).toEqual(['acme b']);
  expect(await isJournalAhead(sql, folder)).toBe(false);
  await flushJournal(pool, folder);
  expect(await idsOf()).toEqual(['a', 'b', 'c']);
});

test('what the database has trimmed is not replayed; the newest entry stays', async () => {
  await plant('a', '2026-02-01T00:00:00Z');
  await plant('b', '2026-02-02T00:00:00Z');
  await flushJournal(pool, folder);
  await trimJournal(sql);
  expect(await sql('SELECT id FROM journal_entries')).toEqual([{ id: 'b' }]);
  expect(await isJournalAhead(sql, folder)).toBe(false);
  expect(await loadJournal(sql, folder, undefined)).toBe(0);
});
