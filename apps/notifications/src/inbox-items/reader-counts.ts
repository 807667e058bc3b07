// Counts of unread and unseen items for streams after an event. Streams of one inbox share one
// count.
import type { StreamEvent } from '@parley/server/event-streams';
import type { Sql } from '@parley/server/postgres';
import { countItems } from './count-items.ts';
import type { Reader } from '../callers/reader.ts';

/** Counts of one statement. */
const READERS_MAX = 500;

/** By `readerKey`. */
export async function countAfterEvents(
  sql: Sql,
  all: readonly Reader[],
  nowMs: number,
): Promise<ReadonlyMap<string, StreamEvent>> {
  const readers = new Map(all.map((reader) => [readerKey(reader), reader]));
  const keys = [...readers.keys()];
  const events = new Map<string, StreamEvent>();
  for (let start = 0; start < keys.length; start += READERS_MAX) {
    const some = keys.slice(start, start + READERS_MAX);
    const counts = await countItems(
      sql,
      some.map((key) => readers.get(key)!),
      nowMs,
    );
    some.forEach((key, index) => events.set(key, { name: 'unread_count', data: counts[index] }));
  }
  return events;
}

/** Ids contain no NUL, so keys are unique. */
export function readerKey({ organizationId, userId }: Pick<Reader, 'organizationId' | 'userId'>): string {
  return `${organizationId}\0${userId ?? '\0'}`;
}
