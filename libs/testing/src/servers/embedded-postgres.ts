// Starts the Postgres that came with npm on loopback, and stops it.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { LOOPBACK, freePort } from './ports.ts';
import { POSTGRES_MAJOR, placePostgres } from './postgres-binaries.ts';
import type { PostgresPlace } from './postgres-binaries.ts';
import { commandLine, processIdentity } from './processes/process-identity.ts';
import { signalGroup } from './processes/process-ledger.ts';
import type { ProcessLedger } from './processes/process-ledger.ts';
import { restartable, type Restartable } from './processes/restartable.ts';
import { describeExit, startProcess } from './processes/start-process.ts';
import type { RunningProcess } from './processes/start-process.ts';
import { SETUP_WITHIN_MS } from './setup-step.ts';

export interface EmbeddedPostgresOptions {
  /** The checkout: its node_modules hold the binaries. */
  readonly root: string;
  /** `.parley`, or the folder of a test run: gets `pg/`, `pg-password`, `logs/postgres.log`. */
  readonly home: string;
  readonly ledger: ProcessLedger;
  /**
   * True: nothing is ever synced to disk, and stop() removes the data. Only for data that may be
   * lost.
   */
  readonly throwaway?: boolean;
}

export interface EmbeddedPostgres extends Restartable {
  /** Of the maintenance database `postgres`, with the superuser's password. */
  readonly url: string;
  /** Where the data lies when that is not in `home`; see placePostgres. */
  readonly outside: string | undefined;
}

/** Three services with pools and listeners, or two jest workers with theirs. */
const CONNECTIONS_MAX = 300;
/** A fast shutdown writes a checkpoint; on a slow disk that takes a while. */
const STOP_TIMEOUT_MS = 20_000;
const READY_INTERVAL_MS = 20;
/**
 * Starts that fail because a port was taken meanwhile, or because the last backends of a killed
 * server still live.
 */
const ATTEMPTS_MAX = 20;
const ATTEMPT_PAUSE_MS = 250;
/** Immediate shutdown: no checkpoint, and it takes its children along, which SIGKILL would not. */
const KILL_SIGNAL = 'SIGQUIT';

/** Starts the server on a free port; makes its data directory first where there is none. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { root, home, throwaway = false } = options;
  mkdirSync(home, { recursive: true });
  // Another user's Postgres must get through; what is secret in the folder has a mode of its own.
  if (process.getuid?.() === 0) chmodSync(home, 0o755);
  const place = placePostgres(root, home);
  const password = keepPassword(join(home, 'pg-password'), place.dataDir);
  if (!existsSync(place.dataDir)) initialize(place, password, throwaway);
  refuseOtherVersion(place.dataDir);
  await endForgottenServer(place.dataDir);

  const { port, server } = await launchUntilReady(options, place, freePort, password);
  const running = restartable({
    first: server,
    startAgain: async () =>
      (await launchUntilReady(options, place, () => Promise.resolve(port), password)).server,
    killSignal: KILL_SIGNAL,
    stopped: () => {
      // A child of the server may still be writing its last file for a moment.
      if (throwaway) rmSync(place.outside ?? place.dataDir, { recursive: true, force: true, maxRetries: 10 });
    },
  });
  return Object.assign(running, { url: urlOf(port, password), outside: place.outside });
}

const urlOf = (port: number, password: string): string =>
  `postgresql://postgres:${password}@${LOOPBACK}:${port}/postgres`;

async function launchUntilReady(
  options: EmbeddedPostgresOptions,
  place: PostgresPlace,
  choosePort: () => Promise<number>,
  password: string,
): Promise<{ port: number; server: RunningProcess }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await choosePort();
    const server = launch(options, place, port);
    if (await ready(server, urlOf(port, password))) return { port, server };
    const tail = server.tail();
    const passing =
      /Address already in use|pre-existing shared memory block|lock file .* already exists/.test(tail);
    if (!passing || attempt === ATTEMPTS_MAX) {
      throw new Error(`Postgres ${describeExit(await server.exited)}. ${tail}`);
    }
    await new Promise((resolve) => setTimeout(resolve, ATTEMPT_PAUSE_MS));
  }
}

function launch(options: EmbeddedPostgresOptions, place: PostgresPlace, port: number): RunningProcess {
  const settings = {
    listen_addresses: LOOPBACK,
    port,
    unix_socket_directories: '', // the default folder is not writable for everybody
    max_connections: CONNECTIONS_MAX,
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(options.throwaway ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
  };
  return startProcess({
    name: 'postgres',
    command: join(place.binDir, 'postgres'),
    args: [
      '-D',
      place.dataDir,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    env: {},
    cwd: '/',
    ...place.user,
    logFile: join(options.home, 'logs', 'postgres.log'),
    ledger: options.ledger,
    stopSignal: 'SIGINT', // fast shutdown: ends connections, keeps everything committed
    killSignal: KILL_SIGNAL,
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
}

/**
 * An open port is not enough: "the database system is starting up" may follow. False when the
 * server ended instead.
 */
