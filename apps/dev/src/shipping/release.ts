// Makes the files of a release in a folder (src/commands/release-dry.ts).
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CommandError } from '../run-command.ts';
import { layOutParley } from './package-parley.ts';
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

/** The whole of Parley as one package. */
export async function packParley(root: string, folder: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'parley-package-'));
  try {
    await layOutParley(root, home);
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
