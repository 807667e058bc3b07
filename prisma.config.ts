// Read by the Prisma command line (`prisma generate`, `prisma migrate deploy`) only. No service loads this file.
import { defineConfig } from 'prisma/config';

// `generate` never runs the schema engine, but would download it unless this names a file that exists.
// Migrations are made and applied by Prisma's own engine as wasm instead: see libs/migrator.
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;
process.env['PRISMA_HIDE_UPDATE_MESSAGE'] ??= '1';
process.env['CHECKPOINT_DISABLE'] ??= '1';

export default defineConfig({ schema: process.env['SCHEMA'] ?? 'prisma/flow-builder/schema.prisma' });
