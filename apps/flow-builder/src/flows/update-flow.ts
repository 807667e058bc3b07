// PATCH /v1/flows/{flow_id}: appends an immutable version.
import { AppError } from '@parley/envelopes';
import { Reply, type Caller } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import { refuseStale } from './preconditions.ts';
import type { FlowKey } from '../versions/runnable-flows.ts';
import type { FlowUpdate } from './schemas.ts';
import { restoreCheck, nameDefinition, validateDefinition } from '../versions/check-definition.ts';
import { appendVersion, getHead, getVersion } from '../versions/version-ledger.ts';
import { toStoredFlow } from './views.ts';

/**
 * Stores a definition with errors as a draft with its validation: unfinished work must not be lost,
 * and publishing refuses it. Content equal to the latest makes no new version
 * (docs/flow-language.md#store).
 * @throws AppError not_found, stale_version, invalid_request, limit_exceeded, request_too_costly
 */
export async function updateFlow(
  deps: Pick<
    Deps,
    'sql' | 'transact' | 'clock' | 'validationRules' | 'runnableFlows' | 'heavyWork' | 'limits'
  >,
  caller: Caller,
  flowId: string,
  input: FlowUpdate & { ifMatch: string | undefined },
): Promise<Reply> {
  const key = { organizationId: caller.organizationId, flowId };
  const { definition } = input;
  await readLatest(deps.sql, key, input);
  const changed = definition && (await validateDefinition(deps, key, definition));
  const reply = await deps.transact(async (sql) => {
    // Validation runs without the lock, which is held only to write.
    const { head, latest } = await readLatest(sql, key, input, 'FOR UPDATE');
    const checked = nameDefinition(changed ?? restoreCheck(latest), input.name ?? latest.name);
    if (checked.hash === latest.hash) return toReply(toStoredFlow(head, latest));

    const { organizationId } = key;
    await deps.limits.caps.refuseBeyond(organizationId, 'versions_per_flow', head.latestVersion + 1);
    await appendVersion(sql, key, head, checked, {
      principal: caller.principal,
      nowMs: deps.clock(),
      note: input.note,
    });
    const appended = await getVersion(sql, key, head.latestVersion + 1);
    return toReply(toStoredFlow({ ...head, latestVersion: appended.version }, appended));
  });
  deps.runnableFlows.forget(key);
  return reply;
}

/** @throws AppError not_found, stale_version */
async function readLatest(
  sql: Sql,
  key: FlowKey,
  input: Pick<FlowUpdate, 'base_version'> & { ifMatch: string | undefined },
  lock: '' | 'FOR UPDATE' = '',
) {
  const head = await getHead(sql, key, lock);
  const latest = await getVersion(sql, key, head.latestVersion);
  refuseStale(input.ifMatch, latest);
  if (input.base_version !== undefined && input.base_version !== head.latestVersion) {
    throw new AppError(
      'stale_version',
      `base_version ${input.base_version} is not the latest: ${head.latestVersion} is`,
    );
  }
  return { head, latest };
}

function toReply(flow: ReturnType<typeof toStoredFlow>): Reply {
  return new Reply(flow, { headers: { etag: flow.etag } });
}
