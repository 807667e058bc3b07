// Several Redis servers as an operator runs them, with docker/redis-users.acl: a master with a
// replica and sentinels, or a cluster.
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Cluster, Redis, type RedisOptions as ClientOptions } from 'ioredis';
import { readFileSync } from 'node:fs';
import { LOOPBACK } from './ports.ts';
import { startRedis, type RedisOptions, type RedisServer } from './redis-server.ts';
import { SETUP_WITHIN_MS } from './setup-step.ts';

export type RedisTopologyKind = 'sentinel' | 'cluster';

export interface RedisTopology {
  readonly kind: RedisTopologyKind;
  /** The URL of all servers together, as the operator. */
  readonly url: string;
  urlOf(user: string): string;
  /** Servers that hold data, replicas among them. */
  readonly nodes: readonly RedisServer[];
  readonly sentinels: readonly RedisServer[];
  /** A client of all servers together, as the operator. */
  connect(options: ClientOptions): Redis | Cluster;
  /** Sends one command to one node, as the operator. */
  ask(node: RedisServer, ...command: readonly string[]): Promise<unknown>;
  /** The nodes that are masters at present; those that do not answer are left out. */
  masters(): Promise<RedisServer[]>;
  /** Whether every key has a master among these, and all of them know. */
  isServing(among?: readonly RedisServer[]): Promise<boolean>;
  stop(): Promise<void>;
}

export type RedisTopologyOptions = Pick<RedisOptions, 'program' | 'home' | 'ledger' | 'tls'> & {
  readonly kind: RedisTopologyKind;
  readonly users: readonly string[];
  /** How many masters of a cluster have one; behind sentinels 0 or 1. */
  readonly replicas: number;
};

const MASTER_NAME = 'parley';
const CLUSTER_MASTERS = 3;
const SENTINELS = 3;
const LAST_SLOT = 16_383;
/** A server that is silent for so long is taken for dead by the others. */
const DEAD_AFTER_MS = 2_000;
const LOOK_EVERY_MS = 100;

