// POST and DELETE /v1/flows/{flow_id}/publish: moves and clears the publish pointer.
import { audit } from '@parley/server/audit';
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { refuseStale } from './preconditions.ts';
import type { PublishRequest } from './schemas.ts';
import { refuseFailedTests } from '../conversations/stored-tests.ts';
import { refuseErrors } from '../versions/check-definition.ts';
import { getHead, getVersion, movePointer } from '../versions/version-ledger.ts';
import { toPublishedHead } from './views.ts';

type PublishDeps = Pick<
  Deps,
  'sql' | 'transact' | 'clock' | 'ids' | 'config' | 'runnableFlows' | 'heavyWork'
>;

/**
 * The first publish of a version requires no errors and passed tests. `skip_tests` with a reason
 * skips the tests. Publishing a version again is the roll-back, and nothing blocks it.
 * @throws AppError not_found, flow_has_errors (with the validation), tests_failed (with the run),
 *   request_too_costly
 */
export async function publishFlow(deps: PublishDeps, caller: Caller, flowId: string, input: PublishRequest) {
  const key = { organizationId: caller.organizationId, flowId };
  const { latestVersion } = await getHead(deps.sql, key);
  const version = await getVersion(deps.sql, key, input.version ?? latestVersion);
  refuseErrors(version.validation);
  // Versions never change, so their tests run without the lock, which is held only to write.
  if (!input.skip_tests) await refuseFailedTests(deps, key, version.version);
  const published = await deps.transact(async (sql) => {
    await getHead(sql, key, 'FOR UPDATE');
    const by = { principal: caller.principal, nowMs: deps.clock(), id: deps.ids('pub') };
    const note = { skipTests: input.skip_tests ?? false, reason: input.reason };
    const details = { version: version.version, skip_tests: note.skipTests };
    await audit(sql, deps, caller, { action: 'flow.published', target: flowId, details });
    return toPublishedHead(await movePointer(sql, key, version.version, { ...by, ...note }));
  });
  deps.runnableFlows.forget(key);
  return published;
}

/** Does nothing to a flow that is not published. @throws AppError not_found, stale_version */
export async function unpublishFlow(
  deps: PublishDeps,
  caller: Caller,
  flowId: string,
  ifMatch: string | undefined,
) {
  const key = { organizationId: caller.organizationId, flowId };
  const published = await deps.transact(async (sql) => {
    const head = await getHead(sql, key, 'FOR UPDATE');
    refuseStale(ifMatch, await getVersion(sql, key, head.latestVersion));
    if (head.publishedVersion === null) return toPublishedHead(head);
    const by = { principal: caller.principal, nowMs: deps.clock(), id: deps.ids('pub') };
    await audit(sql, deps, caller, { action: 'flow.unpublished', target: flowId });
    return toPublishedHead(await movePointer(sql, key, null, by));
  });
  deps.runnableFlows.forget(key);
  return published;
}
