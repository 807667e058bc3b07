// Programs of Debian packages, downloaded and unpacked into a folder of ours: nothing is installed
// on the machine, no rights are needed. Where the program is not on PATH.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFolderLock } from './folder-lock.ts';
import { runStep, SETUP_WITHIN_MS, TookTooLong } from './setup-step.ts';

/** A mirror that does not answer is given up after seconds (aptIn); the rest is a slow machine. */
const APT_TIMEOUT_MS = 300_000;

const DEBIAN_KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg';

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
  /**
   * Another release of Debian, where the machine's own has an older version. All of `packages` are
   * unpacked then, and nothing else: name the C library too, and start the program with `command`.
   */
  readonly release?: string;
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
      await unpackInto(draft, wanted);
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

async function unpackInto(draft: string, { packages, release }: DebianProgram): Promise<void> {
  rmSync(draft, { recursive: true, force: true });
  for (const part of ['lists/partial', 'cache/archives/partial', 'debs', 'root']) {
    mkdirSync(join(draft, part), { recursive: true });
  }
  const apt = aptIn(draft, release === undefined ? {} : await otherRelease(draft, release));
  await apt('update'); // succeeds even when no list could be fetched
  await apt('download', ...(release === undefined ? await listNeeded(apt, packages) : packages));
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

/** The packages that the machine lacks. */
async function listNeeded(
  apt: ReturnType<typeof aptIn>,
  packages: DebianProgram['packages'],
): Promise<readonly string[]> {
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
  return missing.includes(packages[0]) ? missing : packages;
}

/** Settings that read the packages of `release` from the Debian mirror of this machine. */
async function otherRelease(draft: string, release: string): Promise<Record<string, string>> {
  const format = '$(REPO_URI)';
  const sites = await runStep('apt-get indextargets', 'apt-get', ['indextargets', '--format', format]);
  const mirror = sites.split('\n').find((site) => /\/debian\/?$/.test(site));
  if (mirror === undefined) throw new Error('the package sources of this machine name no mirror of Debian');
  const file = join(draft, 'sources.list');
  writeFileSync(file, `deb [signed-by=${DEBIAN_KEYS}] ${mirror} ${release} main\n`);
  return { 'Dir::Etc::sourcelist': file, 'Dir::Etc::sourceparts': '-' };
}

/**
 * apt-get with its own package lists and caches, reading only what the machine says of sources and
 * installed packages.
 */
function aptIn(
  draft: string,
  more: Readonly<Record<string, string>> = {},
): (command: string, ...args: string[]) => Promise<string> {
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
    ...more,
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  return (command, ...args) =>
    runStep(`apt-get ${command}`, 'apt-get', ['-q', ...options, command, ...args], {
      cwd: join(draft, 'debs'),
      timeout: APT_TIMEOUT_MS,
    });
}

/** The command line of a program of another release, which needs that release's C library. */
export function command({ path, libraryPath = '' }: Program): readonly [string, ...string[]] {
  const loader = libraryPath
    .split(':')
    .flatMap((folder) => (existsSync(folder) ? readdirSync(folder).map((file) => join(folder, file)) : []))
    .find((file) => /\/ld-linux[\w.-]*\.so\.\d+$/.test(file));
  return loader === undefined ? [path] : [loader, '--library-path', libraryPath, path];
}

/** Every folder below `root` that holds a shared library. */
function libraryFolders(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => /\.so(\.|$)/.test(entry.name))
    .map((entry) => entry.parentPath ?? entry.path)
    .filter((folder, index, all) => all.indexOf(folder) === index);
}
