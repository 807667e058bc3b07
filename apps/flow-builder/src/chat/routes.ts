// The endpoint table of /openai/v1 (docs/openai.md).
import type { Code } from '@parley/envelopes';
import { get, post, type Endpoint } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { completeChat } from './complete-chat.ts';
import { createResponse } from './create-response.ts';
import { getModel, listModels } from './list-models.ts';
import { modelResponse, responseRequest } from './response-schemas.ts';
import { chatCompletion, chatRequest, model, modelList, modelParams } from './schemas.ts';
import { SESSION_HEADER } from './find-session.ts';

const refusals: Code[] = [
  'not_found',
  'not_published',
  'flow_has_errors',
  'tool_result_mismatch',
  'turn_did_not_settle',
  'turn_too_costly',
  'conversation_too_large',
  'request_too_costly',
];
/** Of both endpoints that execute a turn. */
const turn = {
  scope: 'read' as const, // as execute
  alternatives: ['text/event-stream'],
  reads: [SESSION_HEADER] as const,
  sends: ['X-Parley-Session'] as const,
  refusals,
};

export function chatEndpoints(deps: Deps): Endpoint[] {
  return [
    post(
      '/chat/completions',
      {
        alsoAt: ['/chat/completions/chat/completions'],
        ...turn,
        operationId: 'createChatCompletion',
        summary: 'Execute the next turn of a flow as a chat completion; `stream` for server-sent events',
        body: chatRequest,
        replies: { 200: chatCompletion },
      },
      ({ caller, body, request, header }) =>
        completeChat(deps, caller, { body, request, header: header('x-session-id') }),
    ),
    post(
      '/responses',
      {
        alsoAt: ['/responses/responses'],
        ...turn,
        operationId: 'createResponse',
        summary: 'Execute the next turn of a flow as a response; `stream` for server-sent events',
        body: responseRequest,
        replies: { 200: modelResponse },
      },
      ({ caller, body, request, header }) =>
        createResponse(deps, caller, { body, request, header: header('x-session-id') }),
    ),
    get(
      '/models',
      {
        alsoAt: ['/chat/completions/models'],
        operationId: 'listModels',
        summary: 'List published flows as models',
        scope: 'read',
        replies: { 200: modelList },
      },
      ({ caller }) => listModels(deps, caller),
    ),
    get(
      '/models/{model}',
      {
        alsoAt: ['/chat/completions/models/{model}'],
        operationId: 'getModel',
        summary: 'Get a published flow, or a version of a flow, as a model',
        scope: 'read',
        params: modelParams,
        replies: { 200: model },
        refusals: ['not_found'],
      },
      ({ caller, params }) => getModel(deps, caller, params.model),
    ),
  ];
}
