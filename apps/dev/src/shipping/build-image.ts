// Makes what the Dockerfile makes, without a container engine: its RUN lines as they stand, in a
// clean directory, on this machine's Node. What comes out is the image's /app and what the image
// says of itself.
import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import type { ImageName } from '../stack/index.ts';
import {
  commandOf,
  contextFilter,
  environmentOf,
  instructionsOf,
  parseDockerfile,
  type Stage,
} from './dockerfile.ts';

export interface BuiltImage {
  readonly service: ImageName;
  /** Holds what the image has in its working directory. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  readonly healthcheck: readonly string[];
  /** The user id that the image runs as. */
  readonly user: number;
}

/** Packages of 600 folders over a slow line. */
const STEP_TIMEOUT_MS = 10 * 60_000;

export interface BuildOptions {
  readonly root: string;
  /** Empty or absent. */
  readonly folder: string;
  readonly services: readonly ImageName[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onStep: (text: string) => void;
}

/**
 * Builds an image for each service. As with an engine's cache, steps that do not name APP run once
 * for all of them.
 */
export async function buildImages({
  root,
  folder,
  services,
  env,
  onStep,
}: BuildOptions): Promise<BuiltImage[]> {
  const stages = parseDockerfile(readFileSync(join(root, 'docker', 'Dockerfile'), 'utf8'));
  const [build, image] = stages;
  if (stages.length !== 2 || build?.as !== 'build' || !image) throw new Error('a build stage and an image');
  const source = join(folder, instructionsOf(build, 'WORKDIR')[0]!);
  const built: BuiltImage[] = [];
  for (const service of services) {
    for (const instruction of build.instructions) {
      const isFirst = service === services[0];
      const name = instruction.getKeyword();
      const script = instruction.getArgumentsContent() ?? '';
      if (name === 'COPY' && isFirst) copyContext(root, source, script);
      if (name !== 'RUN' || !(isFirst || script.includes('$APP'))) continue;
      onStep(`${service}: ${script}`);
      await runStep(script, source, { ...env, APP: service });
    }
    copyOut(image, source, join(folder, service));
    built.push(describeImage(image, service, join(folder, service)));
  }
  return built;
}

/** The image stage only copies from the build. */
function copyOut(image: Stage, source: string, folder: string): void {
  for (const copy of instructionsOf(image, 'COPY')) {
    const [, from = ''] = /^--from=build (\S+) \.\/$/.exec(copy) ?? [];
    if (!isAbsolute(from)) throw new Error(`the image copies from the build only: COPY ${copy}`);
    cpSync(join(source, relative('/src', from)), folder, { recursive: true });
  }
}

/** What the image stage says of the image whose `/app` lies in `folder`. */
export function describeImage(image: Stage, service: ImageName, folder: string): BuiltImage {
  const [user = ''] = instructionsOf(image, 'USER').slice(-1);
  return {
    service,
    folder,
    env: environmentOf(image, { APP: service }),
    entrypoint: commandOf(image, 'ENTRYPOINT'),
    cmd: commandOf(image, 'CMD'),
    healthcheck: commandOf(image, 'HEALTHCHECK'),
    user: Number(user.split(':')[0]),
  };
}

/** Takes every right to write from a tree, as a read-only root file system does. */
export function makeReadOnly(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) makeReadOnly(path);
    else chmodSync(path, 0o444);
  }
  chmodSync(folder, 0o555);
}

/** Every file of a folder, with its size in bytes. */
export function filesOf(folder: string): Map<string, number> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
      .map((path) => [relative(folder, path), statSync(path).size]),
  );
}

function copyContext(root: string, target: string, text: string): void {
  if (text !== '. ./') throw new Error(`the build copies its context as a whole: COPY ${text}`);
  const isLetIn = contextFilter(readFileSync(join(root, 'docker', 'Dockerfile.dockerignore'), 'utf8'));
  mkdirSync(target, { recursive: true });
  const copy = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (!isLetIn(path)) continue;
      if (entry.isDirectory()) copy(path);
      else cpSync(join(root, path), join(target, path));
    }
  };
  copy('');
}

async function runStep(
  script: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const child = spawn('sh', ['-c', script], {
    cwd,
    env: { ...env, NODE_ENV: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: STEP_TIMEOUT_MS,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const status = await new Promise<number>((resolve, reject) => {
    child.once('close', (code) => resolve(code ?? 1));
    child.once('error', reject);
  });
  if (status !== 0) throw new Error(`"${script}" failed:\n${output.trim()}`);
}
