// Tells the streams of every replica that something happened in an organisation's inboxes (LISTEN/NOTIFY). Sent after the commit
// and on a connection of its own: NOTIFY inside a transaction makes all commits of the cluster wait for each other. A notice that
// is lost costs a second: streams look by themselves that often (docs/platform.md#notices-between-replicas).
import type { Sql } from '@parley/postgres';
import { ignoreFailure, type Log } from '@parley/runtime';

/** NOTIFY channel; the payload is the organisation. */
export const INBOX_CHANNEL = 'parley_inbox';
/** What happens within this time is told with one statement. */
const GATHER_MS = 5;

export interface InboxBell {
  /** Returns at once, and never throws. */
  ring(organizationId: string): void;
  /** Sends the notices that are still to be sent. */
  close(): Promise<void>;
}

export function createInboxBell({ sql, log }: { readonly sql: Sql; readonly log: Log }): InboxBell {
  const waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();

  function send(): void {
    timer = undefined;
    const organizationIds = [...waiting];
    waiting.clear();
    const told = sql('SELECT pg_notify($1, id)::text FROM unnest($2::text[]) AS id', [
      INBOX_CHANNEL,
      organizationIds,
    ]);
    sending = Promise.all([
      sending,
      ignoreFailure(told, 'streams look by themselves every second', log),
    ]).then(() => undefined);
  }

  return {
    ring: (organizationId) => {
      waiting.add(organizationId);
      timer ??= setTimeout(send, GATHER_MS);
    },
    close: async () => {
      if (timer) {
        clearTimeout(timer);
        send();
      }
      await sending;
    },
  };
}
