// Notifies the streams of every replica that something happened in an organisation (LISTEN/NOTIFY).
// Sent after the commit on its own connection: NOTIFY inside a transaction makes all commits of the
// cluster wait for each other. Streams also look every second, so a lost notice costs a second
// (docs/platform.md#notices-between-replicas).
import type { Sql } from '@parley/server/postgres';
import { createGroupCommit, ignoreFailure, type Log } from '@parley/server/runtime';

/** Notices within this time share one statement. */
const GATHER_MS = 5;
/** Notices of one statement. */
const ORGANIZATIONS_MAX = 1_000;

export interface StreamNotifier {
  /** Returns immediately and never throws. */
  notify(organizationId: string): void;
  /** Sends pending notices. */
  close(): Promise<void>;
}

/** @param channel NOTIFY channel; the payload is the organisation */
export function createStreamNotifier(
  { sql, log }: { readonly sql: Sql; readonly log: Log },
  channel: string,
): StreamNotifier {
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
    notify: (organizationId) => void group.add(organizationId),
    close: () => group.close(),
  };
}
