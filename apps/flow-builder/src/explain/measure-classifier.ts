// GET /v1/flows/{flow_id}/classifier: how well examples tell the branches of each node apart.
import { classifierVersion } from '@parley/flow-engine';
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { selectVersion, type VersionSelection } from './select-version.ts';

type ClassifierDeps = Pick<Deps, 'sql' | 'config' | 'heavyWork' | 'validationRules'>;

/** @throws AppError not_found, limit_exceeded, request_too_costly */
export async function measureClassifier(
  deps: ClassifierDeps,
  caller: Caller,
  flowId: string,
  query: VersionSelection,
) {
  const looked = await selectVersion(deps, caller, flowId, query);
  const { nodes, omitted } = await deps.heavyWork.run(caller.organizationId, 'measureClassifier', looked);
  return {
    flow_id: flowId,
    version: looked.version,
    classifier_version: classifierVersion,
    nodes,
    nodes_omitted: omitted,
  };
}
