// The drills. The commands of each are those of its page in docs/recovery.md.
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SERVICES } from '@parley/dev/stack';
import { freePort, startPgBouncer } from '@parley/testing/servers';
import type { DrillItem } from './account.rules.ts';
import type { Follower } from './pages.ts';
import {
  DATABASES,
  openFront,
  ROOT,
  urlOf,
  type DrillServers,
  type Fleet,
  type ServerOptions,
} from './servers.ts';

/** What a drill works with while the load runs. */
export interface Scene {
  readonly servers: DrillServers;
  readonly fleet: Fleet;
  readonly page: Follower;
  /** Lets the load run. */
  readonly load: (seconds: number) => Promise<void>;
  /** Now the servers are taken away; everything before counts as accepted before. */
  readonly fault: () => void;
  readonly say: (line: string) => void;
}

type MayLose = (item: DrillItem) => boolean;

export interface Drill {
  readonly name: string;
  /** The heading of its page. */
  readonly title: string;
  readonly servers?: ServerOptions;
  /** A port in front of the databases, and how to close what listens there. */
  readonly pooler?: (
    servers: DrillServers,
  ) => Promise<{ readonly port: number; readonly close: () => Promise<unknown> }>;
  /** Returns what may be lost. */
  readonly run: (scene: Scene) => Promise<MayLose>;
}

const NOTHING: MayLose = () => false;
const since =
  (atMs: number): MayLose =>
  (item) =>
    item.acceptedAtMs >= atMs;
/** For how long the network to a standby is lost before its primary is. */
const GAP_SECONDS = 2;

const everythingLost: Drill = {
  name: 'lose-everything',
  title: 'Everything lost, three dumps',
  run: async ({ servers, fleet, page, load, fault }) => {
    const firstAtMs = Date.now();
    await page.next();
    await load(2);
    await page.next();
    await load(2);
    await page.next();
    await load(3);
    fault();
    servers.front.point(null);
    servers.postgres('pg_ctl', 'stop', '-D', servers.env['PGDATA']!, '-m', 'immediate', '-w');
    await fleet.stop(...SERVICES);
    await servers.redis.restart('at_once');
    execFileSync('redis-cli', ['-u', servers.redis.url, 'FLUSHALL'], { stdio: 'ignore' });
    servers.reinitialize();
    servers.front.point(servers.postgresPort);
    await page.next({ SINCE: new Date(firstAtMs).toISOString() });
    await fleet.start(SERVICES);
    await page.next({ SINCE: new Date(firstAtMs).toISOString() });
    return since(firstAtMs);
  },
};

const pointInTime: Drill = {
  name: 'point-in-time',
  title: 'Base backup and WAL to a point in time',
  run: async ({ servers, page, load, fault }) => {
    await page.next();
    await load(4);
    const target = new Date();
    await load(4); // the restore does not bring these back
    fault();
    servers.front.point(null);
    await page.next({ TARGET: target.toISOString().replace('Z', '+00') });
    servers.front.point(servers.postgresPort);
    return since(target.getTime() - 100);
  },
};

const oneDatabase: Drill = {
  name: 'one-database',
  title: 'One database put back, with what others handed over',
  run: async ({ fleet, page, load, fault }) => {
    const savedAtMs = Date.now();
    await page.next();
    await load(4);
    fault();
    await fleet.stop('voice-api');
    await page.next();
    await fleet.start(['voice-api']);
    await page.next({ SINCE: new Date(savedAtMs).toISOString() });
    // What callers reported over HTTP is lost; what the flow builder handed over is not.
    return ({ kind, acceptedAtMs }) => kind === 'call' && acceptedAtMs >= savedAtMs;
  },
};

/**
 * The primary is lost; the standby had no connection for the last seconds. Returns the time of the
 * last commit that the standby has.
 */
async function failOver(scene: Scene, isSynchronous: boolean): Promise<number> {
  const { servers, page, load, fault } = scene;
  const link = await openFront(servers.postgresPort);
  const standbyPort = await freePort();
  const ports = { REPLICATION_PORT: String(link.port), STANDBY_PORT: String(standbyPort) };
  await page.next(ports);
  if (isSynchronous) await page.next(ports);
  await load(4);
  link.point(null);
  await load(GAP_SECONDS);
  fault();
  servers.front.point(null);
  servers.postgres('pg_ctl', 'stop', '-D', servers.env['PGDATA']!, '-m', 'immediate', '-w');
  await page.next(ports);
  servers.front.point(standbyPort);
  await link.close();
  const asked = [
    '-Atc',
    'SELECT extract(epoch FROM pg_last_xact_replay_timestamp()) * 1000',
    '-d',
    'postgres',
  ];
  return Number(servers.postgres('psql', '-p', String(standbyPort), ...asked));
}

const asynchronous: Drill = {
  name: 'standby-asynchronous',
  title: 'An asynchronous standby promoted',
  run: async (scene) => since(await failOver(scene, false)),
};

const synchronous: Drill = {
  name: 'standby-synchronous',
  title: 'A synchronous standby promoted',
  run: async (scene) => {
    await failOver(scene, true);
    return NOTHING;
  },
};

