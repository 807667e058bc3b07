// Tests for the migrations of every service; each store runs them on its own.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { findDrift, findLiveDrift } from '@parley/migrator';
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
