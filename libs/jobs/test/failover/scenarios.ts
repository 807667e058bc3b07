// Faults of a Redis, with real servers. Each returns the time from which Redis serves again.
import { setTimeout as delay } from 'node:timers/promises';
import type { RedisServer, RedisTopology } from '@parley/testing/servers';
import { Redis } from 'ioredis';

export interface Scenario {
  readonly topology: 'single' | 'sentinel' | 'cluster' | 'postgres';
  readonly replicas?: number;
  readonly tls?: boolean;
  /** More configuration lines for every server. */
  readonly settings?: readonly string[];
  /** Connections go through a proxy that can drop packets. */
  readonly proxied?: boolean;
  /** Settles when Redis serves again. */
  readonly fault: (servers: Servers) => Promise<void>;
}

export interface Servers {
  readonly single?: RedisServer;
  readonly several?: RedisTopology;
  readonly proxy?: { swallow(): void; restore(): void };
}

/** A master is killed and comes back later, without a failover. */
const masterAbsent =
  (awayMs: number) =>
  async ({ several }: Servers) => {
    await several!.nodes[0]!.restart('at_once', awayMs);
    await serving(several!);
  };

async function serving({ isServing, nodes }: RedisTopology, among = nodes): Promise<void> {
  while (!(await isServing(among))) await delay(50);
}

/** A master is killed and another one is promoted. The first comes back as a replica much later. */
const failover = async ({ several }: Servers) => {
  const { kind, masters, nodes } = several!;
  const [victim] = await masters();
  victim!.restart('at_once', 20_000).catch(() => undefined);
  while ((await masters()).length < (kind === 'cluster' ? 3 : 1)) await delay(50);
  await serving(
    several!,
    nodes.filter((node) => node !== victim),
  );
};

const frozen =
  (forMs: number) =>
  async ({ single, several }: Servers) => {
    const { pid } = single ?? several!.nodes[0]!;
    process.kill(pid, 'SIGSTOP');
    await delay(forMs).finally(() => process.kill(pid, 'SIGCONT'));
    if (several) await serving(several);
  };

const swallowed =
  (forMs: number) =>
  async ({ proxy }: Servers) => {
    proxy!.swallow();
    await delay(forMs);
    proxy!.restore();
  };

/** Restarts with so much data that it answers LOADING for some seconds. */
const loading = async ({ single }: Servers) => {
  const redis = new Redis(single!.url);
  await redis.call('DEBUG', 'POPULATE', '6000', 'filler');
  await redis.bgrewriteaof();
  await delay(1_000);
  redis.disconnect();
  await single!.restart('at_once');
};

const QUICK_MS = 5_000;
const cluster = { topology: 'cluster', tls: true } as const;

export const QUICK: Readonly<Record<string, Scenario>> = {
  'cluster-master-absent-5s': { ...cluster, fault: masterAbsent(QUICK_MS) },
  'single-loading': {
    topology: 'single',
    settings: ['enable-debug-command yes', 'key-load-delay 500'],
    fault: loading,
  },
  'single-swallowed-5s': { topology: 'single', proxied: true, fault: swallowed(QUICK_MS) },
};

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  ...QUICK,
  'cluster-master-absent-50s': { ...cluster, fault: masterAbsent(50_000) },
  'cluster-failover': { ...cluster, replicas: 3, fault: failover },
  'cluster-frozen-30s': { ...cluster, fault: frozen(30_000) },
  'sentinel-failover': { topology: 'sentinel', replicas: 1, fault: failover },
  'sentinel-frozen-30s': { topology: 'sentinel', fault: frozen(30_000) },
  'single-frozen-30s': { topology: 'single', fault: frozen(30_000) },
  'postgres-swallowed-30s': { topology: 'postgres', proxied: true, fault: swallowed(30_000) },
  'single-swallowed-60s': { topology: 'single', proxied: true, fault: swallowed(60_000) },
};
