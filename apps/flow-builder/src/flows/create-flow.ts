// POST /v1/flows: a new flow at version 1, or the same flow again.
import { AppError } from '@parley/envelopes';
import { Reply, type Caller, type EndpointTransaction } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { FlowVersion } from '@parley/store-flow-builder';
import type { Deps } from '../deps.ts';
import { type FlowRequest } from './schemas.ts';
import { flowId } from '../versions/schemas.ts';
import {
  restoreCheck,
  nameDefinition,
  readName,
  refuseErrors,
  validateDefinition,
  type CheckedDefinition,
} from '../versions/check-definition.ts';
import { getAnyHead, getHead, getVersion, insertFlow } from '../versions/version-ledger.ts';
import type { FlowKey } from '../versions/runnable-flows.ts';
import { toStoredFlow } from './views.ts';

/**
 * Checks the definition before the transaction, which should hold its locks for a short time.
 * @throws AppError invalid_request, limit_exceeded, flow_has_errors, request_too_costly
 */
export async function checkNewFlow(
  deps: Pick<Deps, 'sql' | 'validationRules' | 'heavyWork'>,
  { organizationId }: Caller,
  { definition, flow_id }: FlowRequest,
): Promise<CheckedDefinition> {
  const flowId = flow_id ?? readFlowId(definition) ?? null;
  const checked = await validateDefinition(deps, { organizationId, flowId }, definition);
  refuseErrors(checked.validation);
  return checked;
}

/**
 * Creates the flow. `flow_id` is an idempotency key: the name and definition of version 1 answer
 * 200 with the stored flow, others are refused (docs/flow-language.md#store).
 * @throws AppError flow_exists
 */
export async function createFlow(
  deps: Pick<Deps, 'clock' | 'ids' | 'runnableFlows' | 'limits'>,
  caller: Caller,
  { flow_id, name }: FlowRequest,
  checked: CheckedDefinition,
  { sql, afterCommit }: EndpointTransaction,
): Promise<Reply> {
  const { document } = checked;
  const id = flow_id ?? readFlowId(document) ?? deps.ids('flow');
  const key = { organizationId: caller.organizationId, flowId: id };
  const flow = nameDefinition(checked, name ?? readName(document) ?? id);

  const by = { principal: caller.principal, nowMs: deps.clock() };
  const created = await insertFlow(sql, key, flow, by);
  if (created) await deps.limits.caps.added(sql, key.organizationId, 'flows');
  afterCommit(() => deps.runnableFlows.forget(key));
  if (!created && (await getAnyHead(sql, key))?.archivedAt != null) {
    throw new AppError('flow_exists', `flow "${id}" is archived; restore it with DELETE and restore=true`);
  }
  if (!created && !isSame(checked, flow.name, await getVersion(sql, key, 1))) {
    throw new AppError('flow_exists', `flow "${id}" exists and differs; change it with PATCH`);
  }
  return toReply(sql, key, created ? 201 : 200);
}

/** Called flows may have been published again since. Only what the author wrote is compared. */
function isSame(checked: CheckedDefinition, name: string, first: FlowVersion): boolean {
  return nameDefinition({ ...checked, calls: restoreCheck(first).calls }, name).hash === first.hash;
}

/** The stored flow at its latest version; a new one with its Location. */
export async function toReply(sql: Sql, key: FlowKey, status: 200 | 201): Promise<Reply> {
  const head = await getHead(sql, key);
  const flow = toStoredFlow(head, await getVersion(sql, key, head.latestVersion));
  const location = { location: `/v1/flows/${encodeURIComponent(key.flowId)}` };
  return new Reply(flow, { status, headers: { etag: flow.etag, ...(status === 201 ? location : {}) } });
}

/**
 * `definition.flow_id` is the default when the request has none. A value that is no valid id stays
 * in the document only.
 */
function readFlowId(definition: Readonly<Record<string, unknown>>): string | undefined {
  const parsed = flowId.safeParse(definition['flow_id']);
  return parsed.success ? parsed.data : undefined;
}
