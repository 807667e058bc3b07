// `parley migrate` on a database that does not exist yet, while a replica waits for it.
import { afterAll, expect, test } from '@jest/globals';
import { testPostgresUrl } from '@parley/testing';
import pg from 'pg';
import { createProgram } from '../src/program.ts';

const name = `migrate_${process.pid}`;
const url = new URL(testPostgresUrl());
url.pathname = `/${name}`;
afterAll(async () => {
  const client = new pg.Client({ connectionString: testPostgresUrl() });
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await client.end();
});

async function run(...words: string[]): Promise<string[]> {
  const lines: string[] = [];
  const output = { print: (line: string) => void lines.push(line), explain: () => undefined };
  const env = { PARLEY_SERVICE: 'voice-api', DATABASE_DIRECT_URL: 'env://SECRET', SECRET: url.href };
  await createProgram(env, output).parseAsync(['node', 'parley', ...words]);
  return lines;
}

test('a new replica waits until the migrations are applied, and a second run finds nothing to do', async () => {
  let waited = false;
  const waiting = run('migrate', '--wait').then((lines) => {
    waited = true;
    return lines;
  });
  expect(waited).toBe(false);
  const applied = await run('migrate');
  expect(applied.length).toBeGreaterThan(0);
  for (const line of applied) expect(line).toMatch(new RegExp(`^voice-api \\(.*/${name}\\): applied 2\\d+_`));
  expect((await waiting)[0]).toMatch(/^voice-api: waiting for 2\d+_/);
  expect(await run('migrate')).toEqual([expect.stringMatching(/nothing to do$/)]);
  expect(await run('migrate', '--wait')).toEqual([]);
  for (const line of applied) expect(line).not.toContain('SECRET');
});

test('a service that is none is refused', async () => {
  await expect(run('migrate', '--product', 'telephone')).rejects.toThrow(/telephone/);
});
