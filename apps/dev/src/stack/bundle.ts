// Bundles the services, the console and the operator's command line: each becomes a folder that
// runs without node_modules.
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { build as Build, BuildOptions, Metafile, OutputFile } from 'esbuild';
import { buildPage } from './build-page.ts';
import { fingerprints, isMadeFrom } from './fingerprints.ts';
import { LANGUAGES_FOLDER, generateLanguages } from './generate-languages.ts';
import { withFolderLock, SETUP_WITHIN_MS } from '@parley/testing/servers';
import { SERVICES, schemaDir } from './services.ts';

/**
 * What is bundled: `apps/<name>/src/main.ts` becomes `<outDir>/apps/<name>/main.mjs`, its threads
 * lie beside it.
 */
export const BUNDLED_APPS = [...SERVICES, 'console', 'cli'] as const;
export type BundledApp = (typeof BUNDLED_APPS)[number];

/**
 * Files that run in threads of their own: each an entry beside `main.mjs`, since a thread is
 * started from a file.
 */
const THREADS: Partial<Record<BundledApp, Record<string, string>>> = {
  'flow-builder': { 'heavy-thread': 'heavy/heavy-thread.ts' },
  'voice-api': { 'batches-thread': 'conversations/batches-thread.ts' },
  notifications: {
    'encrypt-thread': 'push-engine/encrypt-thread.ts',
    'render-thread': 'rendering/render-thread.ts',
  },
};

export interface BundleOptions {
  readonly root: string;
  /** `dist` of the checkout unless given. */
  readonly outDir?: string;
  readonly apps?: readonly BundledApp[];
}

/**
 * Packages that are bundled may still call require() and use __dirname, which ES modules do not
 * have.
 */
const CHUNKS = 'chunks';
const BANNER =
  "import{createRequire as __cr}from'node:module';import{fileURLToPath as __fu}from'node:url';import{dirname as __dn}from'node:path';" +
  'const require=__cr(import.meta.url),__filename=__fu(import.meta.url),__dirname=__dn(__filename),' +
  `__bundleFolder=__dirname.replace(/[\\\\/]${CHUNKS}$/,'');`; // shippedPath of libs/server/runtime

/** How esbuild bundles what runs in production. */
export const BUNDLE_SETTINGS = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  legalComments: 'none',
  logLevel: 'silent', // problems are thrown
  // Neither is installed, and neither is ever asked for: pg-native is pg's other client, protobufjs
  // the form of a sketch that the voice API does not use.
  external: ['pg-native', 'protobufjs/minimal'],
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' }, // its other form loads its parts in a way that no bundler sees
  banner: { js: BANNER },
} satisfies BuildOptions;

/**
 * Bundles every app in one process, side by side (2 to 4 s for four on two cores; the page of the
 * console takes as long again); an app whose sources are as they were at the last time is left
 * alone (20 ms).
 *
 * Files of earlier bundles that nothing refers to any more are removed, except those younger than a
 * day: a service that is running may still load one of them (the query compiler is loaded with the
 * first query).
 */
export async function bundleApps(options: BundleOptions): Promise<void> {
  const { root, outDir = join(root, 'dist'), apps = BUNDLED_APPS } = options;
  await generateLanguages(root);
  await withFolderLock(join(root, '.parley', 'bundle.lock'), SETUP_WITHIN_MS, async () => {
    await Promise.all(apps.map((app) => bundleApp(root, app, join(outDir, 'apps', app))));
  });
}

async function bundleApp(root: string, app: BundledApp, outDir: string): Promise<void> {
  const source = join(root, 'apps', app, 'src');
  if (app === 'console') await buildPage(root, outDir);
  const threads = Object.entries(THREADS[app] ?? {}).map(([name, file]) => [name, join(source, file)]);
  if (await isUpToDate(root, outDir)) return;
  rmSync(join(outDir, INPUTS_FILE), { force: true });
  const { build } = await import('esbuild'); // most starts bundle nothing, and a package has no bundler
  const portal = app === 'voice-api' ? await buildPortalPage(root, outDir, build) : NOTHING_SHIPPED;
  const { metafile, outputFiles } = await build({
    ...BUNDLE_SETTINGS,
    entryPoints: { main: join(source, 'main.ts'), ...Object.fromEntries(threads) },
    absWorkingDir: root,
    outdir: outDir,
    outExtension: { '.js': '.mjs' },
    sourcemap: true,
    metafile: true,
    write: false,
    // Keeps the query compiler of Prisma (3.5 MB of base64) out of the entry: it is only loaded
    // when a client is made.
    splitting: true,
    chunkNames: `${CHUNKS}/[name]-[hash]`,
  });
  writeWhole(outputFiles);
  removeOldChunks(root, outDir, metafile);
  const shipped = addFiles(root, app, outDir);
  refuseMissing(app, outputFiles, [
    ...outputFiles.map(({ path }) => relative(outDir, path)),
    ...shipped.names,
    ...portal.names,
  ]);
  const inputs = [
    ...Object.keys(metafile.inputs),
    ...shipped.originals,
    ...portal.originals,
    'package-lock.json',
    'apps/dev/src/stack/bundle.ts',
  ];
  writeFileSync(join(outDir, INPUTS_FILE), JSON.stringify(await fingerprints(root, inputs)));
}

