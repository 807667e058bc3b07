// Workflows.
import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '../../api/error.ts';
import { readBody, notifications } from '../../api/clients.ts';
import type { components, operations } from '@parley/sdk/notifications';

export type Workflow = components['schemas']['Workflow'];
export type WorkflowRequest = components['schemas']['WorkflowRequest'];
export type WorkflowHead = components['schemas']['WorkflowHead'];
export type WorkflowQuery = NonNullable<operations['listWorkflows']['parameters']['query']>;

/** Query keys to invalidate after a change. */
export const WORKFLOWS = ['workflows', 'workflow'];

const at = (id: string) => ({ params: { path: { workflow_id: id } } });

export const workflowsQuery = (query: WorkflowQuery) =>
  queryOptions({
    queryKey: ['workflows', query],
    queryFn: () => readBody(notifications.GET('/v1/workflows', { params: { query } })),
  });

export const workflowQuery = (id: string, version?: number) =>
  queryOptions({
    queryKey: ['workflow', id, version],
    queryFn: () =>
      readBody(
        notifications.GET('/v1/workflows/{workflow_id}', {
          params: { path: { workflow_id: id }, query: version === undefined ? {} : { version } },
        }),
      ),
  });

export const saveWorkflow = (id: string, body: WorkflowRequest) =>
  readBody(notifications.PUT('/v1/workflows/{workflow_id}', { ...at(id), body }));

/** Saving under an existing id would create a version of that workflow. */
export async function createWorkflow(id: string, body: WorkflowRequest) {
  const { response } = await notifications.GET('/v1/workflows/{workflow_id}', at(id));
  if (response.ok)
    throw new ApiError(409, null, { error: `The workflow "${id}" already exists. Choose another id.` });
  return saveWorkflow(id, body);
}

export const publishWorkflow = (id: string, version: number | null) =>
  readBody(notifications.POST('/v1/workflows/{workflow_id}/publish', { ...at(id), body: { version } }));

export const deleteWorkflow = (id: string) =>
  readBody(notifications.DELETE('/v1/workflows/{workflow_id}', at(id)));
