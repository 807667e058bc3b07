// The endpoint table of changes and deletions of conversations.
import { del, patch, post, type Endpoint } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { conversation, conversationParams } from '../schemas.ts';
import { deleteConversation, deleteConversations } from './delete-conversations.ts';
import {
  bulkDelete,
  bulkDeleted,
  bulkUpdate,
  bulkUpdated,
  conversationUpdate,
  deletedConversation,
} from './schemas.ts';
import { updateConversation, updateConversations } from './update-conversations.ts';

export function conversationChangeEndpoints(deps: Deps): Endpoint[] {
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
