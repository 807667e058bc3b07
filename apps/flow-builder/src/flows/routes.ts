// The endpoint table of flows, on /v1 and /product/v1.
import { creates, del, get, patch, post, type Endpoint } from '@parley/server/http';
import { flowBuilderDialect } from '@parley/envelopes';
import type { Deps } from '../deps.ts';
import { archiveFlow } from './archive-flow.ts';
import { checkNewFlow, createFlow } from './create-flow.ts';
import { diagramEndpoints, diffEndpoints } from './diff-routes.ts';
import { duplicateFlow } from './duplicate-flow.ts';
import { publishFlow, unpublishFlow } from './publish-flow.ts';
import { importFlow } from './import-flow.ts';
import { getFlow, listFlows, listPublications, listVersions } from './read-flows.ts';
import {
  archiveQuery,
  duplicateRequest,
  fetchQuery,
  flowHead,
  listedFlow,
  flowListQuery,
  flowRequest,
  flowUpdate,
  IMPORT_BODY_BYTES_MAX,
  importedFlow,
  importRequest,
  ledgerEntry,
  publication,
  publishedHead,
  publishRequest,
  storedFlow,
  validateRequest,
  validation,
} from './schemas.ts';
import { DEFINITION_BODY_BYTES_MAX, flowParams, ledgerQuery, validateQuery } from '../versions/schemas.ts';
import { updateFlow } from './update-flow.ts';
import { validateFlow } from './validate-flow.ts';

const { pageSchema } = flowBuilderDialect;

export function flowEndpoints(deps: Deps): Endpoint[] {
  return [
    ...collectionEndpoints(deps),
    ...versionEndpoints(deps),
    ...publishEndpoints(deps),
    ...copyEndpoints(deps),
    ...diffEndpoints(deps),
    ...diagramEndpoints(deps),
  ];
}

function collectionEndpoints(deps: Deps): Endpoint[] {
  return [
    creates(
      '/flows',
      {
        operationId: 'createFlow',
        stores: true,
        summary: 'Create a flow at version 1',
        scope: 'write',
        body: flowRequest,
        bodyBytesMax: DEFINITION_BODY_BYTES_MAX,
        sends: ['ETag', 'Location'],
        replies: { 201: storedFlow, 200: storedFlow },
        refusals: ['flow_exists', 'flow_has_errors', 'limit_exceeded', 'request_too_costly'],
        prepare: ({ caller, body }) => checkNewFlow(deps, caller, body),
      },
      ({ caller, body, prepared, transaction }) => createFlow(deps, caller, body, prepared, transaction),
    ),
    post(
      '/flows/import',
      {
        operationId: 'importFlow',
        stores: true,
        summary: 'Convert a flow of another product, with a report for each node',
        scope: 'read', // it stores nothing
        body: importRequest,
        bodyBytesMax: IMPORT_BODY_BYTES_MAX,
        replies: { 200: importedFlow },
        refusals: ['limit_exceeded', 'request_too_costly'],
      },
      ({ caller, body }) => importFlow(deps, caller, body),
    ),
    get(
      '/flows',
      {
        operationId: 'listFlows',
        summary: 'List flows, newest first; `state` adds what is published and the problems',
        scope: 'read',
        query: flowListQuery,
        replies: { 200: pageSchema(listedFlow) },
      },
      ({ caller, query }) => listFlows(deps, caller, query),
    ),
  ];
}

