// What the migrations of every service must pass; each store runs it over its own.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { findDrift, findLiveDrift } from '@parley/migrator';
import { createTestDatabase, schemaDirOf, type ServiceName } from './test-database.ts';
import { testPostgresUrl } from './test-servers.ts';

export function migrationsSuite(service: ServiceName): void {
  const schemaDir = schemaDirOf(service);

  test('the migrations say what schema.prisma says, and make a database that does', async () => {
    expect(await findDrift({ schemaDir, databaseUrl: testPostgresUrl() })).toBeNull();
    const { url, drop } = await createTestDatabase(service);
    expect(await findLiveDrift({ schemaDir, databaseUrl: url })).toBeNull();
    await drop();
  });

  test('they fall behind a schema.prisma that gains a table, and the drift check says so', async () => {
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
