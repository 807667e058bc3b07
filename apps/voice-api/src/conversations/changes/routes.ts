// The endpoint table of changes and deletions of conversations.
import { del, patch, post, put, type Endpoint } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { conversation, conversationParams } from '../schemas.ts';
import { deleteConversation, deleteConversations } from './delete-conversations.ts';
import { holdConversation, releaseConversation } from './hold-conversation.ts';
import {
  bulkDelete,
  bulkDeleted,
  bulkUpdate,
  bulkUpdated,
  conversationUpdate,
  deletedConversation,
  holdRequest,
} from './schemas.ts';
import { updateConversation, updateConversations } from './update-conversations.ts';

export function conversationChangeEndpoints(deps: Deps): Endpoint[] {
  return [...changeEndpoints(deps), ...holdEndpoints(deps)];
}

function changeEndpoints(deps: Deps): Endpoint[] {
  return [
    patch(
      '/conversations/{conversation_id}',
      {
        operationId: 'updateConversation',
        stores: true,
        summary: 'Update a conversation after the call: metadata, tags, cost, recording, summary, analysis',
        scope: 'write',
        boundKeys: true,
        params: conversationParams,
        body: conversationUpdate,
        replies: { 200: conversation },
      },
      ({ caller, params, body }) => updateConversation(deps, caller, params.conversation_id, body),
    ),
    del(
      '/conversations/{conversation_id}',
      {
        operationId: 'deleteConversation',
        summary: 'Delete a conversation and all its data permanently',
        scope: 'delete',
        boundKeys: true,
        params: conversationParams,
        replies: { 200: deletedConversation },
        refusals: ['conflict'],
      },
      ({ caller, params }) => deleteConversation(deps, caller, params.conversation_id),
    ),
    post(
      '/conversations/bulk-update',
      {
        operationId: 'updateConversations',
        stores: true,
        summary: 'Update all conversations that match a filter; dry_run only counts them',
        scope: 'write',
        boundKeys: true,
        body: bulkUpdate,
        replies: { 200: bulkUpdated },
      },
      ({ caller, body }) => updateConversations(deps, caller, body),
    ),
    post(
      '/conversations/bulk-delete',
      {
        operationId: 'deleteConversations',
        summary: 'Delete all conversations that match a filter permanently; dry_run only counts them',
        scope: 'delete',
        boundKeys: true,
        body: bulkDelete,
        replies: { 200: bulkDeleted },
      },
      ({ caller, body }) => deleteConversations(deps, caller, body),
    ),
  ];
}

function holdEndpoints(deps: Deps): Endpoint[] {
  return [
    put(
      '/conversations/{conversation_id}/hold',
      {
        operationId: 'holdConversation',
        summary: 'Set a legal hold with its reason: the conversation is neither removed nor deleted',
        scope: 'admin',
        boundKeys: true,
        params: conversationParams,
        body: holdRequest,
        replies: { 200: conversation },
      },
      ({ caller, params, body }) => holdConversation(deps, caller, params.conversation_id, body),
    ),
    del(
      '/conversations/{conversation_id}/hold',
      {
        operationId: 'releaseConversation',
        summary: 'Remove the legal hold of a conversation',
        scope: 'admin',
        boundKeys: true,
        params: conversationParams,
        replies: { 200: conversation },
      },
      ({ caller, params }) => releaseConversation(deps, caller, params.conversation_id),
    ),
  ];
}
