// Tells event streams how many items of their inboxes are unread and unseen: streams of one inbox share one count. They are told
// after the events.
import type { OpenStream } from '@parley/http';
import type { Sql } from '@parley/postgres';
import { countItems } from './count-items.ts';
import { eventFrame } from './event-frames.rules.ts';
import type { Reader } from './reader.ts';

/** Counts asked for in one statement. */
const COUNTED_AT_ONCE = 500;

interface Client {
  readonly reader: Reader;
  readonly stream: Pick<OpenStream, 'write'>;
}

export async function tellCounts(sql: Sql, clients: readonly Client[], nowMs: number): Promise<void> {
  const readers = new Map(clients.map(({ reader }) => [readerKey(reader), reader]));
  const keys = [...readers.keys()];
  for (let start = 0; start < keys.length; start += COUNTED_AT_ONCE) {
    const some = keys.slice(start, start + COUNTED_AT_ONCE);
    const counts = await countItems(
      sql,
      some.map((key) => readers.get(key)!),
      nowMs,
    );
    const byKey = new Map(some.map((key, index) => [key, counts[index]]));
    for (const { reader, stream } of clients) {
      const data = byKey.get(readerKey(reader));
      if (data) stream.write(eventFrame({ name: 'unread_count', data }));
    }
  }
}

/** Ids hold no NUL: no two readers have the same key. */
export function readerKey({ organizationId, userId }: Reader): string {
  return `${organizationId}\0${userId ?? '\0'}`;
}
