// Chooses the queue engine by the scheme of its URL.
import type { Engine, EngineOptions } from './engine.ts';
import { openPostgresEngine } from './engine-postgres.ts';
import { REDIS_SCHEMES } from '@parley/runtime';
import { openRedisEngine } from './engine-redis.ts';

/** @throws Error when the URL is of another kind. Never because the engine is away. */
export function openEngine(options: EngineOptions): Engine {
  // Not through URL: the address of a cluster names several hosts.
  const scheme = /^([a-z-]+):\/\//.exec(options.url.reveal())?.[1] ?? '';
  if (REDIS_SCHEMES.some((known) => known === scheme)) return openRedisEngine(options);
  if (scheme === 'postgres' || scheme === 'postgresql') return openPostgresEngine(options);
  throw new Error(`a queue engine is ${REDIS_SCHEMES.join('://, ')}:// or postgres://, not ${scheme}://`);
}
