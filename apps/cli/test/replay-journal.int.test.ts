// `parley replay-journal` brings back what the journal knows, and only that.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase } from '@parley/testing';
import { createProgram } from '../src/program.ts';

const journals = mkdtempSync(join(tmpdir(), 'parley-journal-'));
let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  database = await createTestDatabase('notifications');
});
afterAll(async () => {
  await database.drop();
  rmSync(journals, { recursive: true });
});

async function run(...args: string[]): Promise<string[]> {
  const lines: string[] = [];
  const output = { print: (line: string) => void lines.push(line), explain: () => undefined };
  const env = { DATABASE_URL: database.url, JOURNAL_DIR: journals };
  const all = ['node', 'parley', 'replay-journal', '--product', 'notifications', ...args];
  await createProgram(env, output).parseAsync(all);
  return lines;
}

test('a wrong time, and a folder without a journal, are errors', async () => {
  await expect(run('--since', 'yesterday')).rejects.toThrow('--since must be a time');
  await expect(run()).rejects.toThrow(/holds no journal$/);
});

test('entries since a time, and the newest one, are brought back once', async () => {
  const entry = (id: string, at: string) =>
    JSON.stringify({ id, at, kind: 'recipient_erased', organization_id: 'acme', subject: id, detail: {} });
  mkdirSync(join(journals, 'notifications'));
  writeFileSync(
    join(journals, 'notifications', '2026-02.jsonl'),
    ['a', 'b', 'c'].map((id, day) => `${entry(id, `2026-02-0${day + 1}T00:00:00.000Z`)}\n`).join(''),
  );
  const since = ['--since', '2026-02-02T00:00:00Z'];
  const sentence = (count: number) => [
    `notifications: workers apply ${count} entries; the service is ready afterwards`,
  ];
  expect(await run(...since)).toEqual(sentence(2));
  expect(await run(...since)).toEqual(sentence(0));
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query('SELECT id, subject, replaying FROM journal_entries ORDER BY id');
  await client.end();
  expect(rows).toEqual(['b', 'c'].map((id) => ({ id, subject: id, replaying: true })));
});
