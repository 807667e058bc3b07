// Which migrations of a release a database lacks: a service must not work on the tables of another
// release, and a restore can bring those back (docs/platform.md#operations-endpoints).
import { existsSync, readdirSync } from 'node:fs';
import type { Sql } from './sql.ts';

/** SQLSTATE undefined_table: nothing was migrated yet. */
const NO_TABLE = '42P01';

/** The names of the migrations in `folder`, oldest first. */
export function listMigrations(folder: string): string[] {
  if (!existsSync(folder)) throw new Error(`There are no migrations in ${folder}.`);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/** Those of `names` that are not applied. @throws when the database does not answer */
export async function findMissingMigrations(sql: Sql, names: readonly string[]): Promise<string[]> {
  try {
    const applied = await sql<{ name: string }>(
      `SELECT migration_name AS name FROM _prisma_migrations
       WHERE migration_name = ANY($1::text[]) AND finished_at IS NOT NULL AND rolled_back_at IS NULL`,
      [names],
    );
    const known = new Set(applied.map(({ name }) => name));
    return names.filter((name) => !known.has(name));
  } catch (error) {
    if ((error as { code?: unknown }).code === NO_TABLE) return [...names];
    throw error;
  }
}
