// Tells the streams of every replica that something happened in an organisation (LISTEN/NOTIFY). Sent after the commit
// and on a connection of its own: NOTIFY inside a transaction makes all commits of the cluster wait for each other. A notice that
// is lost costs a second: streams look by themselves that often (docs/platform.md#notices-between-replicas).
import type { Sql } from '@parley/postgres';
import { createGroupCommit } from '@parley/queues';
import { ignoreFailure, type Log } from '@parley/runtime';

/** What happens within this time is told with one statement. */
const GATHER_MS = 5;
/** Rings that one statement tells. */
const ORGANIZATIONS_MAX = 1_000;

export interface Bell {
  /** Returns at once, and never throws. */
  ring(organizationId: string): void;
  /** Sends the notices that are still to be sent. */
  close(): Promise<void>;
}

/** @param channel NOTIFY channel; the payload is the organisation */
export function createBell({ sql, log }: { readonly sql: Sql; readonly log: Log }, channel: string): Bell {
  const group = createGroupCommit<string>({
    groupMax: ORGANIZATIONS_MAX,
    waitMs: GATHER_MS,
    write: async (organizationIds) => {
      const told = sql('SELECT pg_notify($1, id)::text FROM unnest($2::text[]) AS id', [
        channel,
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
