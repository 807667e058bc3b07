// The endpoints of the assistant of the editor (docs/assistant.md).
import { get, post, type Endpoint } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { DEFINITION_BODY_BYTES_MAX, flowParams } from '../versions/schemas.ts';
import { readState } from './read-state.ts';
import { assistantReply, assistantState, proposalRequest } from './schemas.ts';
import { createProposalWriter } from './write-proposal.ts';

export function assistantEndpoints(deps: Deps): Endpoint[] {
  const writeProposal = createProposalWriter(deps);
  return [
    get(
      '/assistant',
      {
        operationId: 'getAssistant',
        summary: 'Get whether the assistant can be used, or why not',
        scope: 'read',
        replies: { 200: assistantState },
      },
      ({ caller }) => readState(deps, caller),
    ),
    post(
      '/flows/{flow_id}/assistant',
      {
        operationId: 'proposeChange',
        summary: 'Propose a change of a draft by a model, checked and tested; stores nothing',
        scope: 'write', // it costs money, and is for who edits
        params: flowParams,
        body: proposalRequest,
        bodyBytesMax: DEFINITION_BODY_BYTES_MAX,
        replies: { 200: assistantReply },
        refusals: ['unprocessable', 'limit_exceeded', 'request_too_costly', 'concurrency_limited'],
      },
      ({ caller, params, body }) => writeProposal(caller, params.flow_id, body),
    ),
  ];
}
