// Loads Prisma's schema engine (wasm) and opens it on a migration adapter. Called by deploy-migrations and diff-migrations.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { MigrationAdapters } from './migration-adapter.ts';
import type { SchemaFile } from './migrations-folder.ts';

export type EngineOptions = {
  /** The database the engine connects to; for a diff, any database of the server that may hold the shadow database. */
  databaseUrl: string;
  schema: SchemaFile;
  /** Where `schema_engine_bg.wasm` lies; without it the installed npm package is used. A bundle names the copy beside it. */
  wasmPath?: string | undefined;
  /** Scripts that are run as one transaction together with their bookkeeping; see MigrationAdapters. */
  migrationScripts?: ReadonlySet<string>;
};

/** Opens an engine, runs `work` with it, and closes every connection and shadow database, whatever happened. */
export async function withSchemaEngine<T>(options: EngineOptions, work: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  const panics = loadWasmOnce(options.wasmPath);
  const adapters = new MigrationAdapters(options.databaseUrl, options.migrationScripts ?? new Set());
  try {
    const opened = await engine.SchemaEngine.new(
      { datamodels: [[options.schema.path, options.schema.content]] },
      () => undefined, // the engine's own trace lines
      bindMigrationAwareSqlAdapterFactory(adapters),
    );
    try {
      return await work(opened);
    } finally {
      opened.free();
    }
  } catch (error) {
    if (panics.length > 0) throw new Error(`The schema engine panicked: ${panics.splice(0).join('\n')}`, { cause: error });
    throw error;
  } finally {
    await adapters.close();
  }
}

// The only state of this library: the wasm-bindgen glue keeps its one instance in a variable of its own module, so a second
// instance would pull the memory from under a call that is still running.
let loaded: string[] | undefined;

/** Instantiates the wasm on the first call (about 60 ms); returns the list to which the engine adds what it panicked about. */
function loadWasmOnce(wasmPath: string | undefined): string[] {
  if (loaded !== undefined) return loaded;
  const panics: string[] = [];
  // The engine reports a panic through this global, and dies with an unreadable TypeError when it is absent. Prisma's client sets it too.
  const global = globalThis as { PRISMA_WASM_PANIC_REGISTRY?: { set_message(message: string): void } };
  global.PRISMA_WASM_PANIC_REGISTRY ??= { set_message: (message) => void panics.push(message) };
  const module = new WebAssembly.Module(readFileSync(wasmPath ?? installedWasm()));
  const instance = new WebAssembly.Instance(module, { './schema_engine_bg.js': engine as never });
  engine.__wbg_set_wasm(instance.exports);
  (instance.exports['__wbindgen_start'] as () => void)();
  loaded = panics;
  return panics;
}

function installedWasm(): string {
  const require = createRequire(import.meta.url);
  return join(dirname(require.resolve('@prisma/schema-engine-wasm/schema_engine_bg')), 'schema_engine_bg.wasm');
}
