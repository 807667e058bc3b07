// Counts in Redis for all replicas. Fails fast: without an answer in COMMAND_TIMEOUT_MS, limits.ts
// decides locally (local-limiter.ts).
import { randomBytes } from 'node:crypto';
import { connectRedis } from '@parley/server/redis';
import { within, type Log, type Secret } from '@parley/server/runtime';
import { ADMIT, buildInFlightKey, buildLogKey, RENEW } from './limit-script.ts';
import { createOutage, type Outage } from './outage.ts';
import type { Policy, Reading } from './policy.rules.ts';

/** A request may wait this long for Redis, once: then the breaker opens and no request waits. */
const COMMAND_TIMEOUT_MS = 500;
const RECONNECT_AFTER_MS = 500;
/** The start of a service waits this long for Redis. */
const FIRST_ANSWER_MS = 1_000;
/** A killed replica's requests stop counting after this long. Renewed every third of it. */
export const LEASE_MS = 10_000;
/** Leases that ended while Redis was away and are removed afterwards; further ones expire. */
const OWED_MAX = 10_000;
/** Lifetime of what a probe writes. */
const PROBE_LEASE_US = 1_000_000;
/** Arguments of one command. */
const BATCH = 1_000;

export interface RedisLimiter {
  readonly outage: Outage;
  /** Rejects soon when Redis does not answer. `lease` is held when the reading admits. */
  admit(
    organizationId: string,
    limitClass: string,
    policy: Policy,
    lease: string,
    count: number,
  ): Promise<Reading>;
  newLease(): string;
  /** Renews it from now on, also when it was granted without Redis. */
  hold(organizationId: string, lease: string): void;
  release(organizationId: string, lease: string): void;
  close(): void;
}

interface Scripts {
  admitRequest(...keysAndValues: (string | number)[]): Promise<[number, number, number, number]>;
  renewLeases(...keysAndValues: (string | number)[]): Promise<number>;
}

export interface RedisLimiterOptions {
  readonly url: Secret;
  /** Of every key: `limitsPrefix`. */
  readonly prefix: string;
  readonly log: Log;
  readonly leaseMs: number;
}

export async function openRedisLimiter(options: RedisLimiterOptions): Promise<RedisLimiter> {
  const { prefix, log, leaseMs } = options;
  const redis = connectRedis(options.url.reveal(), {
    enableOfflineQueue: false,
    commandTimeout: COMMAND_TIMEOUT_MS,
    // Commands that timed out stay in the socket's buffer: a frozen server must not fill the
    // memory.
    socketTimeout: 4 * COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (times) => Math.min(times * 50, RECONNECT_AFTER_MS),
  });
  redis.defineCommand('admitRequest', { numberOfKeys: 2, lua: ADMIT });
  redis.defineCommand('renewLeases', { numberOfKeys: 1, lua: RENEW });
  const scripts = redis as unknown as Scripts;

  /** Lease -> its key. Includes leases that Redis does not know yet: renewing adds them. */
  const held = new Map<string, string>();
  /** Leases that Redis has yet to remove. */
  const owed = new Map<string, string>();
  const replica = randomBytes(6).toString('base64url');
  let leases = 0;
  let closed = false;

  const outage = createOutage({
    // Writes, as the limits do: a full Redis or a replica still answers PING.
    probe: () => scripts.renewLeases(`${prefix}:probe`, PROBE_LEASE_US, 'probe'),
    onBegin: (error) => log.warn({ err: error }, 'limits.degraded'),
    onEnd: () => {
      log.info('limits.restored');
      void removeOwed();
    },
  });
  redis.on('error', (error) => outage.begin(error));
  redis.on('close', () => outage.begin(new Error('the connection to Redis was closed')));

  async function removeOwed(): Promise<void> {
    const telling = [...groupByKey(owed)];
    owed.clear();
    for (const [key, ids] of telling) await remove(key, ids);
    await renew(); // what was admitted locally counts from now on
  }

  async function remove(key: string, ids: readonly string[]): Promise<void> {
    try {
      await redis.zrem(key, ...ids);
    } catch (error) {
      for (const id of ids) if (owed.size < OWED_MAX) owed.set(id, key);
      outage.begin(error);
    }
  }

  async function renew(): Promise<void> {
    if (outage.isAway() || closed) return;
    try {
      await Promise.all(
        groupByKey(held).map(([key, ids]) => scripts.renewLeases(key, leaseMs * 1_000, ...ids)),
      );
    } catch (error) {
      outage.begin(error);
    }
  }
  const renewing = setInterval(() => void renew(), leaseMs / 3);
  renewing.unref();

  await within(
    new Promise<void>((resolve) => {
      redis.once('ready', resolve);
      redis.once('close', resolve);
    }),
    FIRST_ANSWER_MS,
  ).catch((error: unknown) => outage.begin(error));

  return {
    outage,
    admit: async (organizationId, limitClass, policy, lease, count) => {
      try {
        const [refused, counted, inFlight, resetUs] = await scripts.admitRequest(
          buildInFlightKey(prefix, organizationId),
          buildLogKey(prefix, organizationId, limitClass),
          policy.concurrent ?? -1,
          lease,
          leaseMs * 1_000,
          policy.requests ?? -1,
          policy.windowMs * 1_000,
          count,
        );
        const refusedBy = refused === 0 ? null : refused === 1 ? 'concurrency' : 'rate';
        return { refusedBy, counted, inFlight, resetMs: resetUs / 1_000 };
      } catch (error) {
        outage.begin(error);
        throw error;
      }
    },
    newLease: () => `${replica}:${(leases += 1).toString(36)}`,
    hold: (organizationId, lease) => void held.set(lease, buildInFlightKey(prefix, organizationId)),
    release: (organizationId, lease) => {
      held.delete(lease);
      const key = buildInFlightKey(prefix, organizationId);
      if (!outage.isAway()) void remove(key, [lease]);
      else if (owed.size < OWED_MAX) owed.set(lease, key);
    },
    close: () => {
      closed = true;
      clearInterval(renewing);
      outage.close();
      redis.disconnect();
    },
  };
}

/** Leases by key, in batches that fit a command. */
function groupByKey(leases: ReadonlyMap<string, string>): [key: string, ids: string[]][] {
  const keys = new Map<string, string[]>();
  for (const [id, key] of leases) {
    const ids = keys.get(key);
    if (ids) ids.push(id);
    else keys.set(key, [id]);
  }
  return [...keys].flatMap(([key, ids]) =>
    Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, index): [string, string[]] => [
      key,
      ids.slice(index * BATCH, (index + 1) * BATCH),
    ]),
  );
}
