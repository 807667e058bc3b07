// `npm run test:cluster`: what `npm test` checks of k8s/ with its own means, once more with the real ones. Renders every overlay with
// kubectl (or kustomize) and expects what our renderer gives; checks and tests the alerts with promtool.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { SERVICES, hasApt } from '@parley/local-stack';
import { CommandError, runCommand } from '../run-command.ts';
import { nameOf } from '../shipping/kubernetes-schemas.ts';
import { documentsOf, renderKustomization } from '../shipping/kustomize.ts';

const run = promisify(execFile);
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

await runCommand(async ({ root, env, report }) => {
  const render = rendererOn(env['PATH'] ?? '');
  for (const folder of [
    'overlays/dev',
    'overlays/production',
    ...SERVICES.map((name) => `dashboard/${name}`),
  ]) {
    await report.step(`k8s/${folder} is what ${render.name} makes of it`, async () => {
      const path = join(root, 'k8s', folder);
      const { stdout } = await run(render.program, [...render.args, path], { maxBuffer: OUTPUT_BYTES_MAX });
      const theirs = new Map(documentsOf(stdout).map((resource) => [nameOf(resource), resource]));
      const ours = renderKustomization(path);
      const other = ours.filter((resource) => !isDeepStrictEqual(theirs.get(nameOf(resource)), resource));
      if (other.length > 0 || theirs.size !== ours.length) {
        throw new CommandError(
          `other there: ${other.map(nameOf).join(', ')} (${theirs.size} for ${ours.length})`,
        );
      }
    });
  }
  const promtool = await promtoolIn(env['PATH'] ?? '', join(root, '.parley', 'prometheus-apt'));
  const folder = join(root, 'k8s', 'observability');
  for (const [args, file] of [
    [['check', 'rules'], 'alerts.yaml'],
    [['test', 'rules'], 'alerts.test.yaml'],
  ] as const) {
    await report.step(`promtool ${args.join(' ')} ${file}`, async () => {
      await run(promtool, [...args, join(folder, file)]).catch(
        (error: { stdout?: string; stderr?: string }) => {
          throw new CommandError(`${error.stdout ?? ''}${error.stderr ?? ''}`);
        },
      );
    });
  }
  return 0;
});

function programOn(path: string, name: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((candidate) => existsSync(candidate));
}

function rendererOn(path: string): { name: string; program: string; args: string[] } {
  const kubectl = programOn(path, 'kubectl');
  if (kubectl) return { name: 'kubectl kustomize', program: kubectl, args: ['kustomize'] };
  const kustomize = programOn(path, 'kustomize');
  if (kustomize) return { name: 'kustomize build', program: kustomize, args: ['build'] };
  throw new CommandError(
    'There is no kubectl on PATH, and no kustomize. Install one: https://kubernetes.io/docs/tasks/tools/',
  );
}

/** promtool on PATH, else Debian's, unpacked into a folder of ours: nothing is installed on the machine. */
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
