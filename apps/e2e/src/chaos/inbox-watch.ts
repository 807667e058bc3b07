// Polls the watched inbox and records new items.
import type { Ledger } from './ledger.ts';
import type { Client } from './client.ts';
import { USER_ID } from './prepare.ts';
import { addMark, addName } from './receivers.ts';

interface InboxPage {
  readonly items: readonly { readonly id: string; readonly body: string }[];
  readonly next_cursor: string | null;
}

export interface InboxWatch {
  /** Records new items of the first page; one request at a time. */
  look(): Promise<void>;
  /** Records new items of all pages. */
  lookAtAll(): Promise<void>;
}

export function createInboxWatch(ledger: Ledger, client: Client): InboxWatch {
  const seen = new Set<string>();
  let looking = false;
  const page = async (cursor: string | null): Promise<InboxPage | null> => {
    const query = `user_id=${USER_ID}&limit=100${cursor === null ? '' : `&cursor=${cursor}`}`;
    const path = `/v1/notifications?${query}`;
    const reply = await client.ask({ service: 'notifications', method: 'GET', path });
    return reply?.status === 200 ? (reply.body as InboxPage) : null;
  };
  const note = ({ items }: InboxPage): void => {
    for (const { id, body } of items) {
      const mark = /\[m:([\w-]+)\]/.exec(body)?.[1];
      if (seen.has(id) || mark === undefined) continue;
      seen.add(id);
      const kind = mark.startsWith('topic-') ? 'topic' : 'in_app';
      if (kind === 'topic' && body !== addName(addMark(mark)))
        ledger.problem(`${mark} does not name its member`);
      ledger.seen(kind, mark, id);
    }
  };
  return {
    look: async () => {
      if (looking) return;
      looking = true;
      const found = await page(null).finally(() => (looking = false));
      if (found) note(found);
    },
    lookAtAll: async () => {
      for (let cursor: string | null = null; ;) {
        const found = await page(cursor);
        if (!found) throw new Error('the inbox cannot be read');
        note(found);
        cursor = found.next_cursor;
        if (cursor === null) return;
      }
    },
  };
}
