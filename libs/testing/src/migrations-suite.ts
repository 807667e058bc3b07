// Tests for the migrations of every service; each store runs them on its own.
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { deployMigrations, findDrift, findLiveDrift } from '@parley/migrator';
import pg from 'pg';
import { createTestDatabase, getSchemaDir, type ServiceName } from './test-database.ts';
import { testPostgresUrl } from './test-servers.ts';

export function migrationsSuite(service: ServiceName): void {
  const schemaDir = getSchemaDir(service);

  test('the migrations agree with schema.prisma, and create a matching database', async () => {
    expect(await findDrift({ schemaDir, databaseUrl: testPostgresUrl() })).toBeNull();
    const { url, drop } = await createTestDatabase(service);
    expect(await findLiveDrift({ schemaDir, databaseUrl: url })).toBeNull();
    await drop();
  });

  test('the drift check reports a table that schema.prisma has and the migrations lack', async () => {
    const copy = mkdtempSync(join(tmpdir(), 'parley-migrations-'));
    cpSync(join(schemaDir, 'migrations'), join(copy, 'migrations'), { recursive: true });
    const schema = readFileSync(join(schemaDir, 'schema.prisma'), 'utf8');
    writeFileSync(join(copy, 'schema.prisma'), `${schema}\nmodel Forgotten {\n  id String @id\n}\n`);
    expect(await findDrift({ schemaDir: copy, databaseUrl: testPostgresUrl() })).toContain(
      'CREATE TABLE "Forgotten"',
    );
    rmSync(copy, { recursive: true });
  });
}

/** Rows of one statement. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/**
 * Tests that a migration moves rows: `write` sees the tables before it, `read` those of today.
 * Other tests have new databases, whose tables are empty when it runs.
 */
export async function migrateRows(
  service: ServiceName,
  migration: string,
  write: (query: Query) => Promise<void>,
  read: (query: Query) => Promise<void>,
): Promise<void> {
  const schemaDir = getSchemaDir(service);
  const earlier = mkdtempSync(join(tmpdir(), 'parley-migrations-'));
  cpSync(join(schemaDir, 'schema.prisma'), join(earlier, 'schema.prisma'));
  const names = readdirSync(join(schemaDir, 'migrations')).filter(
    (name) => name < migration || name === 'migration_lock.toml',
  );
  for (const name of names)
    cpSync(join(schemaDir, 'migrations', name), join(earlier, 'migrations', name), { recursive: true });
  const database = `test_migrated_${randomBytes(6).toString('hex')}`;
  const databaseUrl = Object.assign(new URL(testPostgresUrl()), { pathname: `/${database}` }).href;
  try {
    await deployMigrations({ schemaDir: earlier, databaseUrl });
    await withQuery(databaseUrl, write);
    await deployMigrations({ schemaDir, databaseUrl });
    await withQuery(databaseUrl, read);
  } finally {
    rmSync(earlier, { recursive: true });
    await withQuery(testPostgresUrl(), (query) =>
      query(`DROP DATABASE IF EXISTS "${database}" WITH (FORCE)`),
    );
  }
}

async function withQuery(url: string, work: (query: Query) => Promise<unknown>): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await work(async (text, values = []) => (await client.query(text, [...values])).rows as never);
  } finally {
    await client.end();
  }
}
