// Creates and applies migrations of one service's database by Prisma's schema engine as wasm. See
// README.md.
export { createMigration, findDrift, findLiveDrift } from './diff-migrations.ts';
export { deployMigrations } from './deploy-migrations.ts';
export { ensureDatabase } from './ensure-database.ts';
export { installedWasm } from './schema-engine.ts';
