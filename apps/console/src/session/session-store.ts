// Session stores: Redis, or memory for a single replica (docs/console.md#sessions).
import { RedisStore } from 'connect-redis';
import { Store, type SessionData } from 'express-session';
import { LRUCache } from 'lru-cache';
import { connectRedis } from '@parley/server/redis';
import { ignoreFailure, type Log } from '@parley/server/runtime';

/** Beyond this the least recently used session ends. Only valid credentials create sessions. */
const IN_MEMORY_MAX = 10_000;
const PREFIX = 'parley:sessions:';
/** Waiting links in memory; beyond this the oldest is dropped. Only CONSOLE_KEY creates links. */
const LINKS_IN_MEMORY_MAX = 1_000;
/** Session ids by end time. SCAN would show keys of other services. */
const INDEX = `${PREFIX}index`;
const COMMAND_TIMEOUT_MS = 3_000;
const RECONNECT_AFTER_MS_MAX = 2_000;

/** Texts that are read once. */
export interface OncePlace {
  put(name: string, text: string, livesMs: number): Promise<void>;
  /** Null: never put, expired, or taken before. */
  take(name: string): Promise<string | null>;
}

export interface SessionPlace {
  readonly store: Store;
  readonly links: OncePlace;
  /** True for one caller: nobody else gets this name before the time has passed. */
  claim(name: string, ms: number): Promise<boolean>;
  /** Adds a session to `ids`. */
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
  const links = new LRUCache<string, string>({ max: LINKS_IN_MEMORY_MAX });
  const claims = new LRUCache<string, true>({ max: IN_MEMORY_MAX });
  return {
    store: new MemoryStore(),
    links: {
      put: async (name, text, livesMs) => void links.set(name, text, { ttl: livesMs }),
      take: async (name) => {
        const text = links.get(name) ?? null;
        links.delete(name);
        return text;
      },
    },
    claim: async (name, ms) => {
      if (claims.has(name)) return false;
      claims.set(name, true, { ttl: ms });
      return true;
    },
    add: async () => undefined,
    ids: async () => [...kept.keys()],
    close: async () => undefined,
  };
}

const linkKey = (name: string) => `${PREFIX}link:${name}`;

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
    links: {
      put: async (name, text, livesMs) => void (await client.set(linkKey(name), text, 'PX', livesMs)),
      take: async (name) => {
        const text = await client.get(linkKey(name));
        // Of two replicas that read it, the one that deletes it has it.
        return text !== null && (await client.del(linkKey(name))) === 1 ? text : null;
      },
    },
    claim: async (name, ms) => (await client.set(`${PREFIX}claim:${name}`, '1', 'PX', ms, 'NX')) === 'OK',
    add: async (id, endsAtMs) => void (await client.zadd(INDEX, String(endsAtMs), id)),
    ids: async (nowMs) => {
      await client.zremrangebyscore(INDEX, '-inf', String(nowMs));
      return client.zrange(INDEX, '0', '-1');
    },
    close: async () => {
      await ignoreFailure(client.quit(), 'the console is stopping', log);
      client.disconnect();
    },
  };
}
