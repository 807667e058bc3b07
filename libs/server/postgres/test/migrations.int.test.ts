import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase } from '@parley/testing';
import { findMissingMigrations, listMigrations, sqlOf } from '../src/index.ts';

test('migrations are listed oldest first; an absent folder is an error', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-migrations-'));
  for (const name of ['2_b', '1_a']) mkdirSync(join(folder, name));
  expect(listMigrations(folder)).toEqual(['1_a', '2_b']);
  rmSync(folder, { recursive: true });
  expect(() => listMigrations(folder)).toThrow(folder);
});

test('an applied migration is not missing; unfinished, rolled back, absent ones and all of an empty database are', async () => {
  const database = await createTestDatabase('flow-builder');
  const pool = new pg.Pool({ connectionString: database.url });
  const sql = sqlOf(pool);
  const [known] = await sql<{ name: string }>('SELECT migration_name AS name FROM _prisma_migrations');
  const missing = () => findMissingMigrations(sql, [known!.name, 'never_made']);
  try {
    expect(await missing()).toEqual(['never_made']);
    await sql('UPDATE _prisma_migrations SET rolled_back_at = now()');
    expect(await missing()).toEqual([known!.name, 'never_made']);
    await sql('UPDATE _prisma_migrations SET rolled_back_at = NULL, finished_at = NULL');
    expect(await missing()).toEqual([known!.name, 'never_made']);
    await sql('DROP TABLE _prisma_migrations');
    expect(await missing()).toEqual([known!.name, 'never_made']);
  } finally {
    await pool.end();
    await database.drop();
  }
});
