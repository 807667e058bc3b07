// The servers of a drill: Debian's PostgreSQL under an address that can point elsewhere, Redis with
// our ACL file, and the three services.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SERVICES, startStack, untilReady, type RunningService, type ServiceName } from '@parley/dev/stack';
import {
  debianRedis,
  findRedisOnPath,
  freePort,
  LOOPBACK,
  openLedger,
  redisUsers,
  silentReport,
  startRedis,
  type ProcessLedger,
} from '@parley/testing/servers';

export const ROOT = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');
const PASSWORD = 'drill';
export const DATABASES = {
  'flow-builder': 'flow_builder',
  'voice-api': 'voice_api',
  notifications: 'notifications',
} as const;
/** A drill of a laptop: small, and the same in every run. */
const SETTINGS = [
  `listen_addresses = '${LOOPBACK}'`,
  `unix_socket_directories = ''`,
  'max_connections = 200',
  'archive_mode = on',
  'archive_timeout = 2s',
];

/** An address whose server can change, as the name of a service in DNS does. */
export interface Front {
  readonly port: number;
  /** Breaks every connection; new ones go to that port, or are refused. */
  point(to: number | null): void;
  close(): Promise<void>;
}

export async function openFront(to: number | null): Promise<Front> {
  let target = to;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (target === null) return void client.resetAndDestroy();
    const upstream = connect(target, LOOPBACK);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => undefined); // `close` follows
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, LOOPBACK, resolve));
  const breakAll = () => sockets.forEach((socket) => void socket.destroy());
  return {
    port: (server.address() as AddressInfo).port,
    point: (next) => {
      target = next;
      breakAll();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        breakAll();
      }),
  };
}

/** The programs of PostgreSQL; root on Debian gets them with apt. */
function findPostgres(path: string): string {
  const find = (): string | undefined => {
    const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
    const [newest] = versions
      .map(Number)
      .filter(Boolean)
      .sort((a, b) => b - a);
    return newest === undefined ? undefined : `/usr/lib/postgresql/${newest}/bin`;
  };
  const installed = find();
  if (installed) return installed;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    const env = { PATH: path, DEBIAN_FRONTEND: 'noninteractive' };
    const apt = (...args: string[]) => execFileSync('apt-get', ['-qq', ...args], { env, stdio: 'pipe' });
    apt('update');
    apt('install', '-y', '--no-install-recommends', 'postgresql', 'redis-tools');
  }
  const found = find();
  if (found) return found;
  throw new Error(
    'The drill needs the programs of PostgreSQL. On Debian: apt-get install postgresql redis-tools',
  );
}

/** PostgreSQL refuses to run as root. */
function findUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

