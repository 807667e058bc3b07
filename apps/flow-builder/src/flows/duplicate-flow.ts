// POST /v1/flows/{flow_id}/duplicate: a new flow at version 1, unpublished. The original is unchanged.
import { AppError } from '@parley/envelopes';
import type { Reply } from '@parley/http';
import { type Caller, type EndpointTransaction } from '@parley/http';
import type { Deps, Tx } from '../deps.ts';
import { createdReply } from './create-flow.ts';
import type { DuplicateRequest } from './schemas.ts';
import { checkDefinition, getHead, getVersion, insertFlow } from './version-ledger.ts';

/**
 * Copies a version as it is, a draft with errors included: the copy is unpublished, so nothing can go live by it.
 * @throws AppError not_found, flow_exists
 */
export async function duplicateFlow(
  deps: Pick<Deps, 'clock' | 'ids' | 'validationRules' | 'runnableFlows' | 'heavyWork'>,
  caller: Caller,
  flowId: string,
  input: DuplicateRequest,
  { tx, sql, afterCommit }: EndpointTransaction<Tx>,
): Promise<Reply> {
  const from = { organizationId: caller.organizationId, flowId };
  const head = await getHead(tx, from);
  const original = await getVersion(tx, from, input.version ?? head.latestVersion);

  const to = { organizationId: caller.organizationId, flowId: input.flow_id ?? deps.ids('flow') };
  const document = original.definition as Record<string, unknown>;
  const checked = await checkDefinition(deps, document, { ...to, name: input.name ?? original.name });
  const by = { principal: caller.principal, nowMs: deps.clock() };
  if (!(await insertFlow(tx, sql, to, checked, by))) {
    throw new AppError('flow_exists', `flow "${to.flowId}" exists already`);
  }
  afterCommit(() => deps.runnableFlows.forget(to));
  return createdReply(tx, to, 201);
}
