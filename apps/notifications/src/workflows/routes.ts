// The endpoint table of workflows. Only on /v1: the product face only sends.
import { del, get, post, put, type Endpoint } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { versionQuery } from '../versions/schemas.ts';
import {
  savedWorkflow,
  workflowHead,
  workflowListQuery,
  workflowPage,
  workflowParams,
  workflowPublish,
  workflowSchemas,
} from './schemas.ts';
import { deleteWorkflow, getWorkflow, listWorkflows, publishWorkflow, saveWorkflow } from './workflows.ts';

export function workflowEndpoints(deps: Deps): Endpoint[] {
  const { workflowRequest, workflow } = workflowSchemas(deps.channels);
  const params = workflowParams;
  return [
    get(
      '/workflows',
      {
        operationId: 'listWorkflows',
        summary: 'List workflows by id',
        scope: 'read',
        query: workflowListQuery,
        replies: { 200: workflowPage },
      },
      ({ caller, query }) => listWorkflows(deps, caller, query),
    ),
    put(
      '/workflows/{workflow_id}',
      {
        operationId: 'saveWorkflow',
        stores: true,
        summary: 'Save a new version of a workflow. Equal content does not create a version',
        scope: 'write',
        params,
        body: workflowRequest,
        replies: { 200: savedWorkflow, 201: savedWorkflow },
        refusals: ['limit_exceeded'],
      },
      ({ caller, params: { workflow_id: id }, body }) => saveWorkflow(deps, caller, id, body),
    ),
    get(
      '/workflows/{workflow_id}',
      {
        operationId: 'getWorkflow',
        summary: 'Get a version of a workflow',
        scope: 'read',
        params,
        query: versionQuery,
        replies: { 200: workflow },
        refusals: ['not_found'],
      },
      ({ caller, params: { workflow_id: id }, query }) => getWorkflow(deps, caller, id, query.version),
    ),
    post(
      '/workflows/{workflow_id}/publish',
      {
        operationId: 'publishWorkflow',
        summary: 'Move the publish pointer of a workflow',
        scope: 'write',
        params,
        body: workflowPublish,
        replies: { 200: workflowHead },
        refusals: ['not_found'],
      },
      ({ caller, params: { workflow_id: id }, body }) => publishWorkflow(deps, caller, id, body.version),
    ),
    del(
      '/workflows/{workflow_id}',
      {
        operationId: 'deleteWorkflow',
        summary: 'Delete a workflow with all versions',
        scope: 'delete',
        params,
        replies: { 204: null },
        refusals: ['not_found'],
      },
      ({ caller, params: { workflow_id: id } }) => deleteWorkflow(deps, caller, id),
    ),
  ];
}
