// Tells the streams of every replica that something happened in an organisation's inboxes (LISTEN/NOTIFY). Rung after the commit
// and on a connection of its own: NOTIFY inside a transaction makes all commits of the cluster wait for each other. A bell
// that is lost costs a second: streams look by themselves that often.
import type { Sql } from '@parley/postgres';
import { createGroupCommit } from '@parley/queues';
import { ignoreFailure, type Log } from '@parley/runtime';

/** NOTIFY channel; the payload is the organisation. */
export const INBOX_CHANNEL = 'parley_inbox';
/** What happens within this time is told with one statement. */
const GATHER_MS = 5;
/** Rings that one statement tells. */
const ORGANIZATIONS_MAX = 1_000;

export interface InboxBell {
  /** Returns at once, and never throws. */
  ring(organizationId: string): void;
  /** Sends what has been rung. */
  close(): Promise<void>;
}

export function createInboxBell({ sql, log }: { readonly sql: Sql; readonly log: Log }): InboxBell {
  const group = createGroupCommit<string>({
    groupMax: ORGANIZATIONS_MAX,
    waitMs: GATHER_MS,
    write: async (organizationIds) => {
      const told = sql('SELECT pg_notify($1, id)::text FROM unnest($2::text[]) AS id', [
        INBOX_CHANNEL,
        [...new Set(organizationIds)],
      ]);
      await ignoreFailure(told, 'streams look by themselves every second', log);
    },
  });
  return {
    ring: (organizationId) => void group.add(organizationId),
    close: () => group.close(),
  };
}