interface Shipped {
  /** As shippedPath calls them. */
  readonly names: readonly string[];
  /** Files that may change while the lock file does not. */
  readonly originals: readonly string[];
}

const NOTHING_SHIPPED: Shipped = { names: [], originals: [] };

const PORTAL_PAGE = 'libs/portal/page';

/** The hosted page of portal links, with one script and one style sheet. */
async function buildPortalPage(root: string, outDir: string, build: typeof Build): Promise<Shipped> {
  const { outputFiles, metafile } = await build({
    entryPoints: ['main.tsx', 'page.css'].map((name) => ({
      in: join(root, PORTAL_PAGE, name),
      out: 'page',
    })),
    absWorkingDir: root,
    outdir: join(outDir, 'portal'),
    bundle: true,
    minify: true,
    platform: 'browser',
    target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'], // those that have light-dark()
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    logLevel: 'silent',
    metafile: true,
    write: false,
  });
  writeWhole(outputFiles);
  copyFileSync(join(root, PORTAL_PAGE, 'index.html'), join(outDir, 'portal', 'index.html'));
  return { names: ['portal'], originals: [...Object.keys(metafile.inputs), `${PORTAL_PAGE}/index.html`] };
}

/** Copies what lies beside a bundle; the page of the console is there already. */
function addFiles(root: string, app: BundledApp, outDir: string): Shipped {
  if (app === 'console') return { names: ['web'], originals: [] };
  const languages = readsAnswers.has(app) ? addLanguages(root, outDir) : { names: [], originals: [] };
  if (app !== 'cli') {
    const migrations = copyMigrations(root, app, join(outDir, 'migrations'));
    return {
      names: [addDocsPage(root, outDir), 'migrations', ...languages.names],
      originals: [...migrations, ...languages.originals],
    };
  }
  const names = [addQueueBoard(root, outDir), addSchemaEngine(root, outDir), 'prisma', ...languages.names];
  return { names, originals: [...addMigrations(root, outDir), ...languages.originals] };
}

/**
 * Compares the calls of shippedPath in a bundle's code with what the bundle ships.
 * @throws Error that names the files that the bundle would not find when it runs
 */
