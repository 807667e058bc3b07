// Finds, starts and stops a Redis (or Valkey) on loopback.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Redis } from 'ioredis';
import { LOOPBACK, freePort } from '../ports.ts';
import type { ProcessLedger } from '../processes/process-ledger.ts';
import { isUsableRedis } from './queue-engine.rules.ts';
import { restartable, type Restartable } from '../processes/restartable.ts';
import { describeExit, startProcess } from '../processes/start-process.ts';
import type { RunningProcess } from '../processes/start-process.ts';

/** A server program, and where its libraries lie when it is not installed but only unpacked. */
export interface RedisProgram {
  readonly path: string;
  readonly libraryPath?: string | undefined;
}

export interface RedisOptions {
  readonly program: RedisProgram;
  /** Gets `redis/` and `logs/redis.log`. */
  readonly home: string;
  readonly ledger: ProcessLedger;
  /** True: nothing is written to disk. */
  readonly throwaway?: boolean;
  /** Users beside the default one, who may do anything: lines of an ACL file without their passwords (docker/redis-users.acl). */
  readonly users?: readonly string[];
}

export interface RedisServer extends Restartable {
  /** With the password. */
  readonly url: string;
  /** The same server as one of the users; undefined where there is no such user. */
  urlOf(user: string): string | undefined;
}

const PROGRAMS = ['redis-server', 'valkey-server'];
const STOP_TIMEOUT_MS = 10_000;
/** A large append-only file is read at start. */
const READY_TIMEOUT_MS = 60_000;
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
      timeout: 5_000,
    });
    return isUsableRedis(version);
  } catch {
    return false;
  }
}

export async function startRedis(options: RedisOptions): Promise<RedisServer> {
  const { home } = options;
  const dir = join(home, 'redis');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    // A new one every time: only this stack uses it, and learns it at the start.
    const password = randomBytes(24).toString('hex');
    const server = launch(options, dir, port, password);
    const url = `redis://:${password}@${LOOPBACK}:${port}`;
    const users = options.users ?? [];
    const urlOf = (user: string) =>
      users.some((line) => line.startsWith(`user ${user} `))
        ? `redis://${user}:${password}@${LOOPBACK}:${port}`
        : undefined;
    if (await ready(server, url)) {
      const startAgain = async (): Promise<RunningProcess> => {
        const next = launch(options, dir, port, password);
        if (await ready(next, url)) return next;
        throw new Error(`Redis ${describeExit(await next.exited)} when it was started again. ${next.tail()}`);
      };
      const stopped = (): void => {
        if (options.throwaway) rmSync(dir, { recursive: true, force: true });
      };
      return Object.assign(restartable({ first: server, startAgain, killSignal: 'SIGKILL', stopped }), {
        url,
        urlOf,
      });
    }
    const tail = server.tail();
    if (!/Address already in use/i.test(tail) || attempt === ATTEMPTS_MAX) {
      const hint = `If it cannot read ${dir}, remove that folder: no accepted work is lost, Postgres remembers it.`;
      throw new Error(`Redis ${describeExit(await server.exited)}. ${tail}\n${hint}`);
    }
  }
}

function launch(options: RedisOptions, dir: string, port: number, password: string): RunningProcess {
  const settings = [
    `bind ${LOOPBACK}`,
    `port ${port}`,
    `requirepass ${password}`,
    `dir "${dir.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`,
    `appendonly ${options.throwaway ? 'no' : 'yes'}`,
    'save ""',
    'maxmemory-policy noeviction', // an evicted key would be a lost job
    ...(options.users ?? []).map((line) => line.replace(/#<[^>]*>/, `>${password}`)),
  ];
  // In a file rather than on the command line, where everybody on the machine could read the password.
  const file = join(dir, 'redis.conf');
  writeFileSync(file, `${settings.join('\n')}\n`, { mode: 0o600 });
  return startProcess({
    name: 'redis',
    command: options.program.path,
    args: [file],
    env: environment(options.program),
    cwd: dir,
    logFile: join(options.home, 'logs', 'redis.log'),
    ledger: options.ledger,
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
}

async function ready(server: RunningProcess, url: string): Promise<boolean> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (server.exit() === null) {
    try {
      await pingRedis(url);
      return true;
    } catch (error) {
      if (performance.now() >= deadline) {
        await server.stop();
        throw new Error(`Redis is not ready after ${READY_TIMEOUT_MS / 1000} s. ${server.tail()}`, {
          cause: error,
        });
      }
    }
    await new Promise((resolve) => setTimeout(resolve, READY_INTERVAL_MS));
  }
  return false;
}

/**
 * Connects, authenticates and pings; throws what went wrong. The URL is never part of the message: it holds a
 * password.
 */
export async function pingRedis(url: string): Promise<void> {
  const client = new Redis(url, {
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
