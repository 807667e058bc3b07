// Compares schema.prisma with the migrations or a database, and writes the missing migration.
import type { DiffTarget } from '@prisma/schema-engine-wasm/schema_engine_bg';
import {
  NO_FILTERS,
  migrationFolder,
  readMigrations,
  readSchema,
  writeMigration,
} from './migrations-folder.ts';
import { withSchemaEngine } from './schema-engine.ts';

export type DiffOptions = {
  /** The folder with `schema.prisma` and `migrations/`. */
  schemaDir: string;
  databaseUrl: string;
  wasmPath?: string | undefined;
};

/**
 * Writes the migration that brings the existing ones up to `schema.prisma`.
 *
 * `databaseUrl` is any server whose role may create databases: the migrations are replayed in a
 * shadow database there, which is dropped again. Returns the new folder's name, or null when
 * nothing changed. `now` is the time stamp of the folder (UTC).
 */
export async function createMigration(
  options: DiffOptions & { name: string; now: Date },
): Promise<string | null> {
  const folder = migrationFolder(options.name, options.now);
  const sql = await findDrift(options);
  if (sql === null) return null;
  writeMigration(options.schemaDir, folder, sql);
  return folder;
}

/**
 * Migrations against `schema.prisma`: null when they agree, else the missing SQL. Does not compare
 * what Prisma's schema language lacks (triggers, functions, checks, partial and expression
 * indexes).
 */
export async function findDrift(options: DiffOptions): Promise<string | null> {
  const migrations = readMigrations(options.schemaDir);
  // Prisma reads the kind of database from the migrations' lock file, which an empty folder lacks.
  const none = migrations.migrationDirectories.length === 0;
  return diff(options, none ? { tag: 'empty' } : { tag: 'migrations', ...migrations });
}

/**
 * A database against `schema.prisma`: null when they agree, else the SQL that the database lacks.
 */
export async function findLiveDrift(options: DiffOptions): Promise<string | null> {
  return diff(options, {
    tag: 'schemaDatasource',
    files: [readSchema(options.schemaDir)],
    configDir: options.schemaDir,
  });
}

async function diff(
  { schemaDir, databaseUrl, wasmPath }: DiffOptions,
  from: DiffTarget,
): Promise<string | null> {
  const schema = readSchema(schemaDir);
  return withSchemaEngine({ databaseUrl, schema, wasmPath }, async (engine) => {
    const { exitCode, stdout } = await engine.diff({
      from,
      to: { tag: 'schemaDatamodel', files: [schema] },
      script: true,
      exitCode: true, // 2: there is a difference
      filters: NO_FILTERS,
    });
    return exitCode === 2 ? (stdout ?? '') : null;
  });
}