export interface DrillServers {
  readonly home: string;
  readonly ledger: ProcessLedger;
  readonly user: ReturnType<typeof findUser>;
  /** The environment of the commands of a page. */
  readonly env: Readonly<Record<string, string>>;
  readonly postgresPort: number;
  readonly front: Front;
  readonly redis: Awaited<ReturnType<typeof startRedis>>;
  /** Runs a program of PostgreSQL, and returns what it prints. */
  postgres(program: string, ...args: string[]): string;
  /** A new, empty server in the place of one that is lost. */
  reinitialize(): void;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** Called with the folder of the data before it is made. */
  readonly beforeInit?: (data: string) => void;
  readonly redisSettings?: readonly string[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

export async function startServers(
  { PATH: path = '' }: Environment,
  { beforeInit, redisSettings = [] }: ServerOptions,
): Promise<DrillServers> {
  const bin = findPostgres(path);
  const user = findUser();
  const home = mkdtempSync('/var/tmp/parley-drill-');
  chmodSync(home, 0o755);
  const folder = (name: string): string => {
    const path = join(home, name);
    mkdirSync(path);
    if (user) chownSync(path, user.uid, user.gid);
    return path;
  };
  const postgresPort = await freePort();
  const files = folder('files');
  const data = join(files, 'data');
  const env: Record<string, string> = {
    PATH: `${bin}:${path}`,
    PGHOST: LOOPBACK,
    PGPORT: String(postgresPort),
    PGUSER: 'postgres',
    PGPASSWORD: PASSWORD,
    PGDATA: data,
    STANDBY: join(files, 'standby'),
    BACKUP: join(files, 'backup'),
    DUMPS: folder('dumps'),
    ARCHIVE: folder('archive'),
  };
  const postgres = (program: string, ...args: string[]): string => {
    // A server that was started would keep a pipe open.
    const output = program === 'pg_ctl' ? 'ignore' : 'pipe';
    const stdio = ['ignore', output, output] as const;
    return String(
      execFileSync(join(bin, program), args, { ...user, cwd: '/', env, stdio: [...stdio] }) ?? '',
    );
  };
  const passwordFile = join(files, 'password');
  writeFileSync(passwordFile, PASSWORD);
  chmodSync(passwordFile, 0o644);
  const archive = `archive_command = 'cp %p ${env['ARCHIVE']}/%f'`;
  const settings = [...SETTINGS, `port = ${postgresPort}`, archive].join('\n');
  const initialize = (): void => {
    mkdirSync(data);
    if (user) chownSync(data, user.uid, user.gid);
    beforeInit?.(data);
    const options = ['-A', 'scram-sha-256', '--pwfile', passwordFile, '-E', 'UTF8', '--locale=C.UTF-8'];
    postgres('initdb', '-D', data, '-X', join(files, 'wal'), '-U', 'postgres', ...options);
    appendFileSync(join(data, 'postgresql.conf'), `${settings}\n`);
    postgres('pg_ctl', 'start', '-D', data, '-w', '-l', `${data}.log`);
  };
  initialize();
  const front = await openFront(postgresPort);
  const ledger = openLedger(join(home, 'servers.json'));
  const onPath = findRedisOnPath(path);
  const program =
    onPath === undefined ? await debianRedis(join(ROOT, '.parley'), silentReport) : { path: onPath };
  const redis = await startRedis({ program, home, ledger, users: redisUsers(ROOT), settings: redisSettings });
  env['REDIS_URL'] = redis.url;
  env['REDIS_DIR'] = join(home, 'redis');
  for (const service of SERVICES)
    env[`DATABASE_URL_${DATABASES[service].toUpperCase()}`] = urlOf(postgresPort, service);
  return {
    home,
    ledger,
    user,
    env,
    postgresPort,
    front,
    redis,
    postgres,
    reinitialize: () => {
      for (const path of [data, join(files, 'wal')]) rmSync(path, { recursive: true, force: true });
      initialize();
    },
    stop: async () => {
      await redis.stop();
      await front.close();
      for (const folder of [data, env['STANDBY']!])
        try {
          postgres('pg_ctl', 'stop', '-D', folder, '-m', 'immediate', '-w');
        } catch {
          // it does not run
        }
    },
  };
}

export const urlOf = (port: number, service: ServiceName): string =>
  `postgresql://postgres:${PASSWORD}@${LOOPBACK}:${port}/${DATABASES[service]}`;

export interface Fleet {
  readonly stack: Awaited<ReturnType<typeof startStack>>;
  /** As `kubectl scale --replicas 0` does. */
  stop(...services: ServiceName[]): Promise<void>;
  /** `untilReady`: waits until they serve. */
  start(services: readonly ServiceName[], options?: { readonly untilReady?: boolean }): Promise<void>;
}

export interface FleetOptions {
  /** A port in front of the databases, such as that of a pooler. Default: the front. */
  readonly port?: number;
  readonly say: (line: string) => void;
}

let isBundled = false;

/** Starts the services on the servers. The first call bundles them. */
export async function startFleet(servers: DrillServers, options: FleetOptions): Promise<Fleet> {
  const { front, redis, home } = servers;
  const given = SERVICES.map((service) => [
    `DATABASE_URL_${DATABASES[service].toUpperCase()}`,
    urlOf(front.port, service),
  ]);
  const ofPooler = (service: ServiceName, port: number) => ({
    DATABASE_URL: urlOf(port, service),
    DATABASE_DIRECT_URL: urlOf(front.port, service),
  });
  const envOf = (service: ServiceName): Record<string, string> => ({
    ...(options.port === undefined ? {} : ofPooler(service, options.port)),
  });
  const stack = await startStack({
    root: ROOT,
    home: join(home, 'stack'),
    ...(isBundled ? { distDir: join(ROOT, 'dist') } : {}),
    queue: {
      kind: 'started',
      engine: { url: redis.url, urlOf: (user) => redis.urlOf(user)!, description: 'Redis' },
    },
    env: {
      PATH: servers.env['PATH'],
      LOG_LEVEL: 'warn',
      ...(Object.fromEntries(given) as Record<string, string>),
    },
    serviceEnv: Object.fromEntries(SERVICES.map((service) => [service, envOf(service)])),
  });
  isBundled = true;
  const running = new Map<ServiceName, RunningService>(
    SERVICES.map((service) => [service, stack.services[service].process]),
  );
  let starts = 1;
  return {
    stack,
    stop: async (...services) => {
      options.say(`    services stop: ${services.join(', ')}`);
      await Promise.all(services.map((service) => running.get(service)!.stop()));
    },
    start: async (services, { untilReady: waits = true } = {}) => {
      options.say(`    services start: ${services.join(', ')}`);
      starts += 1;
      for (const service of services) {
        const port = Number(new URL(stack.services[service].origin).port);
        running.set(service, await stack.startReplica(service, `${service}-${starts}`, { port }));
      }
      if (waits) await Promise.all(services.map((service) => untilReady(running.get(service)!)));
    },
  };
}
