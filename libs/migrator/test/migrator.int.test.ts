import { createHash, randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createMigration, deployMigrations, findLiveDrift } from '../src/index.ts';

// Without @parley/testing, which builds its templates with this library.
const root = fileURLToPath(new URL('../../..', import.meta.url));
const server = process.env['TEST_POSTGRES_URL'] ?? '';
if (server === '') throw new Error('TEST_POSTGRES_URL is not set: run `npm test -- libs/migrator`.');
const made: string[] = [];
let schemaDir: string;
let databaseUrl: string;

beforeEach(() => {
  schemaDir = mkdtempSync(join(tmpdir(), 'parley-migrator-'));
  databaseUrl = databaseNamed(`migrator_${randomBytes(6).toString('hex')}`);
});
afterEach(() => rmSync(schemaDir, { recursive: true }));
afterAll(async () => {
  for (const name of made) await query(server, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
});

function databaseNamed(name: string): string {
  made.push(name);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

const tables = async (): Promise<unknown[]> =>
  (await query(databaseUrl, `SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`)).map(
    (row) => row['tablename'],
  );

const history = (): Promise<Record<string, unknown>[]> =>
  query(
    databaseUrl,
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished, rolled_back_at IS NOT NULL AS "rolledBack"
     FROM _prisma_migrations ORDER BY started_at`,
  );

function writeSchema(models: string): void {
  writeFileSync(
    join(schemaDir, 'schema.prisma'),
    `datasource db {\n  provider = "postgresql"\n}\n\n${models}\n`,
  );
}

function addMigration(folder: string, sql: string): void {
  mkdirSync(join(schemaDir, 'migrations', folder), { recursive: true });
  writeFileSync(join(schemaDir, 'migrations', folder, 'migration.sql'), sql);
  writeFileSync(join(schemaDir, 'migrations', 'migration_lock.toml'), 'provider = "postgresql"\n');
}

const FLOWS = 'model Flow {\n  id String @id\n\n  @@map("flows")\n}';
const FLOWS_SQL = 'CREATE TABLE "flows" ("id" TEXT NOT NULL, CONSTRAINT "flows_pkey" PRIMARY KEY ("id"));\n';

describe('deployMigrations', () => {
  test('creates the database, applies in order, records like Prisma, and does nothing the second time', async () => {
    writeSchema(FLOWS);
    addMigration('20260101000000_flows', FLOWS_SQL);
    addMigration(
      '20260102000000_column',
      'ALTER TABLE "flows" ADD COLUMN "note" TEXT -- no semicolon, a comment at the end',
    );
    expect(await deployMigrations({ schemaDir, databaseUrl })).toEqual([
      '20260101000000_flows',
      '20260102000000_column',
    ]);
    expect(await deployMigrations({ schemaDir, databaseUrl })).toEqual([]);
    expect(await history()).toEqual([
      {
        name: '20260101000000_flows',
        checksum: createHash('sha256').update(FLOWS_SQL).digest('hex'),
        finished: true,
        rolledBack: false,
      },
      expect.objectContaining({ name: '20260102000000_column', finished: true, rolledBack: false }),
    ]);
  });

  test('refuses a database of other migrations, changes nothing, and says what to do', async () => {
    writeSchema(FLOWS);
    addMigration('20260101000000_initial', FLOWS_SQL);
    addMigration('20260102000000_column', 'ALTER TABLE "flows" ADD COLUMN "note" TEXT');
    await deployMigrations({ schemaDir, databaseUrl });
    rmSync(join(schemaDir, 'migrations'), { recursive: true });
    addMigration('20260103000000_baseline', FLOWS_SQL);
    await expect(deployMigrations({ schemaDir, databaseUrl })).rejects.toThrow(
      /made before release 0\.2\.0.*delete that folder/s,
    );
    expect((await history()).map(({ name }) => name)).toEqual([
      '20260101000000_initial',
      '20260102000000_column',
    ]);
  });

  test('applies a migration of a branch beside one that this checkout lacks', async () => {
    writeSchema(FLOWS);
    addMigration('20260101000000_flows', FLOWS_SQL);
    addMigration('20260102000000_theirs', 'ALTER TABLE "flows" ADD COLUMN "theirs" TEXT');
    await deployMigrations({ schemaDir, databaseUrl });
    rmSync(join(schemaDir, 'migrations', '20260102000000_theirs'), { recursive: true });
    addMigration('20260103000000_ours', 'ALTER TABLE "flows" ADD COLUMN "ours" TEXT');
    expect(await deployMigrations({ schemaDir, databaseUrl })).toEqual(['20260103000000_ours']);
  });

  test('runs a script with semicolons in strings and function bodies unchanged', async () => {
    writeSchema(FLOWS);
    addMigration(
      '20260101000000_function',
      `${FLOWS_SQL}
       CREATE FUNCTION two() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; RETURN 2; END $$;
       INSERT INTO flows VALUES ('a;b');`,
    );
    await deployMigrations({ schemaDir, databaseUrl });
    expect(await query(databaseUrl, 'SELECT id, two() FROM flows')).toEqual([{ id: 'a;b', two: 2 }]);
  });

  test('leaves nothing of a failed migration, names it, and continues once it is fixed', async () => {
    writeSchema(FLOWS);
    addMigration('20260101000000_flows', FLOWS_SQL);
    addMigration(
      '20260102000000_broken',
      'CREATE TABLE "half" ("id" INT); ALTER TABLE "absent" ADD COLUMN "x" INT;',
    );
    const failing = deployMigrations({ schemaDir, databaseUrl });
    await expect(failing).rejects.toThrow(
      'Migration 20260102000000_broken failed: relation "absent" does not exist (42P01). Nothing of it was kept',
    );
    expect(await tables()).toEqual(['_prisma_migrations', 'flows']);
    expect((await history())[1]).toMatchObject({
      name: '20260102000000_broken',
      finished: false,
      rolledBack: true,
    });

    addMigration('20260102000000_broken', 'CREATE TABLE "half" ("id" INT);');
    expect(await deployMigrations({ schemaDir, databaseUrl })).toEqual(['20260102000000_broken']);
    expect(await tables()).toEqual(['_prisma_migrations', 'flows', 'half']);
  });

  test('refuses to continue after a failure outside of a transaction until it is resolved', async () => {
    writeSchema(FLOWS);
    addMigration('20260101000000_flows', FLOWS_SQL);
    await deployMigrations({ schemaDir, databaseUrl });
    addMigration('20260102000000_index', 'CREATE UNIQUE INDEX CONCURRENTLY "one_row" ON "flows" ((true));');
    await query(databaseUrl, `INSERT INTO flows VALUES ('a'), ('b')`);
    await expect(deployMigrations({ schemaDir, databaseUrl })).rejects.toThrow(
      /20260102000000_index failed: could not create unique index.*It is no transaction/,
    );
    await expect(deployMigrations({ schemaDir, databaseUrl })).rejects.toThrow(
      /failed migrations in the target database/,
    );
  });

  test('applies everything exactly once when several replicas call it', async () => {
    writeSchema(FLOWS);
    addMigration('20260101000000_flows', FLOWS_SQL);
    addMigration('20260102000000_slow', `SELECT pg_sleep(0.3); INSERT INTO "flows" VALUES ('once');`);
    const applied = await Promise.all(
      Array.from({ length: 5 }, () => deployMigrations({ schemaDir, databaseUrl })),
    );
    expect(applied.flat().sort()).toEqual(['20260101000000_flows', '20260102000000_slow']);
    expect(await history()).toHaveLength(2);
  });

  test('continues after a deploy that was killed in the middle of a migration', async () => {
    writeSchema(FLOWS);
    addMigration('20260101000000_flows', FLOWS_SQL);
    addMigration('20260102000000_slow', `CREATE TABLE "slow" ("id" INT); SELECT pg_sleep(1.5);`);
    const code = `import { deployMigrations } from '@parley/migrator'; await deployMigrations(${JSON.stringify({ schemaDir, databaseUrl })});`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', code], {
      cwd: root,
      stdio: 'inherit',
    });
    const exit = once(child, 'exit');
    const sleeping = `SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(1.5)%' AND pid <> pg_backend_pid()`;
    while ((await query(server, sleeping)).length === 0) {
      expect(child.exitCode).toBeNull(); // it must be killed in the middle, not end before
    }
    child.kill('SIGKILL');
    await exit;
    // Postgres commits the script if it notices too late that the client is gone; both are fine.
    await deployMigrations({ schemaDir, databaseUrl });
    expect(await tables()).toEqual(['_prisma_migrations', 'flows', 'slow']);
    expect((await history()).filter((row) => row['finished'] && !row['rolledBack'])).toHaveLength(2);
  });

  test('clears a migration that a crash left unfinished', async () => {
    writeSchema(FLOWS);
    addMigration('20260101000000_flows', FLOWS_SQL);
    await deployMigrations({ schemaDir, databaseUrl });
    addMigration('20260102000000_next', 'CREATE TABLE "next" ("id" INT);');
    await query(
      databaseUrl,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at) VALUES ('x', '0', '20260102000000_next', now())`,
    );
    expect(await deployMigrations({ schemaDir, databaseUrl })).toEqual(['20260102000000_next']);
    expect(await tables()).toContain('next');
  });

  test('names a database that is unreachable', async () => {
    writeSchema(FLOWS);
    const nobody = 'postgresql://postgres@127.0.0.1:1/x';
    await expect(deployMigrations({ schemaDir, databaseUrl: nobody })).rejects.toThrow('ECONNREFUSED');
  });
});

describe('createMigration', () => {
  const now = new Date('2026-03-04T05:06:07.890Z');

  test('writes the missing migration once, and leaves no shadow database behind', async () => {
    writeSchema(FLOWS);
    const options = { schemaDir, databaseUrl: server, now };
    expect(await createMigration({ ...options, name: 'initial' })).toBe('20260304050607_initial');
    expect(await createMigration({ ...options, name: 'again' })).toBeNull();
    expect(readdirSync(join(schemaDir, 'migrations'))).toEqual([
      '20260304050607_initial',
      'migration_lock.toml',
    ]);

    writeSchema(FLOWS.replace('id String @id', 'id   String  @id\n  note String?'));
    expect(await createMigration({ ...options, name: 'note', now: new Date('2026-03-05T00:00:00Z') })).toBe(
      '20260305000000_note',
    );
    const sql = readFileSync(join(schemaDir, 'migrations', '20260305000000_note', 'migration.sql'), 'utf8');
    expect(sql).toContain('ALTER TABLE "flows" ADD COLUMN');
    await deployMigrations({ schemaDir, databaseUrl });
    expect(await findLiveDrift({ schemaDir, databaseUrl })).toBeNull();
  });

  test('refuses an invalid folder name before it compares anything', async () => {
    await expect(createMigration({ schemaDir, databaseUrl: server, name: '../x', now })).rejects.toThrow(
      'a-z, 0-9 and _',
    );
  });

  test('reports the error of a schema that does not parse', async () => {
    writeSchema('model Flow {');
    await expect(createMigration({ schemaDir, databaseUrl: server, name: 'x', now })).rejects.toThrow(
      /not a valid|Error/,
    );
  });
});

test('findLiveDrift shows what a database lacks', async () => {
  writeSchema(FLOWS);
  addMigration('20260101000000_flows', FLOWS_SQL);
  await deployMigrations({ schemaDir, databaseUrl });
  await query(databaseUrl, 'DROP TABLE flows');
  expect(await findLiveDrift({ schemaDir, databaseUrl })).toContain('CREATE TABLE "flows"');
});

test('no shadow database outlives its call', async () => {
  await expect(
    query(server, `SELECT datname FROM pg_database WHERE datname LIKE 'parley_shadow_%'`),
  ).resolves.toEqual([]);
});
