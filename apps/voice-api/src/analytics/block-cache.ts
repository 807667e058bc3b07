// Caches the large columns of rollups. Dashboards ask for the same blocks repeatedly, and only the
// newest ones change. Without the cache, encoding and decoding these bytes dominates queries over
// many conversations.
import { LRUCache } from 'lru-cache';
import type { LargeColumns } from './tally.ts';

/** The key names a row and its version, so entries never become stale. */
export type BlockCache = LRUCache<string, LargeColumns>;

const BYTES_MAX = 32 * 1024 * 1024;
/** Overhead of an entry: its key, its objects and its place in the cache. */
const ENTRY_BYTES = 500;
/** Far below the time in which transaction ids wrap around and a version number could repeat. */
const TTL_MS = 60 * 60_000;

export function createBlockCache(): BlockCache {
  return new LRUCache({
    maxSize: BYTES_MAX,
    sizeCalculation: ({ distributions, callers }) =>
      ENTRY_BYTES + (distributions?.length ?? 0) + (callers?.data.byteLength ?? 0),
    ttl: TTL_MS,
  });
}
