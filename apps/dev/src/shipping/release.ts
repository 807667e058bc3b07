// Makes the files of a release in a folder (src/commands/release-dry.ts).
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CommandError } from '../run-command.ts';
import { notesOf, type ReleaseFiles } from './release.rules.ts';

const run = promisify(execFile);
const CHARTS = ['flow-builder', 'voice-api', 'notifications', 'console', 'parley'];

export function readReleaseFiles(root: string): ReleaseFiles {
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const found = (path: string, pattern: RegExp) => pattern.exec(read(path))?.[1];
  const charts = CHARTS.map((name) => `k8s/charts/${name}/Chart.yaml`);
  return {
    version: (JSON.parse(read('package.json')) as { version: string }).version,
    changelog: read('CHANGELOG.md'),
    versions: {
      'libs/sdk-python/pyproject.toml': found('libs/sdk-python/pyproject.toml', /^version = "(.*)"$/m),
      ...Object.fromEntries(charts.map((path) => [path, found(path, /^version: (.*)$/m)])),
    },
  };
}

/** dist/release, empty. */
export function prepareFolder(root: string): string {
  const folder = join(root, 'dist', 'release');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

export async function packLibrary(root: string, library: string, folder: string): Promise<void> {
  await run(process.execPath, ['apps/dev/build-package.mjs', `libs/${library}`], { cwd: root });
  await npmPack(join(root, 'dist', 'libs', library), folder);
}

/** The bundle of apps/cli as the package `parley`: no source maps, no chunks of earlier bundles. */
export async function packCli(root: string, version: string, folder: string): Promise<void> {
  const source = join(root, 'dist', 'apps', 'cli');
  const home = mkdtempSync(join(tmpdir(), 'parley-cli-'));
  try {
    const chunks = new Set(readFileSync(join(source, 'chunks.txt'), 'utf8').split('\n'));
    cpSync(source, home, {
      recursive: true,
      filter: (path) =>
        !/(?:\.map|chunks\.txt|made-from\.json)$/.test(path) &&
        (!/\/chunks\/[^/]+$/.test(path) || chunks.has(path.split('/').at(-1)!)),
    });
    writeFileSync(join(home, 'parley.mjs'), "#!/usr/bin/env node\nimport './main.mjs';\n", { mode: 0o755 });
    const { license, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as object & {
      license: string;
      engines: object;
    };
    const description = "The operator's program of Parley: keys, organisations, flows as code, imports";
    const manifest = {
      name: 'parley',
      version,
      description,
      license,
      type: 'module',
      engines,
      bin: { parley: 'parley.mjs' },
    };
    writeFileSync(join(home, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    cpSync(join(root, 'apps', 'cli', 'README.md'), join(home, 'README.md'));
    cpSync(join(root, 'LICENSE'), join(home, 'LICENSE'));
    await npmPack(home, folder);
  } finally {
    rmSync(home, { recursive: true });
  }
}

async function npmPack(source: string, folder: string): Promise<void> {
  await run('npm', ['pack', source, '--pack-destination', folder, '--silent', '--ignore-scripts']);
}

const BUILD_PYTHON = 'import sys, setuptools.build_meta as b; b.build_sdist(sys.argv[1])';

/** The source distribution, of a copy: setuptools leaves folders beside the sources. */
export async function packPython(root: string, folder: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'parley-python-'));
  try {
    for (const part of ['pyproject.toml', 'README.md', 'src'])
      cpSync(join(root, 'libs', 'sdk-python', part), join(home, part), { recursive: true });
    await run('python3', ['-c', BUILD_PYTHON, folder], { cwd: home });
  } catch (error) {
    throw new CommandError(
      `The package of Python cannot be built (${(error as Error).message.trim()}). Install setuptools: ` +
        'python3 -m pip install setuptools (Debian: apt-get install python3-setuptools).',
    );
  } finally {
    rmSync(home, { recursive: true });
  }
}

/** In a folder of their own: the umbrella's file is called like the command line's. */
export async function packCharts(root: string, helm: string, folder: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'parley-charts-'));
  try {
    cpSync(join(root, 'k8s', 'charts'), home, { recursive: true });
    for (const name of CHARTS) {
      const update = name === 'parley' ? ['--dependency-update'] : [];
      await run(helm, ['package', join(home, name), ...update, '--destination', join(folder, 'charts')]);
    }
  } finally {
    rmSync(home, { recursive: true });
  }
}

export async function packSite(site: string, archive: string): Promise<void> {
  await run('tar', ['--create', '--gzip', '--file', archive, '--directory', site, '.']);
  rmSync(site, { recursive: true });
}

/** The chapter of the version, or of what is not released yet. */
export function writeNotes({ changelog, version }: ReleaseFiles, path: string): void {
  writeFileSync(path, notesOf(changelog, version) ?? notesOf(changelog, 'Unreleased') ?? '');
}

/** SHA256SUMS, and its lines. */
export function writeChecksums(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  const lines = files.map(
    (file) =>
      `${createHash('sha256')
        .update(readFileSync(join(folder, file)))
        .digest('hex')}  ${file}`,
  );
  writeFileSync(join(folder, 'SHA256SUMS'), `${lines.join('\n')}\n`);
  return lines;
}
