// The large columns of rollups in memory. Of the blocks of a week only the newest change, and who watches a dashboard asks for all
// of them again and again: encoding, sending and decoding those bytes is what a question over a million conversations costs more
// than one over ten thousand.
import { LRUCache } from 'lru-cache';
import type { LargeColumns } from './tally.ts';

/** By a key that names a row and its version: what is in it never goes stale. */
export type BlockCache = LRUCache<string, LargeColumns>;

const BYTES_MAX = 32 * 1024 * 1024;
/** What an entry takes beside what was read: its key, its objects, its place in the cache. */
const ENTRY_BYTES = 500;
/** Far below the time in which Postgres can count its transactions once around, which would give a row an old version's number. */
const TTL_MS = 60 * 60_000;

export function createBlockCache(): BlockCache {
  return new LRUCache({
    maxSize: BYTES_MAX,
    sizeCalculation: ({ distributions, callers }) =>
      ENTRY_BYTES + (distributions?.length ?? 0) + (callers?.data.byteLength ?? 0),
    ttl: TTL_MS,
  });
}
