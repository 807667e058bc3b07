// The endpoint table of the feed and of event streams.
import { z } from 'zod';
import { get, post, Reply, type Endpoint } from '@parley/http';
import { conversationParams } from '../conversations/schemas.ts';
import type { Deps } from '../deps.ts';
import { conversationTicket, makeConversationTicket, openConversationStream } from './open-stream.ts';
import { readFeed } from './read-feed.ts';
import { feed, feedQuery, noBody, streamQuery, streamTicket } from './schemas.ts';

export function feedEndpoints(deps: Deps): Endpoint[] {
  return [
    get(
      '/events',
      {
        operationId: 'readEvents',
        summary: 'Everything that webhooks are told, of 30 days, in an order that misses nothing',
        scope: 'read',
        boundKeys: true,
        query: feedQuery,
        replies: { 200: feed },
      },
      ({ caller, query }) => readFeed(deps, caller, query),
    ),
    get(
      '/conversations/{conversation_id}/stream',
      {
        operationId: 'streamConversation',
        summary: 'Its events as they are applied, as server-sent events named by their type; ready, reset',
        scope: 'read',
        boundKeys: true,
        params: conversationParams,
        query: streamQuery,
        reads: ['Last-Event-ID'],
        replies: { 200: z.string() },
        produces: ['text/event-stream'],
        credential: conversationTicket(deps),
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
        summary: 'A ticket that opens one stream of the conversation, for EventSource',
        scope: 'read', // it opens what a GET opens
        boundKeys: true,
        params: conversationParams,
        body: noBody,
        replies: { 201: streamTicket },
        refusals: ['not_found'],
      },
      async ({ caller, params }) =>
        new Reply(await makeConversationTicket(deps, caller, params.conversation_id), { status: 201 }),
    ),
  ];
}
