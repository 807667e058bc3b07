// How many items of their inboxes are unread and unseen, for streams that were told events: streams of one inbox share one count.
import type { StreamEvent } from '@parley/event-streams';
import type { Sql } from '@parley/postgres';
import { countItems } from './count-items.ts';
import type { Reader } from './reader.ts';

/** Counts asked for in one statement. */
const COUNTED_AT_ONCE = 500;

/** By `readerKey`. */
export async function countsAfter(
  sql: Sql,
  all: readonly Reader[],
  nowMs: number,
): Promise<ReadonlyMap<string, StreamEvent>> {
  const readers = new Map(all.map((reader) => [readerKey(reader), reader]));
  const keys = [...readers.keys()];
  const told = new Map<string, StreamEvent>();
  for (let start = 0; start < keys.length; start += COUNTED_AT_ONCE) {
    const some = keys.slice(start, start + COUNTED_AT_ONCE);
    const counts = await countItems(
      sql,
      some.map((key) => readers.get(key)!),
      nowMs,
    );
    some.forEach((key, index) => told.set(key, { name: 'unread_count', data: counts[index] }));
  }
  return told;
}

/** Ids hold no NUL: no two readers have the same key. */
export function readerKey({ organizationId, userId }: Reader): string {
  return `${organizationId}\0${userId ?? '\0'}`;
}
