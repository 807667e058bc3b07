// Chooses the queue engine by the scheme of its URL.
import type { Engine, EngineOptions } from './engine.ts';
import { openPostgresEngine } from './engine-postgres.ts';
import { REDIS_SCHEMES } from '@parley/server/runtime';
import { openRedisEngine } from './engine-redis.ts';

/** @throws Error when the scheme is unknown; not when the engine is away. */
export function openEngine(options: EngineOptions): Engine {
  // URL cannot parse a cluster address, which names several hosts.
  const scheme = /^([a-z-]+):\/\//.exec(options.url.reveal())?.[1] ?? '';
  if (REDIS_SCHEMES.some((known) => known === scheme)) return openRedisEngine(options);
  if (scheme === 'postgres' || scheme === 'postgresql') return openPostgresEngine(options);
  throw new Error(
    `the URL of a queue engine must start with ${REDIS_SCHEMES.join('://, ')}:// or postgres://, not ${scheme}://`,
  );
}
