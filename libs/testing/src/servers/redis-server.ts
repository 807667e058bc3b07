// Finds, starts and stops a Redis (or Valkey) on loopback.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Redis } from 'ioredis';
import { LOOPBACK, freePort } from './ports.ts';
import { findUnpacked, unpack, type Program } from './apt-package.ts';
import type { ProcessLedger } from './processes/process-ledger.ts';
import { restartable, type Restartable } from './processes/restartable.ts';
import { describeExit, startProcess } from './processes/start-process.ts';
import type { RunningProcess } from './processes/start-process.ts';
import { isUsableRedis } from './redis-version.ts';
import { silentReport, type Report } from './report.ts';
import { SETUP_WITHIN_MS } from './setup-step.ts';

export type RedisProgram = Program;

export interface RedisOptions {
  readonly program: RedisProgram;
  /** Gets `redis/` and `logs/redis.log`. */
  readonly home: string;
  readonly ledger: ProcessLedger;
  /** True: nothing is written to disk. */
  readonly throwaway?: boolean;
  /**
   * An ACL file without its passwords (docker/redis-users.acl), all of which become the same one.
   * Default: the user `default` alone.
   */
  readonly users?: readonly string[];
  /** In the ledger, and of its folder and log. Default: `redis`. */
  readonly name?: string;
  /** Of all servers that belong together. Default: one of its own. */
  readonly password?: string;
  /** Paths. */
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string };
  /** More lines of its configuration. */
  readonly settings?: readonly string[];
  readonly isSentinel?: boolean;
}

export interface RedisServer extends Restartable {
  /** With the user who may do anything, and the password. */
  readonly url: string;
  readonly port: number;
  /** The same server as one of the users; undefined where there is no such user. */
  urlOf(user: string): string | undefined;
}

const PROGRAMS = ['redis-server', 'valkey-server'];
const STOP_TIMEOUT_MS = 10_000;
/** A large append-only file is read at start. */
const READY_INTERVAL_MS = 20;
const ATTEMPTS_MAX = 5;

/** The first of redis-server and valkey-server on PATH that runs and is new enough. */
export function findRedisOnPath(path: string): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return PROGRAMS.flatMap((program) => folders.map((folder) => join(folder, program))).find(
    (candidate) => isExecutable(candidate) && runsAsRedis({ path: candidate }),
  );
}

/** True when the program starts and is of a usable version. */
export function runsAsRedis(program: RedisProgram): boolean {
  try {
    const version = execFileSync(program.path, ['--version'], {
      encoding: 'utf8',
      env: environment(program),
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 60_000,
    });
    return isUsableRedis(version);
  } catch {
    return false;
  }
}

export async function startRedis(given: RedisOptions): Promise<RedisServer> {
  const { home, name = 'redis', users = [] } = given;
  // A new one every time: only this stack uses it, and learns it at the start.
  const options = { ...given, name, password: given.password ?? randomBytes(24).toString('hex') };
  const { password, tls } = options;
  const dir = join(home, name);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const server = launch(options, dir, port);
    const urlAs = (user: string) => `${tls ? 'rediss' : 'redis'}://${user}:${password}@${LOOPBACK}:${port}`;
    const url = urlAs(users.length > 0 ? 'operator' : '');
    const urlOf = (user: string) =>
      users.some((line) => line.startsWith(`user ${user} `)) ? urlAs(user) : undefined;
    if (await ready(server, url, tls?.ca)) {
      const startAgain = async (): Promise<RunningProcess> => {
        const next = launch(options, dir, port, true);
        if (await ready(next, url, tls?.ca)) return next;
        throw new Error(`Redis ${describeExit(await next.exited)} when it was started again. ${next.tail()}`);
      };
      const stopped = (): void => {
        if (options.throwaway) rmSync(dir, { recursive: true, force: true });
      };
      const again = restartable({ first: server, startAgain, killSignal: 'SIGKILL', stopped });
      return Object.assign(again, { url, port, urlOf });
    }
    const tail = server.tail();
    if (!/Address already in use/i.test(tail) || attempt === ATTEMPTS_MAX) {
      const hint = `If it cannot read ${dir}, remove that folder: no accepted work is lost, Postgres remembers it.`;
      throw new Error(`Redis ${describeExit(await server.exited)}. ${tail}\n${hint}`);
    }
  }
}

type LaunchOptions = RedisOptions & { readonly name: string; readonly password: string };

