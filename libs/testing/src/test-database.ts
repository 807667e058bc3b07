// A database for one test file, cloned from a template that is migrated once. `npm test` builds the
// templates ahead of time.
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deployMigrations } from '@parley/migrator';
import pg from 'pg';
import { testPostgresUrl } from './test-servers.ts';

/** The three services, each with its own database. */
export const SERVICES = ['flow-builder', 'voice-api', 'notifications'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** `template_flow_builder` and so on, on the test server. */
export function templateName(service: ServiceName): string {
  return `template_${service.replaceAll('-', '_')}`;
}

/** The folder with the service's `schema.prisma` and `migrations/`. */
export function getSchemaDir(service: ServiceName): string {
  return fileURLToPath(new URL(`../../../prisma/${service}`, import.meta.url));
}

/**
 * A new empty database with the service's tables. `drop()` removes it and its connections, and may
 * be called twice. Takes about 50 ms: Postgres copies the template's files.
 */
export async function createTestDatabase(
  service: ServiceName,
): Promise<{ url: string; drop(): Promise<void> }> {
  const serverUrl = testPostgresUrl();
  const name = `test_${service.replaceAll('-', '_')}_${randomBytes(6).toString('hex')}`;
  await cloneTemplate(serverUrl, service, name);
  return {
    url: onDatabase(serverUrl, name),
    drop: () =>
      withClient(serverUrl, async (client) => {
        await waitForDisconnects(client, name);
        await client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
      }),
  };
}

const GOODBYES_MS = 250;

/**
 * A pool reports its end while its connections still close; cutting one off then is an unhandled
 * error.
 */
async function waitForDisconnects(client: pg.Client, name: string): Promise<void> {
  const deadlineMs = Date.now() + GOODBYES_MS;
  while (Date.now() < deadlineMs) {
    const open = await client.query('SELECT 1 FROM pg_stat_activity WHERE datname = $1 LIMIT 1', [name]);
    if (open.rowCount === 0) return;
    await client.query('SELECT pg_sleep(0.01)');
  }
}

/** Postgres's answers when the template was replaced between our check and our copy. */
const TEMPLATE_REPLACED = new Set(['3D000', '55006']);
const CLONE_ATTEMPTS_MAX = 5;

async function cloneTemplate(serverUrl: string, service: ServiceName, name: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await ensureTemplate(serverUrl, service);
    try {
      await withClient(serverUrl, (client) =>
        client.query(`CREATE DATABASE "${name}" TEMPLATE "${templateName(service)}"`),
      );
      return;
    } catch (error) {
      const replaced = error instanceof pg.DatabaseError && TEMPLATE_REPLACED.has(error.code ?? '');
      if (!replaced || attempt === CLONE_ATTEMPTS_MAX) throw error;
    }
  }
}

/** So that two processes never build the same template concurrently. Any unused number. */
const TEMPLATE_LOCK = 5_150_001;

/**
 * Builds the service's template database if it is missing or has other migrations; else does
 * nothing (2 ms). The template's comment is the hash of its migrations, so a long-lived server is
 * safe.
 */
export async function ensureTemplate(serverUrl: string, service: ServiceName): Promise<void> {
  const schemaDir = getSchemaDir(service);
  const wanted = migrationsHash(schemaDir);
  const template = templateName(service);
  await withClient(serverUrl, async (client) => {
    if ((await templateHash(client, template)) === wanted) return;
    await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    if ((await templateHash(client, template)) === wanted) return; // built while we waited
    const building = `${template}_building`;
    await client.query(`DROP DATABASE IF EXISTS "${building}" WITH (FORCE)`);
    await deployMigrations({ schemaDir, databaseUrl: onDatabase(serverUrl, building) });
    await client.query(`COMMENT ON DATABASE "${building}" IS '${wanted}'`);
    await client.query(`DROP DATABASE IF EXISTS "${template}" WITH (FORCE)`);
    await client.query(`ALTER DATABASE "${building}" RENAME TO "${template}"`);
  });
}

async function templateHash(client: pg.Client, template: string): Promise<string | null> {
  const found = await client.query<{ hash: string | null }>(
    `SELECT shobj_description(oid, 'pg_database') AS hash FROM pg_database WHERE datname = $1`,
    [template],
  );
  return found.rows[0]?.hash ?? null;
}

function migrationsHash(schemaDir: string): string {
  const hash = createHash('sha256');
  const migrations = join(schemaDir, 'migrations');
  for (const entry of readdirSync(migrations, { withFileTypes: true }).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    if (!entry.isDirectory()) continue;
    hash.update(`${entry.name}\0`).update(readFileSync(join(migrations, entry.name, 'migration.sql')));
  }
  return hash.digest('hex');
}

function onDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end(); // also releases an advisory lock
  }
}
