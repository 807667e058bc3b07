// Connects to Redis: one server, a cluster, or a master found through sentinels; with or without
// TLS.
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { REDIS_SCHEMES } from '@parley/server/runtime';

const DEFAULT_PORTS = { cluster: 6379, sentinel: 26379 } as const;

/** CLUSTER SLOTS needs its own connection, perhaps with TLS. On a busy machine that exceeds 1 s. */
const SLOTS_TIMEOUT_MS = 2_000;

export type RedisAddress =
  | { readonly kind: 'single'; readonly url: string }
  | { readonly kind: 'cluster'; readonly nodes: readonly Node[]; readonly options: RedisOptions }
  | { readonly kind: 'sentinel'; readonly options: RedisOptions };

interface Node {
  readonly host: string;
  readonly port: number;
}

/**
 * Parses a Redis URL:
 * `redis(s)://[user:password@]host[:port][/db]`,
 * `redis(s)-cluster://[user:password@]host[:port],host[:port]…`,
 * `redis(s)-sentinel://[user:password@]host[:port],…/<master>[?db=<n>&sentinel_password=<text>]`.
 * User and password (percent-encoded) are for the servers; the query is for the sentinels.
 * @throws Error that names the problem but never the URL, which may hold a password.
 */
export function parseRedisUrl(url: string): RedisAddress {
  const spread = /^(rediss?)-(cluster|sentinel):\/\/(?:([^@/]*)@)?([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/.exec(
    url,
  );
  if (!spread) {
    if (!/^rediss?:\/\//.test(url))
      throw new Error(`a Redis URL must start with ${REDIS_SCHEMES.join('://, ')}://`);
    return { kind: 'single', url };
  }
  const [, scheme, kind, login = '', hosts = '', path = '', query = ''] = spread;
  const [username = '', password = ''] = login.split(/:(.*)/s).map(decodeURIComponent);
  const common: RedisOptions = {
    ...(username ? { username } : {}),
    ...(password ? { password } : {}),
    ...(scheme === 'rediss' ? { tls: {} } : {}),
  };
  const nodes = hosts
    .split(',')
    .map((host) => parseNode(host, DEFAULT_PORTS[kind as 'cluster' | 'sentinel']));
  if (kind === 'cluster') return { kind: 'cluster', nodes, options: common };
  if (path === '')
    throw new Error('a sentinel URL must end with the name of the master: redis-sentinel://host/name');
  const more = new URLSearchParams(query);
  return {
    kind: 'sentinel',
    options: {
      ...common,
      sentinels: [...nodes],
      name: decodeURIComponent(path),
      ...(more.has('db') ? { db: Number(more.get('db')) } : {}),
      ...(more.has('sentinel_password') ? { sentinelPassword: more.get('sentinel_password')! } : {}),
      ...(scheme === 'rediss' ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
    },
  };
}

function parseNode(text: string, defaultPort: number): Node {
  const match = /^(\[[^\]]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text.trim());
  if (!match) throw new Error('the hosts of a Redis URL must be host[:port], separated by commas');
  return { host: match[1]!.replace(/^\[|\]$/g, ''), port: Number(match[2] ?? defaultPort) };
}

/**
 * Opens the connection(s) and keeps connecting in the background, as ioredis does. In a cluster,
 * `options` apply to the connection of every node.
 */
export function connectRedis(url: string, options: RedisOptions): Redis | Cluster {
  const place = parseRedisUrl(url);
  if (place.kind === 'single') return new Redis(place.url, options);
  if (place.kind === 'sentinel') {
    const { retryStrategy } = options;
    return new Redis({
      ...options,
      ...place.options,
      ...(retryStrategy ? { sentinelRetryStrategy: retryStrategy } : {}),
    });
  }
  const { enableOfflineQueue, retryStrategy, ...node } = options;
  return new Cluster([...place.nodes], {
    redisOptions: { ...node, ...place.options },
    // Managed clusters announce node addresses that their certificate lacks. TLS checks the name
    // that we dialled.
    dnsLookup: (address, callback) => callback(null, address),
    // With a cluster down, the ready check fails after connect() stopped listening, so connect()
    // never settles. BullMQ waits for it and never fetches again (BullMQ issue 4138). Without the
    // check, commands fail with CLUSTERDOWN until the cluster is back.
    enableReadyCheck: false,
    slotsRefreshTimeout: SLOTS_TIMEOUT_MS,
    ...(enableOfflineQueue === undefined ? {} : { enableOfflineQueue }),
    ...(retryStrategy ? { clusterRetryStrategy: (times) => retryStrategy(times) } : {}),
  });
}

/**
 * Key prefix of one queue. In a cluster all keys of a queue must be on one node, so they share a
 * hash tag. Each queue has its own tag, so that queues spread over the nodes.
 */
export function buildKeyPrefix(kind: RedisAddress['kind'], prefix: string, queue: string): string {
  return kind === 'cluster' ? `{${prefix}:${queue}}` : prefix;
}
