// `parley migrate`: applies the migrations of this release to a service's database. In a cluster
// the migrate Job (k8s/base/service/migrate.yaml) runs it before the new replicas start.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command, Option } from 'commander';
import pg from 'pg';
import { deployMigrations, installedWasm } from '@parley/migrator';
import { findMissingMigrations, listMigrations, sqlOf } from '@parley/server/postgres';
import { shippedPath, type Environment } from '@parley/server/runtime';
import { resolveDatabaseUrl, type Service } from './services.ts';

export interface MigrateContext {
  readonly env: Environment;
  readonly print: (line: string) => void;
}

export interface MigrateOptions {
  readonly product: Service;
  readonly databaseUrl?: string;
}

/**
 * Applies missing migrations and prints them. A lock makes concurrent runs safe.
 * @throws Error that names the failed migration, which was rolled back, and Postgres' message.
 */
export async function migrate({ env, print }: MigrateContext, options: MigrateOptions): Promise<void> {
  const databaseUrl = await resolveDatabaseUrl(env, options);
  const wasmPath = shippedPath('schema_engine_bg.wasm', installedWasm);
  const applied = await deployMigrations({
    schemaDir: findSchemaDir(options.product),
    databaseUrl,
    wasmPath,
  });
  const { host, pathname } = new URL(databaseUrl);
  const where = `${options.product} (${host}${pathname})`;
  if (applied.length === 0) print(`${where}: nothing to do`);
  for (const name of applied) print(`${where}: applied ${name}`);
}

const POLL_INTERVAL_MS = 1_000;

/**
 * Waits until every migration of this release is applied: a new replica must not serve on the
 * tables of the release before. Also waits for a database that is unavailable or does not exist
 * yet.
 */
export async function waitForMigrations(
  { env, print }: MigrateContext,
  options: MigrateOptions,
): Promise<void> {
  const connectionString = await resolveDatabaseUrl(env, options);
  const wanted = listMigrations(join(findSchemaDir(options.product), 'migrations'));
  for (let printed = ''; ; await sleep(POLL_INTERVAL_MS)) {
    const missing = await readMissingMigrations(connectionString, wanted);
    if (missing.length === 0) return;
    const state = `${options.product}: waiting for ${missing.join(', ')}`;
    if (state !== printed) print(state);
    printed = state;
  }
}

/** All of `wanted` while there is no server or no database. */
async function readMissingMigrations(
  connectionString: string,
  wanted: readonly string[],
): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 3_000, query_timeout: 3_000 });
  client.on('error', () => undefined); // the query fails too
  try {
    await client.connect();
    return await findMissingMigrations(sqlOf(client), wanted);
  } catch {
    return wanted;
  } finally {
    await client.end().catch(() => undefined); // it may never have connected
  }
}

/** The folder of `schema.prisma` and `migrations`; an image holds only its own service's. */
function findSchemaDir(service: Service): string {
  const all = shippedPath('prisma', () => join(import.meta.dirname, '..', '..', '..', 'prisma'));
  const folder = join(all, service);
  if (!existsSync(folder)) throw new Error(`this image does not hold the migrations of ${service}`);
  return folder;
}

export function addMigrate(
  parley: Command,
  context: MigrateContext,
  options: { product: () => Option; url: () => Option },
): void {
  parley
    .command('migrate')
    .description("Apply missing migrations to a service's database")
    .addOption(options.product())
    .addOption(options.url())
    .option('--wait', 'apply nothing; wait until all migrations are applied')
    .action(({ wait, ...given }: MigrateOptions & { wait?: true }) =>
      wait ? waitForMigrations(context, given) : migrate(context, given),
    );
}
