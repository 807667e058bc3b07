// The endpoint table of workflows.
import type { Endpoint } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { versionEndpoints } from '../versions/endpoints.ts';
import { workflowSchemas, type WorkflowContent } from './schemas.ts';
import { toContent } from './workflows.ts';

export function workflowEndpoints(deps: Deps): Endpoint[] {
  const { workflowRequest, members } = workflowSchemas(deps.channels);
  return versionEndpoints(deps, {
    kind: 'workflow',
    members,
    request: workflowRequest,
    toContent: (caller, request) => toContent(deps.sql, caller, request),
    toMembers: (content) => JSON.parse(content) as WorkflowContent,
  });
}
