// The endpoint table of conversations: event intake and reads.
import { voiceApiDialect } from '@parley/envelopes';
import { get, post, type Endpoint } from '@parley/server/http';
import type { Deps } from './deps.ts';
import { listFlowTurns } from './list-flow-turns.ts';
import { listRecordedTurns } from './read-turns.ts';
import { INTAKE } from './intake-limit.ts';
import type { LargeBatches } from './large-batches.ts';
import { listConversations } from './lists/list-conversations.ts';
import { conversationListQuery, conversationPage } from './lists/query.ts';
import { getConversation, getTranscript } from './read-conversations.ts';
import { getRecording } from './read-recording.ts';
import {
  conversation,
  conversationParams,
  eventBatch,
  flowTurnListQuery,
  EVENTS_BODY_BYTES_MAX,
  intakeResult,
  recordedTurn,
  recordingLink,
  transcript,
  transcriptQuery,
  turnListQuery,
} from './schemas.ts';
import { listEvents, acceptEvents } from './accept-events.ts';

const { pageSchema } = voiceApiDialect;

export function conversationEndpoints(deps: Deps & { readonly largeBatches: LargeBatches }): Endpoint[] {
  return [...intakeEndpoints(deps), ...readEndpoints(deps), ...turnEndpoints(deps)];
}

function intakeEndpoints(deps: Deps & { readonly largeBatches: LargeBatches }): Endpoint[] {
  return [
    post(
      '/conversations/events',
      {
        operationId: 'takeConversationEvents',
        stores: true,
        summary: 'Report 1 to 500 conversation events; repeated events are harmless',
        scope: 'write',
        boundKeys: true,
        limitClass: INTAKE,
        body: eventBatch,
        bodyBytesMax: EVENTS_BODY_BYTES_MAX,
        judgesBody: true,
        runLarge: (input) => deps.largeBatches.accept(input),
        refusals: ['request_too_costly'],
        replies: { 200: intakeResult },
      },
      ({ caller, body, doubts, request }) =>
        acceptEvents(deps, caller, listEvents(body), request, { doubts }),
    ),
  ];
}

function readEndpoints(deps: Deps & { readonly largeBatches: LargeBatches }): Endpoint[] {
  return [
    get(
      '/conversations',
      {
        operationId: 'listConversations',
        summary:
          'List conversations, newest first; filter by their members, by `metadata.<key>=` and by spoken words',
        scope: 'read',
        boundKeys: true,
        query: conversationListQuery,
        replies: { 200: conversationPage },
      },
      ({ caller, query }) => listConversations(deps, caller, query),
    ),
    get(
      '/conversations/{conversation_id}',
      {
        operationId: 'getConversation',
        summary: 'Get a conversation',
        scope: 'read',
        boundKeys: true,
        params: conversationParams,
        replies: { 200: conversation },
      },
      ({ caller, params }) => getConversation(deps, caller, params.conversation_id),
    ),
    get(
      '/conversations/{conversation_id}/recording',
      {
        operationId: 'getRecording',
        summary: 'Get a link of 15 minutes to the copy of the recording',
        scope: 'read',
        boundKeys: true,
        params: conversationParams,
        replies: { 200: recordingLink },
        refusals: ['not_found', 'unavailable'],
      },
      ({ caller, params }) => getRecording(deps, caller, params.conversation_id),
    ),
  ];
}

function turnEndpoints(deps: Deps & { readonly largeBatches: LargeBatches }): Endpoint[] {
  return [
    get(
      '/conversations/{conversation_id}/transcript',
      {
        operationId: 'getTranscript',
        summary: 'Get the transcript of a conversation as JSON, text/vtt or text/plain, in pages of 1 MiB',
        scope: 'read',
        boundKeys: true,
        params: conversationParams,
        query: transcriptQuery,
        reads: ['If-None-Match'],
        sends: ['ETag', 'Link', 'Content-Disposition'],
        replies: { 200: transcript, 304: null },
        alternatives: ['text/vtt', 'text/plain'],
      },
      ({ caller, params, query, header }) =>
        getTranscript(deps, caller, params.conversation_id, {
          accept: header('accept'),
          ifNoneMatch: header('if-none-match'),
          cursor: query.cursor,
        }),
    ),
    get(
      '/conversations/{conversation_id}/turns',
      {
        operationId: 'listRecordedTurns',
        summary: 'List the recorded turns of the flow in order, in pages of 1 MiB',
        scope: 'read',
        boundKeys: true,
        params: conversationParams,
        query: turnListQuery,
        replies: { 200: pageSchema(recordedTurn) },
        refusals: ['not_found'],
      },
      ({ caller, params, query }) => listRecordedTurns(deps, caller, params.conversation_id, query),
    ),
    get(
      '/flow-turns',
      {
        operationId: 'listFlowTurns',
        summary: 'List the recorded turns of a flow, newest conversation first, in pages of 1 MiB',
        scope: 'read',
        query: flowTurnListQuery,
        replies: { 200: pageSchema(recordedTurn) },
      },
      ({ caller, query }) => listFlowTurns(deps, caller, query),
    ),
  ];
}
