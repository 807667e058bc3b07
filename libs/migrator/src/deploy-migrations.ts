// Applies the migrations of one service to its database.
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { databaseName, ensureDatabase } from './ensure-database.ts';
import { NO_FILTERS, readMigrations, readSchema } from './migrations-folder.ts';
import { withSchemaEngine } from './schema-engine.ts';

export type DeployOptions = {
  /** The folder with `schema.prisma` and `migrations/`. */
  schemaDir: string;
  /**
   * A direct connection: the migration lock belongs to a session, which a transaction pooler does
   * not keep.
   */
  databaseUrl: string;
  wasmPath?: string | undefined;
};

/**
 * Applies missing migrations, oldest first, and returns their names.
 *
 * Creates an absent database. Several replicas may call it: one works, the others wait and find
 * nothing to do. A migration is one transaction, so a failed one leaves nothing behind. The error
 * names it with the answer of Postgres, and the next call retries it. Bookkeeping is Prisma's
 * (`_prisma_migrations`).
 */
export async function deployMigrations({
  schemaDir,
  databaseUrl,
  wasmPath,
}: DeployOptions): Promise<string[]> {
  const schema = readSchema(schemaDir);
  const migrationsList = readMigrations(schemaDir);
  const transactional = transactionalScripts(migrationsList);
  await ensureDatabase(databaseUrl);

  const options = { databaseUrl, schema, wasmPath, deploying: new Set(transactional.values()) };
  return withSchemaEngine(options, async (engine, adapters) => {
    await refuseOtherBaseline(engine, migrationsList, databaseName(databaseUrl));
    await forgetUnfinished(engine, migrationsList, transactional);
    try {
      const applied = await engine.applyMigrations({ migrationsList, filters: NO_FILTERS });
      return applied.appliedMigrationNames;
    } catch (error) {
      // Repairs the row of the failed migration now, so that other tools show it correctly. If that
      // fails too, the next deploy does it.
      const [failed] = await forgetUnfinished(engine, migrationsList, transactional).catch(() => []);
      const answer = adapters.scriptError;
      if (failed === undefined || answer === undefined) throw error;
      const kept = transactional.has(failed)
        ? 'Nothing of it was kept, and the next deploy tries it again.'
        : 'It is no transaction: look how far it came, then run `prisma migrate resolve`.';
      throw new Error(`Migration ${failed} failed: ${answer}. ${kept}`, { cause: error });
    }
  });
}

/** @throws when the database was migrated, but by none of these migrations. */
async function refuseOtherBaseline(
  engine: SchemaEngine,
  migrationsList: MigrationList,
  database: string,
): Promise<void> {
  const { history } = await engine.diagnoseMigrationHistory({
    migrationsList,
    optInToShadowDatabase: false,
    filters: NO_FILTERS,
  });
  if (history?.diagnostic !== 'historiesDiverge' || history.lastCommonMigrationName !== null) return;
  throw new Error(
    `Database ${database} was made before release 0.2.0, the first one, and cannot be upgraded. ` +
      'Delete it and migrate again. The databases of `npm start` are in the folder .parley: delete that folder.',
  );
}

/**
 * Marks unfinished migrations (a killed deploy, a failed script) as rolled back, so that they are
 * retried, and returns the names of all it found. Marks only those whose script commits together
 * with its bookkeeping. The progress of others is unknown, and the engine refuses until an operator
 * resolves them.
 */
async function forgetUnfinished(
  engine: SchemaEngine,
  migrationsList: MigrationList,
  transactional: ReadonlyMap<string, string>,
): Promise<string[]> {
  const { failedMigrationNames } = await engine.diagnoseMigrationHistory({
    migrationsList,
    optInToShadowDatabase: false,
    filters: NO_FILTERS,
  });
  for (const migrationName of failedMigrationNames) {
    if (transactional.has(migrationName)) await engine.markMigrationRolledBack({ migrationName });
  }
  return failedMigrationNames;
}

/** Migration name → script, for every migration that is one transaction. */
function transactionalScripts(list: MigrationList): Map<string, string> {
  const scripts = new Map<string, string>();
  for (const { path, migrationFile } of list.migrationDirectories) {
    const { content } = migrationFile;
    // CREATE INDEX CONCURRENTLY and VACUUM cannot run in a transaction; a COMMIT in the script
    // splits it.
    if (content.tag === 'ok' && !/\b(concurrently|vacuum|commit)\b/i.test(content.value))
      scripts.set(path, content.value);
  }
  return scripts;
}
