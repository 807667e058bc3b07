// POST /v1/flows/{flow_id}/duplicate: a new flow at version 1, unpublished.
import { AppError } from '@parley/envelopes';
import { type Reply, type Caller, type EndpointTransaction } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { toReply } from './create-flow.ts';
import type { DuplicateRequest } from './schemas.ts';
import { restoreCheck, nameDefinition } from '../versions/check-definition.ts';
import { getHead, getVersion, insertFlow } from '../versions/version-ledger.ts';

/**
 * Copies any version, also a draft with errors: the copy is unpublished.
 * @throws AppError not_found, flow_exists, limit_exceeded
 */
export async function duplicateFlow(
  deps: Pick<Deps, 'clock' | 'ids' | 'runnableFlows' | 'limits'>,
  caller: Caller,
  flowId: string,
  input: DuplicateRequest,
  { sql, afterCommit }: EndpointTransaction,
): Promise<Reply> {
  const from = { organizationId: caller.organizationId, flowId };
  const head = await getHead(sql, from);
  const original = await getVersion(sql, from, input.version ?? head.latestVersion);

  const to = { organizationId: caller.organizationId, flowId: input.flow_id ?? deps.ids('flow') };
  const checked = nameDefinition(restoreCheck(original), input.name ?? original.name);
  const by = { principal: caller.principal, nowMs: deps.clock() };
  if (!(await insertFlow(sql, to, checked, by))) {
    throw new AppError('flow_exists', `flow "${to.flowId}" exists already`);
  }
  await deps.limits.caps.added(sql, to.organizationId, 'flows');
  afterCommit(() => deps.runnableFlows.forget(to));
  return toReply(sql, to, 201);
}
