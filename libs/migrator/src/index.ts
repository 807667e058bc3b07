// Migrations of one service's database, made and applied by Prisma's own schema engine as wasm. See README.md.
export { createMigration, findDrift, findLiveDrift } from './diff-migrations.ts';
export type { DiffOptions } from './diff-migrations.ts';
export { deployMigrations } from './deploy-migrations.ts';
export type { DeployOptions } from './deploy-migrations.ts';
export { ensureDatabase } from './ensure-database.ts';
export { installedWasm } from './schema-engine.ts';
