// POST /v1/flows/{flow_id}/reach: the shortest conversation to a node or an edge, or why none
// exists.
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { selectVersion } from './select-version.ts';
import type { ReachRequest } from './schemas.ts';

type ReachDeps = Pick<Deps, 'sql' | 'config' | 'heavyWork' | 'validationRules'>;

/** @throws AppError not_found, invalid_request, limit_exceeded, request_too_costly */
export async function reachPlace(deps: ReachDeps, caller: Caller, flowId: string, body: ReachRequest) {
  const looked = await selectVersion(deps, caller, flowId, body);
  const { node_id: nodeId, edge_index: edgeIndex } = body;
  const target = nodeId === undefined ? { edgeIndex: edgeIndex! } : { nodeId };
  const reached = await deps.heavyWork.run(caller.organizationId, 'reach', { ...looked, target });
  return { flow_id: flowId, version: looked.version, ...reached };
}