function versionEndpoints(deps: Deps): Endpoint[] {
  return [
    get(
      '/flows/{flow_id}',
      {
        operationId: 'getFlow',
        summary: 'Get the latest version of a flow, or another one',
        scope: 'read',
        params: flowParams,
        query: fetchQuery,
        sends: ['ETag'],
        replies: { 200: storedFlow },
      },
      ({ caller, params, query }) => getFlow(deps, caller, params.flow_id, query),
    ),
    patch(
      '/flows/{flow_id}',
      {
        operationId: 'updateFlow',
        stores: true,
        summary: 'Append an immutable version',
        scope: 'write',
        params: flowParams,
        body: flowUpdate,
        bodyBytesMax: DEFINITION_BODY_BYTES_MAX,
        reads: ['If-Match'],
        sends: ['ETag'],
        replies: { 200: storedFlow },
        refusals: ['stale_version', 'limit_exceeded', 'request_too_costly'],
      },
      ({ caller, params, body, header }) =>
        updateFlow(deps, caller, params.flow_id, { ...body, ifMatch: header('if-match') }),
    ),
    del(
      '/flows/{flow_id}',
      {
        operationId: 'archiveFlow',
        summary: 'Archive a flow, or restore it',
        scope: 'delete',
        params: flowParams,
        query: archiveQuery,
        reads: ['If-Match'],
        replies: { 200: flowHead },
        refusals: ['conflict', 'stale_version'],
      },
      ({ caller, params, query, header }) =>
        archiveFlow(deps, caller, params.flow_id, {
          restore: query.restore === 'true',
          ifMatch: header('if-match'),
        }),
    ),
  ];
}

function publishEndpoints(deps: Deps): Endpoint[] {
  return [
    post(
      '/flows/{flow_id}/validate',
      {
        operationId: 'validateFlow',
        summary: 'Validate a definition, or the stored flow',
        scope: 'read', // it changes nothing (docs/platform.md#scopes)
        params: flowParams,
        query: validateQuery,
        body: validateRequest,
        bodyBytesMax: DEFINITION_BODY_BYTES_MAX,
        replies: { 200: validation },
        refusals: ['limit_exceeded', 'request_too_costly'],
      },
      ({ caller, params, query, body }) =>
        validateFlow(deps, caller, params.flow_id, { ...body, version: query.version }),
    ),
    get(
      '/flows/{flow_id}/versions',
      {
        operationId: 'listVersions',
        summary: 'List the versions of a flow, newest first',
        scope: 'read',
        params: flowParams,
        query: ledgerQuery,
        replies: { 200: pageSchema(ledgerEntry) },
      },
      ({ caller, params, query }) => listVersions(deps, caller, params.flow_id, query),
    ),
    post(
      '/flows/{flow_id}/publish',
      {
        operationId: 'publishFlow',
        summary: 'Publish a version, or roll back to an earlier one',
        scope: 'write',
        params: flowParams,
        body: publishRequest,
        replies: { 200: publishedHead },
        refusals: ['flow_has_errors', 'tests_failed', 'request_too_costly'],
      },
      ({ caller, params, body }) => publishFlow(deps, caller, params.flow_id, body),
    ),
    del(
      '/flows/{flow_id}/publish',
      {
        operationId: 'unpublishFlow',
        summary: 'Clear the publish pointer',
        scope: 'delete',
        params: flowParams,
        reads: ['If-Match'],
        replies: { 200: publishedHead },
        refusals: ['stale_version'],
      },
      ({ caller, params, header }) => unpublishFlow(deps, caller, params.flow_id, header('if-match')),
    ),
  ];
}

function copyEndpoints(deps: Deps): Endpoint[] {
  return [
    creates(
      '/flows/{flow_id}/duplicate',
      {
        operationId: 'duplicateFlow',
        stores: true,
        summary: 'Copy a version into a new flow at version 1, unpublished',
        scope: 'write',
        params: flowParams,
        body: duplicateRequest,
        sends: ['ETag', 'Location'],
        replies: { 201: storedFlow },
        refusals: ['flow_exists'],
      },
      ({ caller, params, body, transaction }) =>
        duplicateFlow(deps, caller, params.flow_id, body, transaction),
    ),
    get(
      '/flows/{flow_id}/publications',
      {
        operationId: 'listPublications',
        summary: 'List publications of a flow, newest first',
        scope: 'read',
        params: flowParams,
        query: ledgerQuery,
        replies: { 200: pageSchema(publication) },
      },
      ({ caller, params, query }) => listPublications(deps, caller, params.flow_id, query),
    ),
  ];
}
