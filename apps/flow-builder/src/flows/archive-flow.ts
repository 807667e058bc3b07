// DELETE /v1/flows/{flow_id}: archives a flow, or restores it.
import { audit } from '@parley/server/audit';
import { AppError } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { refuseStale } from './preconditions.ts';
import { flowNotFound } from '../versions/runnable-flows.ts';
import { isPurged } from './purge-archived.ts';
import { getAnyHead, getVersion, setArchived } from '../versions/version-ledger.ts';
import { toHead } from './views.ts';

export interface ArchiveOptions {
  readonly restore: boolean;
  readonly ifMatch: string | undefined;
}

/**
 * Only the list with archived=true has archived flows, until they are restored or purged
 * (docs/flow-language.md#archive). Repeating a call changes nothing.
 * @throws AppError not_found, stale_version, conflict while the flow is published
 */
export async function archiveFlow(
  deps: Pick<Deps, 'transact' | 'clock' | 'ids' | 'config' | 'runnableFlows'>,
  caller: Caller,
  flowId: string,
  { restore, ifMatch }: ArchiveOptions,
) {
  const key = { organizationId: caller.organizationId, flowId };
  const now = new Date(deps.clock());
  const archived = await deps.transact(async (sql) => {
    const head = await getAnyHead(sql, key, 'FOR UPDATE');
    if (head === null || isPurged(head, deps)) throw flowNotFound(key);
    refuseStale(ifMatch, await getVersion(sql, key, head.latestVersion));
    if (!restore && head.publishedVersion !== null)
      throw new AppError('conflict', `flow "${flowId}" is published: unpublish it first`);
    if ((head.archivedAt === null) === restore) return toHead(head);
    await audit(sql, deps, caller, { action: restore ? 'flow.restored' : 'flow.archived', target: flowId });
    return toHead(await setArchived(sql, key, restore ? null : now));
  });
  deps.runnableFlows.forget(key);
  return archived;
}
