// The endpoints that compare and draw versions of a flow.
import { z } from 'zod';
import { get, post, type Endpoint } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { DEFINITION_BODY_BYTES_MAX, flowParams } from '../versions/schemas.ts';
import { diffDefinition, diffFlow } from './diff-flow.ts';
import { drawFlow } from './draw-flow.ts';
import { diagramQuery, diagramRequest, diffQuery, diffRequest, flowDiff } from './schemas.ts';

export function diffEndpoints(deps: Deps): Endpoint[] {
  return [
    get(
      '/flows/{flow_id}/diff',
      {
        operationId: 'diffFlow',
        summary: 'Compare two versions: sentences, structure and an RFC 6902 patch',
        scope: 'read',
        params: flowParams,
        query: diffQuery,
        replies: { 200: flowDiff },
        refusals: ['limit_exceeded', 'request_too_costly'],
      },
      ({ caller, params, query }) => diffFlow(deps, caller, params.flow_id, query),
    ),
    post(
      '/flows/{flow_id}/diff',
      {
        operationId: 'diffDefinition',
        summary: 'Compare a version with a definition in the request',
        scope: 'read', // it changes nothing
        params: flowParams,
        body: diffRequest,
        bodyBytesMax: DEFINITION_BODY_BYTES_MAX,
        replies: { 200: flowDiff },
        refusals: ['limit_exceeded', 'request_too_costly'],
      },
      ({ caller, params, body }) => diffDefinition(deps, caller, params.flow_id, body),
    ),
  ];
}

export function diagramEndpoints(deps: Deps): Endpoint[] {
  return [
    get(
      '/flows/{flow_id}/diagram',
      {
        operationId: 'drawFlow',
        summary: 'Draw a version as Mermaid, DOT or SVG',
        scope: 'read',
        params: flowParams,
        query: diagramQuery,
        replies: { 200: z.string() },
        produces: ['text/vnd.mermaid', 'text/vnd.graphviz', 'image/svg+xml'],
        sends: ['Content-Disposition'],
        refusals: ['limit_exceeded', 'request_too_costly'],
      },
      ({ caller, params, query }) => drawFlow(deps, caller, params.flow_id, query),
    ),
    post(
      '/flows/{flow_id}/diagram',
      {
        operationId: 'drawDefinition',
        summary: 'Draw a definition in the request, or a version',
        scope: 'read', // it changes nothing
        params: flowParams,
        body: diagramRequest,
        bodyBytesMax: DEFINITION_BODY_BYTES_MAX,
        replies: { 200: z.string() },
        produces: ['text/vnd.mermaid', 'text/vnd.graphviz', 'image/svg+xml'],
        sends: ['Content-Disposition'],
        refusals: ['limit_exceeded', 'request_too_costly'],
      },
      ({ caller, params, body }) => drawFlow(deps, caller, params.flow_id, body),
    ),
  ];
}
