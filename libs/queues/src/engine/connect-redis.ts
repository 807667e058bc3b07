// Connects to Redis as an operator runs it: one server, a cluster, or sentinels that know the master; with or without TLS.
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { REDIS_SCHEMES } from '@parley/runtime';

const DEFAULT_PORTS = { cluster: 6379, sentinel: 26379 } as const;

/** A connection of its own, with TLS perhaps, and CLUSTER SLOTS: too much for a second on a busy machine. */
const SLOTS_TIMEOUT_MS = 2_000;

/** Where Redis is. */
export type RedisPlace =
  | { readonly kind: 'single'; readonly url: string }
  | { readonly kind: 'cluster'; readonly nodes: readonly Node[]; readonly options: RedisOptions }
  | { readonly kind: 'sentinel'; readonly options: RedisOptions };

interface Node {
  readonly host: string;
  readonly port: number;
}

/**
 * Reads the URL of a Redis:
 * `redis(s)://[user:password@]host[:port][/db]`,
 * `redis(s)-cluster://[user:password@]host[:port],host[:port]…`,
 * `redis(s)-sentinel://[user:password@]host[:port],host[:port]…/<name of the master>[?db=<n>&sentinel_password=<text>]`.
 * User and password are those of the servers (percent-encoded); what is after `?` is for the sentinels.
 * @throws Error that says what is wrong, without the URL: it may hold a password.
 */
export function parseRedisUrl(url: string): RedisPlace {
  const spread = /^(rediss?)-(cluster|sentinel):\/\/(?:([^@/]*)@)?([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/.exec(
    url,
  );
  if (!spread) {
    if (!/^rediss?:\/\//.test(url))
      throw new Error(`a Redis URL starts with ${REDIS_SCHEMES.join('://, ')}://`);
    return { kind: 'single', url };
  }
  const [, scheme, kind, login = '', hosts = '', path = '', query = ''] = spread;
  const [username = '', password = ''] = login.split(/:(.*)/s).map(decodeURIComponent);
  const common: RedisOptions = {
    ...(username ? { username } : {}),
    ...(password ? { password } : {}),
    ...(scheme === 'rediss' ? { tls: {} } : {}),
  };
  const nodes = hosts.split(',').map((host) => nodeOf(host, DEFAULT_PORTS[kind as 'cluster' | 'sentinel']));
  if (kind === 'cluster') return { kind: 'cluster', nodes, options: common };
  if (path === '')
    throw new Error('a sentinel URL ends with the name of the master: redis-sentinel://host/name');
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

function nodeOf(text: string, defaultPort: number): Node {
  const match = /^(\[[^\]]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text.trim());
  if (!match) throw new Error('the hosts of a Redis URL are host[:port], comma-separated');
  return { host: match[1]!.replace(/^\[|\]$/g, ''), port: Number(match[2] ?? defaultPort) };
}

/**
 * Opens the connection(s); connecting goes on by itself, as with ioredis. `options` are those of one connection: of every node's
 * in a cluster.
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
    // Managed clusters name their nodes by addresses that their certificate does not hold: TLS checks the name we dialled.
    dnsLookup: (address, callback) => callback(null, address),
    // Where the cluster is down the check fails after connect() has stopped listening: its promise is never settled, and BullMQ, which
    // waits for it, never fetches again (BullMQ issue 4138). Without the check commands are answered with CLUSTERDOWN until it is up.
    enableReadyCheck: false,
    slotsRefreshTimeout: SLOTS_TIMEOUT_MS,
    ...(enableOfflineQueue === undefined ? {} : { enableOfflineQueue }),
    ...(retryStrategy ? { clusterRetryStrategy: (times) => retryStrategy(times) } : {}),
  });
}

/**
 * The key prefix of one queue. In a cluster all keys of a queue must lie on one node, so they share a hash tag; each queue has
 * its own, so that the queues spread over the nodes.
 */
export function keyPrefixOf(kind: RedisPlace['kind'], prefix: string, queue: string): string {
  return kind === 'cluster' ? `{${prefix}:${queue}}` : prefix;
}
