// Removes flows permanently some days after they were archived (docs/flow-language.md#archive). All
// workers do this; a worker skips a flow that another one holds.
import { audit, operatorFor } from '@parley/server/audit';
import type { Sql } from '@parley/server/postgres';
import type { Flow } from '@parley/store-flow-builder';
import type { Deps } from '../deps.ts';
import type { FlowKey } from '../versions/runnable-flows.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
export const PURGE_EVERY_MS = 10 * 60 * 1000;
/** Transactions of one round. The next round continues. */
const STEPS_MAX = 1_000;
/** Rows of one transaction. A version has up to 2 MB. */
const ROWS_MAX = 200;

type PurgeDeps = Pick<Deps, 'transact' | 'clock' | 'ids' | 'config'>;

/** Flows that were archived before this are purged; null: none. */
function computePurgeTime({ clock, config }: Pick<Deps, 'clock' | 'config'>): Date | null {
  const days = config.RETENTION_DAYS;
  return days === 0 ? null : new Date(clock() - days * DAY_MS);
}

/** Parts of such a flow may be gone already, so it cannot be restored. */
export function isPurged(
  { archivedAt }: Pick<Flow, 'archivedAt'>,
  deps: Pick<Deps, 'clock' | 'config'>,
): boolean {
  const before = computePurgeTime(deps);
  return before !== null && archivedAt !== null && archivedAt < before;
}

export async function purgeArchived(deps: PurgeDeps): Promise<void> {
  const before = computePurgeTime(deps);
  if (before === null) return;
  for (let step = 0; step < STEPS_MAX; step++)
    if (!(await deps.transact((sql) => purgeSome(deps, sql, before)))) return;
}

/** Returns false when there is nothing left to remove. */
async function purgeSome(deps: PurgeDeps, sql: Sql, before: Date): Promise<boolean> {
  const [key] = await sql<FlowKey>(
    `SELECT organization_id AS "organizationId", flow_id AS "flowId" FROM flows
     WHERE archived_at < $1 ORDER BY archived_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
    [before],
  );
  if (!key) return false;
  const { organizationId, flowId } = key;
  for (const table of ['flow_tests', 'flow_publications', 'flow_versions']) {
    const removed = await sql(
      `DELETE FROM ${table} WHERE ctid IN (
         SELECT ctid FROM ${table} WHERE organization_id = $1 AND flow_id = $2 LIMIT $3::int
       ) RETURNING 1 AS one`,
      [organizationId, flowId, ROWS_MAX],
    );
    if (removed.length === ROWS_MAX) return true;
  }
  await sql('DELETE FROM flows WHERE organization_id = $1 AND flow_id = $2', [organizationId, flowId]);
  await audit(sql, deps, operatorFor(organizationId), { action: 'flow.purged', target: flowId });
  return true;
}