const pooled = (mode: 'transaction' | 'session'): Drill => ({
  name: `pgbouncer-${mode}`,
  title: `PgBouncer in ${mode} mode, Postgres restarted`,
  pooler: async ({ home, ledger, postgresPort }) => {
    const target = new URL('/postgres', urlOf(postgresPort, 'voice-api')).href; // the others are not there yet
    const bouncer = await startPgBouncer({ root: ROOT, home, ledger, target, mode });
    return { port: Number(new URL(bouncer.url).port), close: bouncer.stop };
  },
  run: async ({ page, load, fault }) => {
    await load(3);
    fault();
    await page.next();
    return NOTHING;
  },
});

/** Room for the databases of a drill, and little more. */
const DISK = '160m';
let isMounted = false;

const fullDisks: Drill = {
  name: 'full-disks',
  title: 'Full disks',
  servers: {
    beforeInit: (data) => {
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', data], { stdio: 'pipe' });
        execFileSync('chown', ['postgres', data]);
        isMounted = true;
      } catch {
        isMounted = false;
      }
    },
  },
  run: async ({ servers, page, load, fault, say }) => {
    const data = servers.env['PGDATA']!;
    await load(3);
    fault();
    if (isMounted) fill(join(data, 'filler'));
    else {
      say('    Mounting is not permitted here: triggers refuse writes with 53100, as a full disk does.');
      refuseWrites(servers, true);
      writeFileSync(join(data, 'filler'), '');
    }
    const redis = (...args: string[]) =>
      execFileSync('redis-cli', ['-u', servers.redis.url, ...args], { stdio: 'ignore' });
    redis('CONFIG', 'SET', 'maxmemory', '1mb');
    await load(5);
    await page.next();
    if (!isMounted) refuseWrites(servers, false);
    return NOTHING;
  },
};

/** Writes until there is no room. */
function fill(path: string): void {
  const piece = Buffer.alloc(1024 * 1024);
  try {
    for (;;) appendFileSync(path, piece);
  } catch {
    // full
  }
}

function refuseWrites({ postgres }: DrillServers, isFull: boolean): void {
  for (const service of SERVICES)
    postgres('psql', '-d', DATABASES[service], '-c', isFull ? REFUSE : 'DROP FUNCTION disk_full() CASCADE');
}

const REFUSE = `
  CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN RAISE 'full' USING ERRCODE = '53100'; END $f$;
  DO $$ DECLARE name text; BEGIN FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
    EXECUTE format('CREATE TRIGGER aa_disk_full BEFORE INSERT OR UPDATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION disk_full()', name);
  END LOOP; END $$`;

const brokenAof: Drill = {
  name: 'broken-aof',
  title: 'A broken append-only file',
  run: async ({ servers, page, load, fault }) => {
    await load(3);
    fault();
    const back = servers.redis.restart('at_once', 3_000);
    await delay(500);
    const file = execFileSync('sh', ['-c', 'ls "$REDIS_DIR"/appendonlydir/*.incr.aof'], {
      env: { ...servers.env },
      encoding: 'utf8',
    }).trim();
    writeFileSync(file, Buffer.concat([randomBytes(64), readFileSync(file)]));
    await page.next();
    await back;
    return NOTHING;
  },
};

const oldRdb: Drill = {
  name: 'old-rdb',
  title: "Yesterday's RDB",
  servers: { redisSettings: ['appendonly no'] },
  run: async ({ servers, page, load, fault }) => {
    await page.next();
    await load(4);
    fault();
    const back = servers.redis.restart('at_once', 2_000);
    await delay(500);
    await page.next();
    await back;
    return NOTHING;
  },
};

const rotatedKeys: Drill = {
  name: 'rotated-keys',
  title: 'Keys rotated, then the backup of before',
  run: async ({ servers, fleet, page, load, fault }) => {
    const file = join(servers.home, 'stack/secrets/data-key');
    const old = readFileSync(file, 'utf8').trim();
    const savedAtMs = Date.now();
    await page.next();
    await load(2);
    const newest = `k2:${randomBytes(32).toString('base64')}`;
    writeFileSync(file, `${newest},${old}\n`);
    await load(2); // the services read it again
    await page.next({ DATA_KEY: `file://${file}` });
    writeFileSync(file, `${newest}\n`);
    await load(2);
    fault();
    await fleet.stop(...SERVICES);
    await page.next();
    await fleet.start(SERVICES, { untilReady: false });
    const { origin } = fleet.stack.services['voice-api'];
    const isReady = async () => (await fetch(`${origin}/ready`).catch(() => null))?.status;
    while ((await isReady()) === undefined) await delay(200);
    if ((await isReady()) === 200)
      throw new Error('voice-api is ready without the key that the backup needs');
    await fleet.stop(...SERVICES);
    writeFileSync(file, `${newest},${old}\n`);
    await fleet.start(SERVICES);
    return since(savedAtMs);
  },
};

export const DRILLS: readonly Drill[] = [
  everythingLost,
  pointInTime,
  oneDatabase,
  asynchronous,
  synchronous,
  pooled('transaction'),
  pooled('session'),
  fullDisks,
  brokenAof,
  oldRdb,
  rotatedKeys,
];
