// `parley migrate`: brings a service's database up to the release that this program belongs to. In a cluster the migrate Job
// (k8s/base/service/migrate.yaml) runs it before the new replicas start. Called by program.ts.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Option } from 'commander';
import { deployMigrations } from '@parley/migrator';
import type { Environment } from '@parley/runtime';
import { resolveDatabaseUrl, type Service } from './services.ts';

/** `home` holds main: the folder of the bundle, or `apps/cli/src` in a checkout. */
export interface MigrateContext {
  readonly env: Environment;
  readonly home: string;
  readonly print: (line: string) => void;
}

export interface MigrateOptions {
  readonly product: Service;
  readonly databaseUrl?: string;
}

/**
 * Applies what is not applied yet and names it. Several at once are safe: one works, the others wait and find nothing to do.
 * @throws Error that names the migration that failed and what Postgres answered; nothing of it was kept.
 */
export async function migrate({ env, home, print }: MigrateContext, options: MigrateOptions): Promise<void> {
  const databaseUrl = await resolveDatabaseUrl(env, options);
  const applied = await deployMigrations({ ...migrationFiles(home, options.product), databaseUrl });
  const { host, pathname } = new URL(databaseUrl);
  const where = `${options.product} (${host}${pathname})`;
  if (applied.length === 0) print(`${where}: nothing to do`);
  for (const name of applied) print(`${where}: applied ${name}`);
}

/** A bundle carries Prisma's engine and the migrations beside itself; a checkout has them where they are written. */
function migrationFiles(home: string, service: Service): { schemaDir: string; wasmPath?: string } {
  const wasmPath = join(home, 'schema_engine_bg.wasm');
  if (!existsSync(wasmPath)) return { schemaDir: join(home, '..', '..', '..', 'prisma', service) };
  const schemaDir = join(home, 'prisma', service);
  if (!existsSync(schemaDir)) throw new Error(`this image does not hold the migrations of ${service}`);
  return { schemaDir, wasmPath };
}

export function addMigrate(
  parley: Command,
  context: MigrateContext,
  options: { product: () => Option; url: () => Option },
): void {
  parley
    .command('migrate')
    .description("Apply what is missing of the migrations to a service's database")
    .addOption(options.product())
    .addOption(options.url())
    .action((given: MigrateOptions) => migrate(context, given));
}