async function ready(server: RunningProcess, url: string): Promise<boolean> {
  const deadline = performance.now() + SETUP_WITHIN_MS;
  for (;;) {
    if (server.exit() !== null) return false;
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined); // a server that goes away is seen above
    try {
      await client.connect();
      await client.end();
      return true;
    } catch (error) {
      const refused = error instanceof pg.DatabaseError && error.code === '28P01';
      if (refused || performance.now() >= deadline) {
        await server.stop();
        throw new Error(
          refused
            ? `Postgres refuses the password in ${server.logFile.replace(/logs.*$/, 'pg-password')}: it was changed.`
            : `Postgres is not ready after ${SETUP_WITHIN_MS / 1000} s. ${server.tail()}`,
          { cause: error },
        );
      }
    }
    await new Promise((resolve) => setTimeout(resolve, READY_INTERVAL_MS));
  }
}

/**
 * Into a new folder that is renamed when it is whole: an initdb that is killed leaves no half
 * directory behind.
 */
function initialize(place: PostgresPlace, password: string, throwaway: boolean): void {
  const draft = `${place.dataDir}.new`;
  const passwordFile = `${place.dataDir}.password`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  rmSync(passwordFile, { force: true });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (place.user) for (const path of [draft, passwordFile]) chownSync(path, place.user.uid, place.user.gid);
  const made = spawnSync(
    join(place.binDir, 'initdb'),
    [
      ...['-D', draft, '-U', 'postgres', '-A', 'scram-sha-256', '--pwfile', passwordFile, '-E', 'UTF8'],
      // Postgres's own collation: sorts the same on every system, and needs no locale of the
      // system.
      ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
      // The password is 32 random bytes: stretching it would only make every connection slow.
      ...['--set', 'scram_iterations=1'],
      ...(throwaway ? ['--no-sync'] : []),
    ],
    { ...place.user, cwd: '/', env: {}, encoding: 'utf8' },
  );
  rmSync(passwordFile, { force: true });
  if (made.status !== 0) {
    rmSync(draft, { recursive: true, force: true });
    throw new Error(
      `Postgres could not make its data directory: ${made.error?.message ?? made.stderr.trim()}`,
    );
  }
  renameSync(draft, place.dataDir);
}

/**
 * Anybody on the machine can connect to loopback, and a superuser can run programs: so there is a
 * password.
 */
function keepPassword(path: string, dataDir: string): string {
  if (existsSync(path)) return readFileSync(path, 'utf8').trim();
  if (existsSync(dataDir)) {
    throw new Error(
      `${path} is gone, and ${dataDir} cannot be opened without it. Remove both to begin anew.`,
    );
  }
  const password = randomBytes(32).toString('hex');
  writeFileSync(path, `${password}\n`, { mode: 0o600 });
  return password;
}

function refuseOtherVersion(dataDir: string): void {
  const version = readFileSync(join(dataDir, 'PG_VERSION'), 'utf8').trim();
  if (version === String(POSTGRES_MAJOR)) return;
  throw new Error(
    `${dataDir} was made by Postgres ${version}, and this Parley brings Postgres ${POSTGRES_MAJOR}, which cannot read it. ` +
      `Move the folder away and start anew, or carry the data over with pg_dump of version ${version}.`,
  );
}

/**
 * A server that runs on this directory though no ledger knows it is stopped: two on one directory
 * are not possible. When the number in `postmaster.pid` belongs to something else by now (a
 * container counts from 1 again), the file is removed, because Postgres itself would take that
 * process for its predecessor and refuse to start.
 */
async function endForgottenServer(dataDir: string): Promise<void> {
  const path = join(dataDir, 'postmaster.pid');
  if (!existsSync(path)) return;
  const pid = Number(readFileSync(path, 'utf8').split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 1 || processIdentity(pid) === null) return;
  const command = commandLine(pid) ?? '';
  if (!command.includes('postgres') || !command.includes(dataDir)) {
    rmSync(path);
    return;
  }
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  signalGroup(pid, 'SIGINT');
  while (processIdentity(pid) !== null) {
    if (performance.now() >= deadline)
      throw new Error(`Postgres (process ${pid}) runs on ${dataDir} and does not end.`);
    await new Promise((resolve) => setTimeout(resolve, READY_INTERVAL_MS));
  }
}
