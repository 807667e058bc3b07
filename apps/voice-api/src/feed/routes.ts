// The endpoint table of the feed and of event streams.
import { z } from 'zod';
import { get, post, Reply, type Endpoint } from '@parley/server/http';
import { conversationParams } from '../conversations/schemas.ts';
import type { Deps } from './deps.ts';
import {
  conversationTicketCredential,
  createConversationTicket,
  openConversationStream,
} from './open-stream.ts';
import { readFeed } from './read-feed.ts';
import { feed, feedQuery, noBody, streamQuery, streamTicket } from './schemas.ts';

export function feedEndpoints(deps: Deps): Endpoint[] {
  return [
    get(
      '/events',
      {
        operationId: 'readEvents',
        summary: 'Read all webhook events of the last 30 days in order, without gaps',
        scope: 'read',
        boundKeys: true,
        query: feedQuery,
        replies: { 200: feed },
        refusals: ['position_outdated'],
      },
      ({ caller, query }) => readFeed(deps, caller, query),
    ),
    get(
      '/conversations/{conversation_id}/stream',
      {
        operationId: 'streamConversation',
        summary:
          'Stream the events of a conversation as server-sent events named by type; also `ready` and `reset`',
        scope: 'read',
        boundKeys: true,
        params: conversationParams,
        query: streamQuery,
        reads: ['Last-Event-ID'],
        replies: { 200: z.string() },
        produces: ['text/event-stream'],
        credential: conversationTicketCredential(deps),
        refusals: ['not_found', 'concurrency_limited'],
      },
      ({ caller, params, query, header }) =>
        openConversationStream(deps, caller, params.conversation_id, {
          lastEventId: header('last-event-id') ?? query.last_event_id,
        }),
    ),
    post(
      '/conversations/{conversation_id}/stream-ticket',
      {
        operationId: 'makeStreamTicket',
        summary: 'Create a ticket that opens one stream of the conversation with EventSource',
        scope: 'read', // opens only what a GET opens
        boundKeys: true,
        params: conversationParams,
        body: noBody,
        replies: { 201: streamTicket },
        refusals: ['not_found'],
      },
      async ({ caller, params }) =>
        new Reply(await createConversationTicket(deps, caller, params.conversation_id), { status: 201 }),
    ),
  ];
}
