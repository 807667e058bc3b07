// PgBouncer in front of a Postgres under test, on loopback: the one on PATH, else that of Debian
// 13, because Debian 12 has 1.18, which prepares no statements in transaction mode.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { command, findUnpacked, unpack, type DebianProgram, type Program } from './apt-package.ts';
import { LOOPBACK, freePort } from './ports.ts';
import type { ProcessLedger } from './processes/process-ledger.ts';
import { describeExit, startProcess } from './processes/start-process.ts';

const LIBRARIES = [
  'libc6',
  'libevent-2.1-7t64',
  'libcares2',
  'libssl3t64',
  'libsystemd0',
  'libpam0g',
  'libcap2',
  'libaudit1',
  'libcap-ng0',
  'libzstd1',
  'libgcc-s1',
  'zlib1g',
];
const DEBIAN: DebianProgram = {
  packages: ['pgbouncer', ...LIBRARIES],
  release: 'trixie',
  path: 'usr/sbin/pgbouncer',
  runs,
};
/** The first version with prepared statements in transaction mode (its changelog, 2023-10-16). */
const VERSION_MIN = [1, 21] as const;
const READY_INTERVAL_MS = 20;
const STOP_TIMEOUT_MS = 5_000;

export interface PgBouncer {
  /** The URL of `target` through the pooler. */
  readonly url: string;
  stop(): Promise<unknown>;
}

export interface PgBouncerOptions {
  /** Of the checkout. */
  readonly root: string;
  readonly home: string;
  readonly ledger: ProcessLedger;
  /** URL of a database; the pooler passes on any database of its server. */
  readonly target: string;
  readonly mode: 'transaction' | 'session';
  /** More lines of its configuration. */
  readonly settings?: readonly string[];
}

export async function startPgBouncer(options: PgBouncerOptions): Promise<PgBouncer> {
  const { root, home, ledger, mode, settings = [] } = options;
  const [file, ...first] = command(await pgbouncerHere(process.env['PATH'] ?? '', join(root, '.parley')));
  const target = new URL(options.target);
  const port = await freePort();
  const folder = join(home, `pgbouncer-${port}`);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const users = join(folder, 'users.txt');
  const asRoot = process.getuid?.() === 0; // it refuses to run as root, and reads the file before
  writeFileSync(users, `"${target.username}" "${target.password}"\n`, { mode: asRoot ? 0o644 : 0o600 });
  const configuration = join(folder, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `* = host=${target.hostname} port=${target.port}`,
    '[pgbouncer]',
    `listen_addr = ${LOOPBACK}`,
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${users}`,
    `pool_mode = ${mode}`,
    'max_client_conn = 500',
    'default_pool_size = 20',
    ...(asRoot ? ['user = nobody'] : []),
    ...settings,
  ];
  writeFileSync(configuration, `${lines.join('\n')}\n`);
  const server = startProcess({
    name: `pgbouncer-${port}`,
    command: file,
    args: [...first, configuration],
    env: {},
    cwd: folder,
    logFile: join(home, 'logs', 'pgbouncer.log'),
    ledger,
    stopSignal: 'SIGINT',
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
  const url = Object.assign(new URL(options.target), { port: String(port) }).href;
  while (!(await answers(url))) {
    if (server.exit() !== null)
      throw new Error(`PgBouncer ${describeExit(await server.exited)}. ${server.tail()}`);
    await new Promise((resolve) => setTimeout(resolve, READY_INTERVAL_MS));
  }
  return { url, stop: () => server.stop() };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined); // the connection fails too
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

async function pgbouncerHere(path: string, tools: string): Promise<Program> {
  const folders = [...path.split(delimiter), '/usr/sbin'].filter((folder) => folder !== '');
  const installed = folders.map((folder) => ({ path: join(folder, 'pgbouncer') })).find(runs);
  const folder = join(tools, 'pgbouncer-apt');
  return installed ?? findUnpacked(folder, DEBIAN) ?? unpack(folder, DEBIAN);
}

function runs(program: Program): boolean {
  if (!existsSync(program.path)) return false;
  try {
    const [file, ...first] = command(program);
    const printed = execFileSync(file, [...first, '--version'], { encoding: 'utf8', timeout: 60_000 });
    const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(printed) ?? [];
    const [wantedMajor, wantedMinor] = VERSION_MIN;
    return Number(major) > wantedMajor || (Number(major) === wantedMajor && Number(minor) >= wantedMinor);
  } catch {
    return false;
  }
}
