// Bundles the services and the operator's command line: each becomes a folder that runs without node_modules.
// Called by startStack, `npm test` and `npm run build`.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { build } from 'esbuild';
import type { Metafile } from 'esbuild';
import { SERVICES, schemaDir } from './services.ts';

/** What is bundled: `apps/<name>/src/main.ts` becomes `<outDir>/apps/<name>/main.mjs`. */
export const BUNDLED_APPS = [...SERVICES, 'cli'] as const;
export type BundledApp = (typeof BUNDLED_APPS)[number];

export interface BundleOptions {
  readonly root: string;
  /** `dist` of the checkout unless given. */
  readonly outDir?: string;
  readonly apps?: readonly BundledApp[];
}

/** Packages that are bundled may still call require() and use __dirname, which ES modules do not have. */
const BANNER =
  "import{createRequire as __cr}from'node:module';import{fileURLToPath as __fu}from'node:url';import{dirname as __dn}from'node:path';" +
  'const require=__cr(import.meta.url),__filename=__fu(import.meta.url),__dirname=__dn(__filename);';

/**
 * Bundles every app in one process, side by side (about 2 s for four).
 *
 * Files of earlier bundles that nothing refers to any more are removed, except those younger than a day: a service that is
 * running may still load one of them (the query compiler is loaded with the first query).
 */
export async function bundleApps(options: BundleOptions): Promise<void> {
  const { root, outDir = join(root, 'dist'), apps = BUNDLED_APPS } = options;
  await Promise.all(apps.map((app) => bundleApp(root, app, join(outDir, 'apps', app))));
}

async function bundleApp(root: string, app: BundledApp, outDir: string): Promise<void> {
  const entry = join(root, 'apps', app, 'src', 'main.ts');
  const { metafile } = await build({
    entryPoints: [entry],
    absWorkingDir: root,
    outdir: outDir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'silent', // problems are thrown
    // Keeps the query compiler of Prisma (3.5 MB of base64) out of the entry: it is only loaded when a client is made.
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    external: ['pg-native'],
    banner: { js: BANNER },
  });
  removeOldChunks(root, outDir, metafile);
  if (app === 'cli') addMigrations(root, outDir);
  else addDocsPage(root, outDir);
}

/** What GET /docs serves beside its own page. */
function addDocsPage(root: string, outDir: string): void {
  const source = dirname(createRequire(join(root, 'package.json')).resolve('swagger-ui-dist/package.json'));
  mkdirSync(join(outDir, 'swagger-ui'), { recursive: true });
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE']) {
    copyFileSync(join(source, file), join(outDir, 'swagger-ui', file));
  }
}

/** What the command line needs to migrate: Prisma's engine and the migrations of every service. */
function addMigrations(root: string, outDir: string): void {
  const engine = createRequire(join(root, 'package.json')).resolve(
    '@prisma/schema-engine-wasm/schema_engine_bg',
  );
  copyFileSync(join(dirname(engine), 'schema_engine_bg.wasm'), join(outDir, 'schema_engine_bg.wasm'));
  for (const service of SERVICES) {
    const target = join(outDir, 'prisma', service);
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    cpSync(join(schemaDir(root, service), 'schema.prisma'), join(target, 'schema.prisma'));
    cpSync(join(schemaDir(root, service), 'migrations'), join(target, 'migrations'), { recursive: true });
  }
}

const OLD_CHUNK_MS = 24 * 60 * 60_000;

function removeOldChunks(root: string, outDir: string, metafile: Metafile): void {
  const chunks = join(outDir, 'chunks');
  if (!existsSync(chunks)) return;
  const current = new Set(Object.keys(metafile.outputs));
  const nowMs = Date.now();
  for (const name of readdirSync(chunks)) {
    const path = join(chunks, name);
    if (current.has(relative(root, path).replaceAll(sep, '/'))) continue;
    if (nowMs - statSync(path).mtimeMs > OLD_CHUNK_MS) rmSync(path);
  }
}
