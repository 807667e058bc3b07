// Where sessions are: in Redis, or in the memory of this process, which is one
// (docs/console.md#sessions).
import { RedisStore } from 'connect-redis';
import { Store, type SessionData } from 'express-session';
import { LRUCache } from 'lru-cache';
import { connectRedis } from '@parley/server/redis';
import { ignoreFailure, type Log } from '@parley/server/runtime';

/**
 * Each is of somebody whose credential was taken; beyond that the one that was used longest ago
 * ends.
 */
const IN_MEMORY_MAX = 10_000;
const PREFIX = 'parley:sessions:';
/** Ids by the time that they end: SCAN would show this user what others keep. */
const INDEX = `${PREFIX}index`;
const COMMAND_TIMEOUT_MS = 3_000;
const RECONNECT_AFTER_MS_MAX = 2_000;

export interface SessionPlace {
  readonly store: Store;
  /** Makes a session known to `ids`. */
  add(id: string, endsAtMs: number): Promise<void>;
  ids(nowMs: number): Promise<readonly string[]>;
  close(): Promise<void>;
}

export function sessionsInMemory(): SessionPlace {
  const kept = new LRUCache<string, string>({ max: IN_MEMORY_MAX });
  class MemoryStore extends Store {
    override get(id: string, done: (error: unknown, session?: SessionData | null) => void): void {
      const text = kept.get(id);
      done(null, text === undefined ? null : (JSON.parse(text) as SessionData));
    }
    override set(id: string, session: SessionData, done?: (error?: unknown) => void): void {
      kept.set(id, JSON.stringify(session), { ttl: session.cookie.maxAge ?? 0 });
      done?.();
    }
    override destroy(id: string, done?: (error?: unknown) => void): void {
      kept.delete(id);
      done?.();
    }
  }
  return {
    store: new MemoryStore(),
    add: async () => undefined,
    ids: async () => [...kept.keys()],
    close: async () => undefined,
  };
}

export function sessionsInRedis(url: string, log: Log): SessionPlace {
  const client = connectRedis(url, {
    connectionName: 'console',
    commandTimeout: COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 1,
    retryStrategy: (times) => Math.min(times * 100, RECONNECT_AFTER_MS_MAX),
  });
  client.on('error', (error: Error) => log.warn({ err: error }, 'sessions.redis'));
  return {
    store: new RedisStore({ client, prefix: PREFIX, disableTouch: true }),
    add: async (id, endsAtMs) => void (await client.zadd(INDEX, String(endsAtMs), id)),
    ids: async (nowMs) => {
      await client.zremrangebyscore(INDEX, '-inf', String(nowMs));
      return client.zrange(INDEX, '0', '-1');
    },
    close: async () => {
      await ignoreFailure(client.quit(), 'nobody waits for an answer any more', log);
      client.disconnect();
    },
  };
}
