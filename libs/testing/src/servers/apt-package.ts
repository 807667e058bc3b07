// Programs of Debian packages, downloaded and unpacked into a folder of ours: nothing is installed
// on the machine, no rights are needed. Where the program is not on PATH.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withFolderLock } from './folder-lock.ts';
import { runStep, SETUP_WITHIN_MS, TookTooLong } from './setup-step.ts';

/** A mirror that does not answer is given up after seconds (aptIn); the rest is a slow machine. */
const APT_TIMEOUT_MS = 300_000;

/** True where Debian's package tools are: Debian, Ubuntu and their derivatives. */
export function hasApt(): boolean {
  return existsSync('/usr/bin/apt-get') && existsSync('/usr/bin/dpkg');
}

/** A program, and where its libraries lie when it is not installed but only unpacked. */
export interface Program {
  readonly path: string;
  readonly libraryPath?: string | undefined;
}

export interface DebianProgram {
  /**
   * Of these the ones that the machine lacks are unpacked, with what they depend on; the first one
   * always.
   */
  readonly packages: readonly [string, ...string[]];
  /** Of the program, below the root. */
  readonly path: string;
  /** True when it starts and is of a usable version. */
  runs(program: Program): boolean;
}

/** The program as unpacked under `folder` by an earlier start, or null. */
export function findUnpacked(folder: string, { path, runs }: DebianProgram): Program | null {
  const root = join(folder, 'root');
  const program = { path: join(root, path), libraryPath: '' };
  if (!existsSync(program.path)) return null;
  program.libraryPath = libraryFolders(root).join(':');
  return runs(program) ? program : null;
}

/**
 * Downloads the packages, and the libraries that this machine lacks, and unpacks them under
 * `folder` (about 5 s, 5 MB). Throws when apt cannot: no network, no such package, a program that
 * does not run.
 */
export async function unpack(folder: string, wanted: DebianProgram): Promise<Program> {
  return withFolderLock(`${folder}.lock`, SETUP_WITHIN_MS, async () => {
    const ready = findUnpacked(folder, wanted);
    if (ready !== null) return ready;
    const draft = `${folder}.new`;
    try {
      await unpackInto(draft, wanted.packages);
      rmSync(folder, { recursive: true, force: true });
      renameSync(draft, folder);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
    const program = findUnpacked(folder, wanted);
    if (program === null) throw new Error(`The ${wanted.packages[0]} unpacked in ${folder} does not run.`);
    return program;
  });
}

async function unpackInto(draft: string, packages: DebianProgram['packages']): Promise<void> {
  rmSync(draft, { recursive: true, force: true });
  for (const part of ['lists/partial', 'cache/archives/partial', 'debs', 'root']) {
    mkdirSync(join(draft, part), { recursive: true });
  }
  const apt = aptIn(draft);
  await apt('update'); // succeeds even when no list could be fetched
  // A simulated installation names exactly the packages that are missing here: "Inst libjemalloc2
  // (5.3.0-1 Debian:12 …)".
  const plan = await apt('install', '--simulate', '--no-install-recommends', ...packages).catch(
    (cause: unknown) => {
      if (cause instanceof TookTooLong) throw cause;
      throw new Error(
        `the package lists of this machine could not be fetched, or name no ${packages.join(' or ')}`,
        { cause },
      );
    },
  );
  const missing = [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name ?? '');
  // Installed, but without being on PATH: its own files are unpacked all the same.
  await apt('download', ...(missing.includes(packages[0]) ? missing : packages));
  for (const file of readdirSync(join(draft, 'debs'))) {
    if (file.endsWith('.deb'))
      await runStep(`${file} could not be unpacked`, 'dpkg', [
        '-x',
        join(draft, 'debs', file),
        join(draft, 'root'),
      ]);
  }
  for (const part of ['lists', 'cache', 'debs']) rmSync(join(draft, part), { recursive: true });
}

/**
 * apt-get with its own package lists and caches, reading only what the machine says of sources and
 * installed packages.
 */
function aptIn(draft: string): (command: string, ...args: string[]) => Promise<string> {
  const settings = {
    'Dir::State::lists': join(draft, 'lists'),
    'Dir::Cache': join(draft, 'cache'),
    'Dir::Log': draft,
    'Debug::NoLocking': 'true', // the system's lock is root's
    'APT::Sandbox::User': '', // as root apt would download as _apt, who may not write here
    'Acquire::Languages': 'none',
    'Acquire::Retries': '1',
    'Acquire::http::Timeout': '15',
    'Acquire::https::Timeout': '15',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  return (command, ...args) =>
    runStep(`apt-get ${command}`, 'apt-get', ['-q', ...options, command, ...args], {
      cwd: join(draft, 'debs'),
      timeout: APT_TIMEOUT_MS,
    });
}

/** Every folder below `root` that holds a shared library. */
function libraryFolders(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => /\.so(\.|$)/.test(entry.name))
    .map((entry) => entry.parentPath ?? entry.path)
    .filter((folder, index, all) => all.indexOf(folder) === index);
}
