// Purges a bot in batches. The request purges for as long as it may take; workers purge the rest.
import { inTransaction, type Sql } from '@parley/server/postgres';
import type { Deps } from '../conversations/deps.ts';
import { eraseConversations } from '../conversations/changes/erase-conversations.ts';

export type PurgeDeps = Pick<Deps, 'pool' | 'sql' | 'clock' | 'outbox'>;

interface Purge {
  readonly organizationId: string;
  readonly botId: string;
}

/** Conversations of one transaction: about ten thousand rows with turns and events. */
const PURGE_BATCH_MAX = 200;
/** Duration within the request, below its own limit of 30 s. */
const REQUEST_PURGE_MS = 10_000;
/** Duration of a worker's round. */
const ROUND_PURGE_MS = 30_000;
export const PURGE_EVERY_MS = 5_000;

/** Purges until nothing is left or the time is up. bot_purges stores the order, so none is lost. */
export async function purgeBot(deps: PurgeDeps, purge: Purge, forMs = REQUEST_PURGE_MS): Promise<void> {
  const until = deps.clock() + forMs;
  while (deps.clock() < until) {
    const purged = await inTransaction(deps.pool, (sql) => purgeBatch(deps, sql, purge));
    if (purged < PURGE_BATCH_MAX) return;
  }
}

/** Continues purges that a request did not finish. */
export async function resumePurges(deps: PurgeDeps): Promise<void> {
  const purges = await deps.sql<Purge>(
    'SELECT organization_id AS "organizationId", bot_id AS "botId" FROM bot_purges ORDER BY requested_at LIMIT 10',
  );
  for (const purge of purges) await purgeBot(deps, purge, ROUND_PURGE_MS);
}

/** Returns the number of removed conversations. The last batch removes the order as well. */
async function purgeBatch(deps: PurgeDeps, sql: Sql, { organizationId, botId }: Purge): Promise<number> {
  // The intake locks in the same order.
  const rows = await sql<{ id: string }>(
    `SELECT id FROM conversations WHERE organization_id = $1 AND bot_id = $2 AND hold IS NULL ORDER BY id LIMIT $3 FOR UPDATE`,
    [organizationId, botId, PURGE_BATCH_MAX],
  );
  const ids = rows.map(({ id }) => id);
  await eraseConversations(deps, sql, organizationId, ids);
  if (ids.length < PURGE_BATCH_MAX) {
    await sql('DELETE FROM bot_purges WHERE organization_id = $1 AND bot_id = $2', [organizationId, botId]);
  }
  return ids.length;
}