export function refuseMissing(
  app: string,
  files: readonly Pick<OutputFile, 'path' | 'text'>[],
  shipped: readonly string[],
): void {
  const code = files.filter(({ path }) => path.endsWith('.mjs'));
  const calls = code.flatMap(({ text }) => [
    ...text.matchAll(/(?<!function )\bshippedPath\d*\(\s*(\S+?),\s/g),
  ]);
  const missing = calls.map(([, name = '']) => name).filter((name) => !shipped.includes(name.slice(1, -1)));
  if (missing.length > 0)
    throw new Error(
      `${app} asks for ${missing.join(', ')} beside its bundle, which ships ${shipped.join(', ')}`,
    );
}

/**
 * Each file whole or not at all, the entry last: a service may be starting from this folder right
 * now.
 */
function writeWhole(files: readonly OutputFile[]): void {
  const isEntry = ({ path }: OutputFile): number => (path.endsWith('main.mjs') ? 1 : 0);
  for (const { path, contents } of [...files].sort((a, b) => isEntry(a) - isEntry(b))) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.new`, path.endsWith('.mjs') ? inAscii(contents) : contents);
    renameSync(`${path}.new`, path);
  }
}

/**
 * V8 keeps a text with one character beyond ASCII in two bytes a character: a dash in a package's
 * comment costs as much memory as the bundle is long (9 MB). esbuild escapes strings; what is left
 * are comments and regular expressions.
 */
function inAscii(code: Uint8Array): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return Buffer.from(code)
    .toString('utf8')
    .replaceAll(/[^\0-\x7f]/g, escaped);
}

/** Remembers what a bundle was made from: path → size and time of change. */
const INPUTS_FILE = 'made-from.json';

async function isUpToDate(root: string, outDir: string): Promise<boolean> {
  return existsSync(join(outDir, 'main.mjs')) && isMadeFrom(root, join(outDir, INPUTS_FILE));
}

const readsAnswers: ReadonlySet<BundledApp> = new Set(['flow-builder', 'cli']);

/** Copies the data of languages that nobody tuned, a file each. */
function addLanguages(root: string, outDir: string): Shipped {
  const names = readdirSync(join(root, LANGUAGES_FOLDER)).filter((name) => name.endsWith('.json'));
  mkdirSync(join(outDir, 'languages'), { recursive: true });
  for (const name of names) copyFileSync(join(root, LANGUAGES_FOLDER, name), join(outDir, 'languages', name));
  return { names: ['languages'], originals: names.map((name) => `${LANGUAGES_FOLDER}/${name}`) };
}

/** Copies what GET /docs serves beside its own page. */
function addDocsPage(root: string, outDir: string): string {
  const source = dirname(createRequire(join(root, 'package.json')).resolve('swagger-ui-dist/package.json'));
  mkdirSync(join(outDir, 'swagger-ui'), { recursive: true });
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE']) {
    copyFileSync(join(source, file), join(outDir, 'swagger-ui', file));
  }
  return 'swagger-ui';
}

/**
 * Copies the page of Bull Board, which `parley dashboard` serves; its package looks for it in
 * node_modules.
 */
function addQueueBoard(root: string, outDir: string): string {
  const api = createRequire(join(root, 'package.json')).resolve('@bull-board/api');
  const source = dirname(createRequire(api).resolve('@bull-board/ui/package.json'));
  rmSync(join(outDir, 'bull-board-ui'), { recursive: true, force: true });
  cpSync(join(source, 'dist'), join(outDir, 'bull-board-ui', 'dist'), { recursive: true });
  return 'bull-board-ui';
}

/** Copies what the command line migrates with. */
function addSchemaEngine(root: string, outDir: string): string {
  const name = 'schema_engine_bg.wasm';
  const glue = createRequire(join(root, 'package.json')).resolve(
    '@prisma/schema-engine-wasm/schema_engine_bg',
  );
  copyFileSync(join(dirname(glue), name), join(outDir, name));
  return name;
}

/** Copies schema and migrations of every service; returns the originals. */
function addMigrations(root: string, outDir: string): string[] {
  return SERVICES.flatMap((service) => {
    const target = join(outDir, 'prisma', service);
    const migrations = copyMigrations(root, service, join(target, 'migrations'));
    cpSync(join(schemaDir(root, service), 'schema.prisma'), join(target, 'schema.prisma'));
    return [`prisma/${service}/schema.prisma`, ...migrations];
  });
}

/** Returns the originals, the folders too: their time changes when a migration is added. */
function copyMigrations(root: string, service: (typeof SERVICES)[number], target: string): string[] {
  const source = join(schemaDir(root, service), 'migrations');
  rmSync(target, { recursive: true, force: true });
  cpSync(source, target, { recursive: true });
  const names = readdirSync(source, { recursive: true, encoding: 'utf8' });
  return ['', ...names.map((name) => `/${name}`)].map((name) => `prisma/${service}/migrations${name}`);
}

const OLD_CHUNK_MS = 24 * 60 * 60_000;

function removeOldChunks(root: string, outDir: string, metafile: Metafile): void {
  const chunks = join(outDir, 'chunks');
  if (!existsSync(chunks)) return;
  const current = new Set(Object.keys(metafile.outputs));
  // docker/collect.sh takes these alone.
  writeFileSync(join(outDir, 'chunks.txt'), [...current].map((path) => `${basename(path)}\n`).join(''));
  const nowMs = Date.now();
  for (const name of readdirSync(chunks)) {
    const path = join(chunks, name);
    if (current.has(relative(root, path).replaceAll(sep, '/'))) continue;
    if (nowMs - statSync(path).mtimeMs > OLD_CHUNK_MS) rmSync(path);
  }
}