export async function startRedisTopology(options: RedisTopologyOptions): Promise<RedisTopology> {
  const { kind, tls, replicas, users, ...rest } = options;
  const password = randomBytes(24).toString('hex');
  const started: RedisServer[] = [];
  const start = async (name: string, more: Partial<RedisOptions>): Promise<RedisServer> => {
    const own = more.isSentinel ? {} : { users }; // a sentinel has users of its own
    const server = await startRedis({ ...rest, ...(tls ? { tls } : {}), ...own, password, name, ...more });
    started.push(server);
    return server;
  };
  const ask = async (node: RedisServer, ...[command = '', ...args]: readonly string[]): Promise<unknown> => {
    const client = new Redis(node.url, {
      retryStrategy: () => null,
      maxRetriesPerRequest: 0,
      ...trusting(tls?.ca),
    });
    client.on('error', () => undefined); // the command fails as well
    try {
      return await client.call(command, ...args);
    } finally {
      client.disconnect();
    }
  };
  const isMaster = async (node: RedisServer): Promise<boolean> => {
    const role = await ask(node, 'ROLE').catch(() => []);
    return (role as unknown[])[0] === 'master';
  };
  const stop = async (): Promise<void> => void (await Promise.all(started.map((server) => server.stop())));
  try {
    const parts = { start, ask, replicas, tls: tls !== undefined, password };
    const { nodes, sentinels } = await (kind === 'cluster' ? startCluster(parts) : startSentinels(parts));
    const scheme = `${tls ? 'rediss' : 'redis'}-${kind}`;
    const hosts = (kind === 'cluster' ? nodes : sentinels).map(({ port }) => `${LOOPBACK}:${port}`).join(',');
    const path = kind === 'cluster' ? '' : `/${MASTER_NAME}?sentinel_password=${password}`;
    const urlOf = (user: string) => `${scheme}://${user}:${password}@${hosts}${path}`;
    const masters = async () => {
      const are = await Promise.all(nodes.map(isMaster));
      return nodes.filter((_, index) => are[index]);
    };
    const isServing = async (among: readonly RedisServer[] = nodes) => {
      if (kind === 'sentinel') return (await Promise.all(among.map(isMaster))).some(Boolean);
      const infos = among.map((node) => ask(node, 'CLUSTER', 'INFO').catch(() => ''));
      return (await Promise.all(infos)).every((info) => String(info).includes('cluster_state:ok'));
    };
    const connect = (own: ClientOptions): Redis | Cluster => {
      const client = { ...own, ...trusting(tls?.ca), username: 'operator', password };
      const at = ({ port }: RedisServer) => ({ host: LOOPBACK, port });
      if (kind === 'cluster')
        return new Cluster(nodes.map(at), { redisOptions: client, enableReadyCheck: false });
      return new Redis({
        ...client,
        sentinels: sentinels.map(at),
        sentinelPassword: password,
        name: MASTER_NAME,
      });
    };
    const url = urlOf('operator');
    return { kind, url, urlOf, nodes, sentinels, connect, ask, masters, isServing, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Parts {
  start(name: string, more: Partial<RedisOptions>): Promise<RedisServer>;
  readonly ask: RedisTopology['ask'];
  readonly replicas: number;
  readonly tls: boolean;
  readonly password: string;
}

const asReplica = ({ password, tls }: Parts) => [
  'masteruser replica',
  `masterauth ${password}`,
  ...(tls ? ['tls-replication yes'] : []),
];

async function startCluster(parts: Parts) {
  const { start, ask, tls } = parts;
  const settings = [
    'cluster-enabled yes',
    `cluster-node-timeout ${DEAD_AFTER_MS}`,
    `cluster-announce-ip ${LOOPBACK}`,
    ...(tls ? ['tls-cluster yes'] : []),
    ...asReplica(parts),
  ];
  const count = CLUSTER_MASTERS + parts.replicas;
  const names = Array.from({ length: count }, (_, index) => `redis-${index + 1}`);
  const nodes = await Promise.all(names.map((name) => start(name, { settings })));
  const [first, ...others] = nodes as [RedisServer, ...RedisServer[]];
  const masters = nodes.slice(0, CLUSTER_MASTERS);
  for (const [index, node] of masters.entries()) {
    const from = Math.ceil((index * (LAST_SLOT + 1)) / CLUSTER_MASTERS);
    const to = Math.ceil(((index + 1) * (LAST_SLOT + 1)) / CLUSTER_MASTERS) - 1;
    await ask(node, 'CLUSTER', 'ADDSLOTSRANGE', String(from), String(to));
    await ask(node, 'CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
  }
  for (const { port } of others) await ask(first, 'CLUSTER', 'MEET', LOOPBACK, String(port));
  const info = async (node: RedisServer) => String(await ask(node, 'CLUSTER', 'INFO'));
  await until('the cluster is formed', async () => {
    const infos = await Promise.all(nodes.map(info));
    return infos.every((text) => text.includes(`cluster_known_nodes:${count}`));
  });
  for (const [index, replica] of nodes.slice(CLUSTER_MASTERS).entries()) {
    const id = String(await ask(masters[index]!, 'CLUSTER', 'MYID'));
    await ask(replica, 'CLUSTER', 'REPLICATE', id);
  }
  await until('the cluster serves', async () => {
    const infos = await Promise.all(nodes.map(info));
    return infos.every((text) => text.includes('cluster_state:ok'));
  });
  await replicated(ask, masters.slice(0, parts.replicas));
  return { nodes, sentinels: [] as RedisServer[] };
}

async function startSentinels(parts: Parts) {
  const { start, ask, tls, password } = parts;
  const settings = asReplica(parts);
  const master = await start('redis-1', { settings });
  const following = [...settings, `replicaof ${LOOPBACK} ${master.port}`];
  const replicas = parts.replicas > 0 ? [await start('redis-2', { settings: following })] : [];
  await replicated(ask, replicas.length > 0 ? [master] : []);
  const watching = [
    `sentinel monitor ${MASTER_NAME} ${LOOPBACK} ${master.port} 2`,
    `sentinel auth-user ${MASTER_NAME} sentinel`,
    `sentinel auth-pass ${MASTER_NAME} ${password}`,
    `sentinel sentinel-pass ${password}`,
    `sentinel down-after-milliseconds ${MASTER_NAME} ${DEAD_AFTER_MS}`,
    `sentinel failover-timeout ${MASTER_NAME} ${5 * DEAD_AFTER_MS}`,
    ...(tls ? ['tls-replication yes'] : []),
  ];
  const names = Array.from({ length: SENTINELS }, (_, index) => `sentinel-${index + 1}`);
  const sentinels = await Promise.all(
    names.map((name) => start(name, { isSentinel: true, settings: watching })),
  );
  await until('the sentinels know each other and the replicas', async () => {
    const facts = await Promise.all(sentinels.map((one) => ask(one, 'SENTINEL', 'MASTER', MASTER_NAME)));
    return facts.every((fact) => {
      const words = fact as string[];
      const number = (key: string) => Number(words[words.indexOf(key) + 1]);
      return number('num-other-sentinels') === SENTINELS - 1 && number('num-slaves') === replicas.length;
    });
  });
  return { nodes: [master, ...replicas], sentinels };
}

async function replicated(ask: RedisTopology['ask'], masters: readonly RedisServer[]) {
  await until('the replicas follow', async () => {
    const infos = await Promise.all(masters.map((node) => ask(node, 'INFO', 'replication')));
    return infos.every((text) => /slave0:.*state=online/.test(String(text)));
  });
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + SETUP_WITHIN_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Not within ${SETUP_WITHIN_MS / 1000} s: ${what}.`);
    await delay(LOOK_EVERY_MS);
  }
}

function trusting(ca: string | undefined): ClientOptions {
  return ca === undefined ? {} : { tls: { ca: readFileSync(ca) } };
}
