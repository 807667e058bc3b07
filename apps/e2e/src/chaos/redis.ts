// The Redis of a run, with docker/redis-users.acl: one server behind a proxy, a master with a
// replica and sentinels, or a cluster with TLS in which two of three masters have a replica. Also
// makes its faults.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  debianRedis,
  findRedisOnPath,
  openLedger,
  redisUsers,
  silentReport,
  startRedis,
  startRedisTopology,
  type RedisServer,
} from '@parley/testing/servers';
import { type QueueEngine } from '@parley/dev/stack';
import { loopbackCertificate, tcpProxy } from '@parley/testing';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type { QueueEvent } from './consumption.rules.ts';
import type { Topology } from './plan.rules.ts';
import { freeze } from './signals.ts';
import { canMount, mountSmallDisk } from './small-disk.ts';

export interface ChaosRedis {
  readonly engine: QueueEngine;
  /** Environment variables besides its address. */
  readonly env: Readonly<Record<string, string>>;
  restart(how: 'in_order' | 'at_once'): Promise<void>;
  /** Kills a master without a replacement for this long. */
  leave(forMs: number): Promise<void>;
  /** Kills a master; resolves when its replica has taken over. The master comes back later. */
  failOver(): Promise<void>;
  freeze(forMs: number): Promise<void>;
  /** Loses every packet for this long, and permanently those of open connections. */
  swallow(forMs: number): Promise<void>;
  /** The disk of its append-only file has no room for this long. */
  fillDisk(forMs: number): Promise<void>;
  /** Adds to every queue a job that nobody can read. */
  addMalformedJobs(): Promise<void>;
  flush(): Promise<void>;
  /** Queue events after the entries that `places` names; moves them on. */
  readEvents(places: Map<string, string>): Promise<QueueEvent[]>;
  stop(): Promise<void>;
  living(): readonly string[];
}

/** When a failed-over master comes back. */
const RESTART_AFTER_MS = 10_000;
const CLUSTER_REPLICAS = 2;
const POLL_INTERVAL_MS = 100;

export async function startChaosRedis(
  topology: Topology,
  { root, home, path: folders }: { readonly root: string; readonly home: string; readonly path: string },
): Promise<ChaosRedis> {
  const path = findRedisOnPath(folders);
  const program = path === undefined ? await debianRedis(join(root, '.parley'), silentReport) : { path };
  const ledger = openLedger(join(home, 'redis-servers.json'));
  const options = { program, home: join(home, 'redis'), ledger, users: redisUsers(root) };
  const servers = topology === 'single' ? await startSingle(options) : await startSeveral(topology, options);
  const { ask, nodes, isServing } = servers;
  const names = options.users.join('\n').matchAll(/~parley:((?!limits:)[\w.-]+):\*/g);
  const queues = [...new Set([...names].map(([, name]) => name!))];
  const returning = new Set<Promise<unknown>>();

  const roleOf = async (node: RedisServer) => {
    const [role, , replicas] = (await ask(node, 'ROLE').catch(() => [])) as [string?, number?, unknown[]?];
    return { role, replicas: replicas?.length ?? 0 };
  };
  /** A master, preferably with or without a replica. */
  const master = async (hasReplica: boolean): Promise<RedisServer> => {
    const roles = await Promise.all(nodes.map(roleOf));
    const masters = nodes.filter((_, index) => roles[index]!.role === 'master');
    const wanted = masters.find((node) => roles[nodes.indexOf(node)]!.replicas > 0 === hasReplica);
    const one = wanted ?? masters[0];
    if (!one) throw new Error('no Redis is a master');
    return one;
  };
  const untilServing = async (among: readonly RedisServer[] = nodes): Promise<void> => {
    while (!(await isServing(among))) await delay(POLL_INTERVAL_MS);
  };

  return {
    engine: servers.engine,
    env: servers.env,
    restart: async (how) => {
      await (await master(true)).restart(how);
      await untilServing();
    },
    leave: async (forMs) => {
      await (await master(false)).restart('at_once', forMs);
      await untilServing();
    },
    failOver: async () => {
      const victim = await master(true);
      const others = nodes.filter((node) => node !== victim);
      const back = victim.restart('at_once', RESTART_AFTER_MS).finally(() => returning.delete(back));
      returning.add(back);
      await delay(POLL_INTERVAL_MS);
      await untilServing(others);
    },
    freeze: async (forMs) => {
      await freeze((await master(true)).pid, forMs);
      await untilServing();
    },
    swallow: async (forMs) => {
      servers.proxy!.swallow();
      await delay(forMs);
      servers.proxy!.restore();
    },
    fillDisk: async (forMs) => {
      servers.disk!.fill();
      await delay(forMs).finally(() => servers.disk!.relieve());
    },
    addMalformedJobs: async () => {
      for (const name of queues) {
        const prefix = topology === 'cluster' ? `{parley:${name}}` : 'parley';
        // Not every name of the ACL file is a queue.
        if (!(await servers.client.exists(`${prefix}:${name}:meta`))) continue;
        const queue = new Queue(name, { connection: servers.client, prefix });
        await queue.add('malformed', 'not an object');
        await queue.close();
      }
    },
    flush: async () => {
      for (const node of nodes) if ((await roleOf(node)).role === 'master') await ask(node, 'FLUSHALL');
    },
    readEvents: (places) => readEvents(servers.client, queues, topology === 'cluster', places),
    stop: async () => {
      await Promise.allSettled(returning);
      servers.client.disconnect();
      await servers.stop();
    },
    living: () => Object.keys(ledger.living()),
  };
}

