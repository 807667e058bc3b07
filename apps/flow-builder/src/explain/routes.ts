// The endpoints that say why a bot said something (docs/why.md). They change nothing, but for tests that are saved.
import { post, type Endpoint } from '@parley/http';
import type { Deps } from '../deps.ts';
import { flowParams } from '../flows/schemas.ts';
import { replayTurns } from './replay-turns.ts';
import { replayReply, replayRequest } from './schemas.ts';

/** Turns with their bags, and a definition beside them. */
const TURNS_BODY_BYTES_MAX = 5 * 1024 * 1024;

export function explainEndpoints(deps: Deps): Endpoint[] {
  return [
    post(
      '/flows/{flow_id}/replay',
      {
        operationId: 'replayTurns',
        summary: 'Walk recorded turns again, on any version: what is the same, and what is not',
        scope: 'read', // it changes nothing (docs/platform.md#scopes)
        params: flowParams,
        body: replayRequest,
        bodyBytesMax: TURNS_BODY_BYTES_MAX,
        replies: { 200: replayReply },
        refusals: ['limit_exceeded', 'request_too_costly'],
      },
      ({ caller, params, body }) => replayTurns(deps, caller, params.flow_id, body),
    ),
  ];
}
