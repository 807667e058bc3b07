// The endpoint table of turns.
import { post, type Endpoint } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { flowParams } from '../versions/schemas.ts';
import { executeTurn } from './execute-turn.ts';
import { executeQuery, executeRequest, turnResult } from './schemas.ts';

export function turnEndpoints(deps: Deps): Endpoint[] {
  return [
    post(
      '/flows/{flow_id}/execute',
      {
        operationId: 'executeTurn',
        summary: 'Advance a flow by one turn',
        scope: 'read', // it changes nothing (docs/platform.md#scopes)
        params: flowParams,
        query: executeQuery,
        body: executeRequest,
        replies: { 200: turnResult },
        refusals: [
          'not_published',
          'flow_has_errors',
          'unknown_node',
          'tool_result_mismatch',
          'handoff_result_mismatch',
          'turn_did_not_settle',
          'turn_too_costly',
        ],
      },
      ({ caller, params, query, body, face, request, header }) =>
        executeTurn(deps, caller, {
          flowId: params.flow_id,
          face,
          body,
          version: query.version,
          trace: query.trace === 'true',
          request,
          bodyBytes: declaredBytes(header('content-length')),
        }),
    ),
  ];
}

function declaredBytes(contentLength: string | undefined): number | undefined {
  return contentLength === undefined ? undefined : Number(contentLength);
}
