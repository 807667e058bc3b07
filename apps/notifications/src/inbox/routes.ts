// The endpoint table of the in-app store: method, path, scope, schemas, use case. On /v1 only: the product face is for sending.
import { z } from 'zod';
import { del, get, post, put, Reply, type Endpoint } from '@parley/http';
import type { Deps } from '../deps.ts';
import { readAllItems, seeItems } from './change-all.ts';
import { deleteItem, readItem } from './change-item.ts';
import { listItems } from './list-items.ts';
import { inboxTicket, makeStreamTicket, openInboxStream } from './open-stream.ts';
import {
  changedItems,
  item,
  itemListQuery,
  itemPage,
  itemParams,
  noBody,
  seenRequest,
  streamQuery,
  streamTicket,
  userQuery,
} from './schemas.ts';

export function inboxEndpoints(deps: Deps): Endpoint[] {
  return [
    get(
      '/notifications',
      {
        operationId: 'listNotifications',
        summary: 'The inbox of a user, newest first, with its counts',
        scope: 'read',
        endUsers: true,
        query: itemListQuery,
        replies: { 200: itemPage },
      },
      ({ caller, query }) => listItems(deps, caller, query),
    ),
    put(
      '/notifications/{id}/read',
      {
        operationId: 'readNotification',
        summary: 'Mark a notification read; of one for every user, for this user',
        scope: 'write',
        endUsers: true,
        params: itemParams,
        query: userQuery,
        body: noBody,
        replies: { 200: item },
      },
      ({ caller, params, query }) => readItem(deps, caller, params.id, query.user_id),
    ),
    del(
      '/notifications/{id}',
      {
        operationId: 'deleteNotification',
        summary: 'Delete a notification; of one for every user, from the inbox of this user',
        scope: 'delete',
        endUsers: true,
        params: itemParams,
        query: userQuery,
        replies: { 204: null },
      },
      ({ caller, params, query }) => deleteItem(deps, caller, params.id, query.user_id),
    ),
    post(
      '/notifications/read-all',
      {
        operationId: 'readAllNotifications',
        summary: 'Mark everything in the inbox read',
        scope: 'write',
        endUsers: true,
        query: userQuery,
        body: noBody,
        replies: { 200: changedItems },
      },
      ({ caller, query }) => readAllItems(deps, caller, query.user_id),
    ),
    post(
      '/notifications/seen',
      {
        operationId: 'seeNotifications',
        summary: 'Mark notifications seen: those named, or all',
        scope: 'write',
        endUsers: true,
        query: userQuery,
        body: seenRequest,
        replies: { 200: changedItems },
      },
      ({ caller, query, body }) => seeItems(deps, caller, query.user_id, body.ids),
    ),
    get(
      '/notifications/stream',
      {
        operationId: 'streamNotifications',
        summary: 'The inbox as server-sent events: created, read, deleted, unread_count, reset',
        scope: 'read',
        endUsers: true,
        query: streamQuery,
        replies: { 200: z.string() },
        produces: ['text/event-stream'],
        credential: inboxTicket(deps),
        refusals: ['concurrency_limited'],
      },
      ({ caller, query, header }) =>
        openInboxStream(deps, caller, {
          user_id: query.user_id,
          lastEventId: header('last-event-id') ?? query.last_event_id,
        }),
    ),
    post(
      '/notifications/stream-ticket',
      {
        operationId: 'makeStreamTicket',
        summary: 'A ticket that opens one stream, for EventSource',
        scope: 'read', // it opens what a GET opens
        endUsers: true,
        query: userQuery,
        body: noBody,
        replies: { 201: streamTicket },
      },
      async ({ caller, query }) => new Reply(await makeStreamTicket(deps, caller, query.user_id)),
    ),
  ];
}