type Options = Parameters<typeof startRedis>[0] & { readonly users: readonly string[] };

async function startSingle(options: Options) {
  const disk = canMount() ? mountSmallDisk(join(options.home, 'redis')) : undefined;
  const server = await startRedis(options);
  const proxy = await tcpProxy(server.url);
  const through = (url: string) => Object.assign(new URL(url), { port: new URL(proxy.url).port }).href;
  const client = new Redis(server.url, { maxRetriesPerRequest: 0, commandTimeout: 1_000 });
  client.on('error', () => undefined); // a command fails too
  return {
    engine: {
      url: through(server.url),
      urlOf: (service: string) => through(server.urlOf(service)!),
      description: 'Redis, one server',
    },
    env: {} as Record<string, string>,
    nodes: [server] as readonly RedisServer[],
    proxy,
    disk,
    client,
    ask: (_node: RedisServer, command: string, ...args: string[]) => client.call(command, ...args),
    isServing: async (_among: readonly RedisServer[]) => true,
    stop: async () => {
      await proxy.close();
      await server.stop();
      disk?.unmount();
    },
  };
}

async function startSeveral(kind: 'sentinel' | 'cluster', options: Options) {
  const isCluster = kind === 'cluster';
  const topology = await startRedisTopology({
    ...options,
    kind,
    replicas: isCluster ? CLUSTER_REPLICAS : 1,
    ...(isCluster ? { tls: loopbackCertificate } : {}),
  });
  const client = topology.connect({ maxRetriesPerRequest: 0, commandTimeout: 1_000 });
  client.on('error', () => undefined); // a command fails too
  return {
    engine: { url: topology.url, urlOf: topology.urlOf, description: `Redis, ${kind}` },
    env: (isCluster ? { NODE_EXTRA_CA_CERTS: loopbackCertificate.ca } : {}) as Record<string, string>,
    nodes: topology.nodes,
    proxy: undefined,
    disk: undefined,
    client,
    ask: topology.ask,
    isServing: topology.isServing,
    stop: topology.stop,
  };
}

async function readEvents(
  client: Pick<Redis, 'xrange'>,
  queues: readonly string[],
  isCluster: boolean,
  places: Map<string, string>,
): Promise<QueueEvent[]> {
  const read = async (queue: string): Promise<QueueEvent[]> => {
    const key = isCluster ? `{parley:${queue}}:${queue}:events` : `parley:${queue}:events`;
    const entries = await client.xrange(key, places.get(queue) ?? '-', '+').catch(() => []);
    const last = entries.at(-1);
    if (last) places.set(queue, `(${last[0]}`);
    return entries.map(([id, fields]) => ({
      queue,
      atMs: Number(id.split('-')[0]),
      event: fields[fields.indexOf('event') + 1] ?? '',
    }));
  };
  return (await Promise.all(queues.map(read))).flat();
}
