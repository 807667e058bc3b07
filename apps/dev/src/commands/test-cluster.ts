// `npm run test:cluster`: k8s/ as the real programs see it (test/cluster). kubectl renders every
// overlay, promtool checks and tests the alerts.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { hasApt } from '@parley/testing/servers';
import { closeRun } from '../closing-line.ts';
import { CommandError, runCommand } from '../run-command.ts';
import { runNode } from '../throwaway.ts';

const run = promisify(execFile);

await runCommand(async (context) => {
  const { root, env, args } = context;
  const path = env['PATH'] ?? '';
  if (!programOn(path, 'kubectl'))
    throw new CommandError(
      'There is no kubectl on PATH. Install it: brew install kubectl (macOS), snap install kubectl --classic (Ubuntu), or ' +
        'https://kubernetes.io/docs/tasks/tools/',
    );
  const PROMTOOL = await promtoolIn(path, join(root, '.parley', 'prometheus-apt'));
  const results = join(root, 'dist', 'test-cluster.json');
  rmSync(results, { force: true });
  const chosen = ['--selectProjects=dev', '--testMatch=**/*.cluster.ts', ...args];
  const jest = ['apps/dev/jest.mjs', ...chosen, '--json', `--outputFile=${results}`];
  // These tests need no servers, and get none.
  const more = { PROMTOOL, TEST_POSTGRES_URL: 'none', TEST_REDIS_URL: 'none' };
  const status = await runNode(context, jest, more, new AbortController().signal);
  return closeRun(context, [results], status);
});

function programOn(path: string, name: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((candidate) => existsSync(candidate));
}

/**
 * promtool on PATH, else Debian's, unpacked into a folder of ours: nothing is installed on the
 * machine.
 */
async function promtoolIn(path: string, folder: string): Promise<string> {
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
