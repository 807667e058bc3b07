// Chooses the queue engine by the scheme of its URL. Called by queues.ts.
import type { Engine, EngineOptions } from './engine.ts';
import { openPostgresEngine } from './engine-postgres.ts';
import { openRedisEngine } from './engine-redis.ts';

/** @throws Error when the URL is of another kind. Never because the engine is away. */
export function openEngine(options: EngineOptions): Engine {
  const scheme = new URL(options.url.reveal()).protocol;
  if (scheme === 'redis:' || scheme === 'rediss:') return openRedisEngine(options);
  if (scheme === 'postgres:' || scheme === 'postgresql:') return openPostgresEngine(options);
  throw new Error(`a queue engine is redis://, rediss:// or postgres://, not ${scheme}//`);
}
