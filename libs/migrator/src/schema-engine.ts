// Loads Prisma's schema engine (wasm) and opens it on a migration adapter.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { MigrationAdapters } from './migration-adapter.ts';
import type { SchemaFile } from './migrations-folder.ts';

export type EngineOptions = {
  /** The database to connect to; for a diff, any database of the server for the shadow database. */
  databaseUrl: string;
  schema: SchemaFile;
  /**
   * Path of `schema_engine_bg.wasm`. Default: the installed npm package. A bundle names its own
   * copy.
   */
  wasmPath?: string | undefined;
  /** Set when migrations are applied; see MigrationAdapters. */
  deploying?: ReadonlySet<string>;
};

/** Opens an engine, runs `work` with it, and always closes every connection and shadow database. */
export async function withSchemaEngine<T>(
  options: EngineOptions,
  work: (engine: SchemaEngine, adapters: MigrationAdapters) => Promise<T>,
): Promise<T> {
  const panics = loadWasmOnce(options.wasmPath);
  const adapters = new MigrationAdapters(options.databaseUrl, options.deploying);
  try {
    const opened = await engine.SchemaEngine.new(
      { datamodels: [[options.schema.path, options.schema.content]] },
      () => undefined, // the engine's own trace lines
      bindMigrationAwareSqlAdapterFactory(adapters),
    );
    try {
      return await work(opened, adapters);
    } finally {
      opened.free();
    }
  } catch (error) {
    if (panics.length > 0)
      throw new Error(`The schema engine panicked: ${panics.splice(0).join('\n')}`, { cause: error });
    throw error;
  } finally {
    await adapters.close();
  }
}

// The only state of this library: the wasm-bindgen glue stores its instance in a module variable. A
// second instance would replace the memory of a running call.
let loaded: string[] | undefined;

/**
 * Instantiates the wasm on the first call (about 60 ms). Returns the list to which the engine adds
 * its panics.
 */
function loadWasmOnce(wasmPath: string | undefined): string[] {
  if (loaded !== undefined) return loaded;
  const panics: string[] = [];
  // The engine reports a panic through this global, and fails with an unreadable TypeError without
  // it. Prisma's client sets it too.
  const global = globalThis as { PRISMA_WASM_PANIC_REGISTRY?: { set_message(message: string): void } };
  global.PRISMA_WASM_PANIC_REGISTRY ??= { set_message: (message) => void panics.push(message) };
  const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
  const instance = new Instance(new Module(readFileSync(wasmPath ?? installedWasm())), {
    './schema_engine_bg.js': unrefTimers({ ...engine }),
  });
  engine.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  loaded = panics;
  return panics;
}

/**
 * The engine starts a 10 s timer around its lock and never clears it, which would keep a finished
 * process alive.
 */
function unrefTimers(imports: Record<string, unknown>): Record<string, unknown> {
  for (const [name, imported] of Object.entries(imports)) {
    if (!name.startsWith('__wbg_setTimeout_')) continue; // the rest of the name is a hash
    const setTimer = imported as (callback: () => void, delayMs: number) => NodeJS.Timeout;
    imports[name] = (callback: () => void, delayMs: number) => setTimer(callback, delayMs).unref();
  }
  return imports;
}

/** The used part of the WebAssembly global, whose types come only with the DOM library. */
type WebAssemblyApi = {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (
    module: object,
    imports: Record<string, object>,
  ) => { exports: { __wbindgen_start(): void } };
};

/** For a checkout. */
export function installedWasm(): string {
  // eslint-disable-next-line no-restricted-syntax -- a bundle names the copy that it ships: wasmPath
  const require = createRequire(import.meta.url);
  return join(
    dirname(require.resolve('@prisma/schema-engine-wasm/schema_engine_bg')),
    'schema_engine_bg.wasm',
  );
}