/** `keeps`: its configuration stays, with what a failover or a sentinel has written into it. */
function launch(options: LaunchOptions, dir: string, port: number, keeps = false): RunningProcess {
  const { name, password, tls, users, isSentinel = false } = options;
  const quoted = (path: string) => `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  const aclFile = join(dir, 'users.acl');
  const lines = (users ?? []).map((line) => line.replace(/#<[^>]*>/, `>${password}`));
  if (users) writeFileSync(aclFile, `${lines.join('\n')}\n`, { mode: 0o600 });
  const settings = [
    `bind ${LOOPBACK}`,
    ...(tls
      ? ['port 0', `tls-port ${port}`, `tls-ca-cert-file ${quoted(tls.ca)}`, 'tls-auth-clients no']
      : [`port ${port}`]),
    ...(tls ? [`tls-cert-file ${quoted(tls.cert)}`, `tls-key-file ${quoted(tls.key)}`] : []),
    `dir ${quoted(dir)}`,
    users ? `aclfile ${quoted(aclFile)}` : `requirepass ${password}`,
    ...(isSentinel
      ? []
      : [
          `appendonly ${options.throwaway ? 'no' : 'yes'}`,
          'save ""',
          'maxmemory-policy noeviction', // an evicted key would be a lost job
        ]),
    ...(options.settings ?? []),
  ];
  // In a file rather than on the command line, where everybody on the machine could read the
  // password.
  const file = join(dir, 'redis.conf');
  if (!keeps) writeFileSync(file, `${settings.join('\n')}\n`, { mode: 0o600 });
  return startProcess({
    name,
    command: options.program.path,
    args: [file, ...(isSentinel ? ['--sentinel'] : [])],
    env: environment(options.program),
    cwd: dir,
    logFile: join(options.home, 'logs', `${name}.log`),
    ledger: options.ledger,
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
}

async function ready(server: RunningProcess, url: string, ca?: string): Promise<boolean> {
  const deadline = performance.now() + SETUP_WITHIN_MS;
  while (server.exit() === null) {
    try {
      await pingRedis(url, ca);
      return true;
    } catch (error) {
      if (performance.now() >= deadline) {
        await server.stop();
        throw new Error(`Redis is not ready after ${SETUP_WITHIN_MS / 1000} s. ${server.tail()}`, {
          cause: error,
        });
      }
    }
    await new Promise((resolve) => setTimeout(resolve, READY_INTERVAL_MS));
  }
  return false;
}

/**
 * Connects, authenticates and pings; throws what went wrong. The URL is never part of the message:
 * it holds a password. `ca`: path of the authority that its certificate is of.
 */
export async function pingRedis(url: string, ca?: string): Promise<void> {
  const client = new Redis(url, {
    ...(ca === undefined ? {} : { tls: { ca: readFileSync(ca) } }),
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: 5_000,
    enableReadyCheck: false, // PING itself is refused while the data is being loaded
  });
  let reason: Error | undefined; // connect() only says "Connection is closed."
  client.on('error', (error: Error) => (reason = error));
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    throw reason ?? error;
  } finally {
    client.disconnect();
  }
}

function environment(program: RedisProgram): Record<string, string> {
  return program.libraryPath === undefined ? {} : { LD_LIBRARY_PATH: program.libraryPath };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The program on PATH, else Debian's in `.parley` of `root`. */
export async function redisForTests(root: string): Promise<RedisProgram> {
  const path = findRedisOnPath(process.env['PATH'] ?? '');
  return path === undefined ? debianRedis(join(root, '.parley'), silentReport) : { path };
}

/** Debian's redis-server under `tools`, downloaded now where no earlier start did. */
export async function debianRedis(tools: string, report: Report): Promise<RedisProgram> {
  const folder = join(tools, 'redis-apt');
  const wanted = {
    packages: ['redis-server', 'redis-tools'],
    path: 'usr/bin/redis-server',
    runs: runsAsRedis,
  } as const;
  return (
    findUnpacked(folder, wanted) ??
    (await report.step("Debian's redis-server downloaded and unpacked (nothing is installed)", () =>
      unpack(folder, wanted),
    ))
  );
}

/**
 * The users that an operator's Redis has: what one may not do is seen in development, and not in
 * production.
 */
export function redisUsers(root: string, prefix = 'parley'): string[] {
  const lines = readFileSync(join(root, 'docker', 'redis-users.acl'), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => line.replaceAll(/(?<=[~{])parley:/g, `${prefix}:`));
}
