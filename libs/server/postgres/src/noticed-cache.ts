// A read-through cache that is correct across replicas: a change notifies its key, and every
// replica drops it. At most one second out of date (docs/platform.md#notices-between-replicas).
import { LRUCache } from 'lru-cache';
import type { Clock } from '@parley/server/runtime';
import type { Listener } from './listener.ts';
import type { Sql } from './sql.ts';

export interface NoticedCache<Value> {
  /**
   * The value of `key`: cached while it is current, else loaded. Concurrent callers share one load.
   */
  get(key: string): Promise<Value>;
  /** The cached and current value of `key`: for paths that must not wait. */
  peek(key: string): Value | undefined;
  /** Drops a key on this replica immediately, so that a caller reads its own change. */
  drop(key: string): void;
}

export interface NoticedCacheOptions<Value> {
  readonly listener: Listener;
  /** The channel of changed keys (see `notifyChanged`). */
  readonly channel: string;
  readonly clock: Clock;
  readonly entriesMax: number;
  readonly load: (key: string) => Promise<Value>;
}

interface Entry<Value> {
  readonly value: Value;
  /** When the load began: later changes may be missing. */
  readonly readAtMs: number;
}

export function createNoticedCache<Value>(options: NoticedCacheOptions<Value>): NoticedCache<Value> {
  const entries = new LRUCache<string, Entry<Value>>({ max: options.entriesMax });
  const loads = new Map<string, { overtaken: boolean; result: Promise<Value> }>();

  function drop(key: string): void {
    entries.delete(key);
    const running = loads.get(key);
    if (running) {
      // It may have read the row before the change: the value serves waiting callers and is not
      // cached.
      running.overtaken = true;
      loads.delete(key);
    }
  }
  options.listener.subscribe(options.channel, drop);

  function peek(key: string): Value | undefined {
    const entry = entries.get(key);
    return entry && options.listener.isCurrent(entry.readAtMs) ? entry.value : undefined;
  }

  function load(key: string): Promise<Value> {
    const running = loads.get(key);
    if (running) return running.result;
    const readAtMs = options.clock();
    const started = { overtaken: false, result: options.load(key) };
    loads.set(key, started);
    started.result = started.result.then(
      (value) => {
        if (!started.overtaken) {
          entries.set(key, { value, readAtMs });
          loads.delete(key);
        }
        return value;
      },
      (error: unknown) => {
        if (!started.overtaken) loads.delete(key);
        throw error;
      },
    );
    return started.result;
  }

  return {
    peek,
    drop,
    get: async (key) => {
      const kept = peek(key);
      // null means "there is no such row" and is cached as well
      return kept === undefined ? load(key) : kept;
    },
  };
}

/** Notifies every replica that `key` changed, if the transaction commits. */
export async function notifyChanged(sql: Sql, channel: string, key: string): Promise<void> {
  await sql('SELECT pg_notify($1, $2)::text', [channel, key]);
}
