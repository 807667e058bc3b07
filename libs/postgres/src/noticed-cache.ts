// A read-through cache that is right across replicas: whoever changes a row notifies its key, every replica drops it.
// At most one second out of date (docs/platform.md#notices-between-replicas).
import { LRUCache } from 'lru-cache';
import type { Clock } from '@parley/runtime';
import type { Listener } from './listener.ts';
import type { Sql } from './sql.ts';

export interface NoticedCache<Value> {
  /** The value of `key`: from memory while it is current, else loaded; callers that ask together share one load. */
  get(key: string): Promise<Value>;
  /** The value of `key` if it is in memory and current: for paths that must not wait. */
  peek(key: string): Value | undefined;
  /** What a notice does, here and at once: so that whoever changed a row on this replica reads its own change. */
  drop(key: string): void;
}

export interface NoticedCacheOptions<Value> {
  readonly listener: Listener;
  /** The channel on which changed keys are notified (see `notifyChanged`). */
  readonly channel: string;
  readonly clock: Clock;
  readonly entriesMax: number;
  readonly load: (key: string) => Promise<Value>;
}

interface Entry<Value> {
  readonly value: Value;
  /** When the load began: a change that was committed later may not be in it. */
  readonly readAtMs: number;
}

export function createNoticedCache<Value>(options: NoticedCacheOptions<Value>): NoticedCache<Value> {
  const entries = new LRUCache<string, Entry<Value>>({ max: options.entriesMax });
  const loads = new Map<string, { overtaken: boolean; result: Promise<Value> }>();

  function drop(key: string): void {
    entries.delete(key);
    const running = loads.get(key);
    if (running) {
      // It may have read the row before the change: its answer serves those who wait for it and is not kept.
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
      return kept === undefined ? load(key) : kept; // null is an answer: "there is no such row" is kept as well
    },
  };
}

/** Tells every replica that `key` changed: sent when, and only if, the transaction commits. */
export async function notifyChanged(sql: Sql, channel: string, key: string): Promise<void> {
  await sql('SELECT pg_notify($1, $2)::text', [channel, key]);
}
