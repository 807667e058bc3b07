// The endpoint table of the in-app store: method, path, scope, schemas, use case. On /v1 only: the product face is for sending.
import { z } from 'zod';
import { del, get, post, put, Reply, type Endpoint } from '@parley/http';
import type { Deps } from '../deps.ts';
import { deleteAllItems, readAllItems, seeItems } from './change-all.ts';
import { changeItem, deleteItem, type Change } from './change-item.ts';
import { countItems } from './count-items.ts';
import { listItems } from './list-items.ts';
import { inboxTicket, makeStreamTicket, openInboxStream } from './open-stream.ts';
import { readItem } from './read-item.ts';
import { readerOf } from './reader.ts';
import {
  changedItems,
  countQuery,
  deleteAllQuery,
  inboxCounts,
  item,
  itemListQuery,
  itemPage,
  itemParams,
  noBody,
  readRequest,
  seenRequest,
  snoozeRequest,
  streamQuery,
  streamTicket,
  userQuery,
} from './schemas.ts';

const OF_THIS_USER = '; of one for every user, for this user';

/** PUT of a state that an item is put into, again and again the same. */
function changes(
  deps: Deps,
  name: string,
  operationId: string,
  summary: string,
  change: Exclude<Change, 'snoozed'>,
): Endpoint {
  return put(
    `/notifications/{id}/${name}`,
    {
      operationId,
      summary: `${summary}${OF_THIS_USER}`,
      scope: 'write',
      endUsers: true,
      params: itemParams,
      query: userQuery,
      body: noBody,
      replies: { 200: item },
    },
    ({ caller, params, query }) => changeItem(deps, caller, params.id, query.user_id, change),
  );
}

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
    get(
      '/notifications/count',
      {
        operationId: 'countNotifications',
        summary: 'The counts of an inbox, or of a category of it, without its items',
        scope: 'read',
        endUsers: true,
        query: countQuery,
        replies: { 200: inboxCounts },
      },
      async ({ caller, query }) => {
        const reader = readerOf(caller, query.user_id);
        const [counts] = await countItems(deps.sql, [reader], deps.clock(), query.category);
        return counts;
      },
    ),
    put(
      '/notifications/{id}/read',
      {
        operationId: 'readNotification',
        summary: `Mark a notification read${OF_THIS_USER}`,
        scope: 'write',
        endUsers: true,
        params: itemParams,
        query: userQuery,
        body: readRequest,
        replies: { 200: item },
      },
      ({ caller, params, query, body }) => readItem(deps, caller, params.id, query.user_id, body.clicked),
    ),
    changes(deps, 'unread', 'unreadNotification', 'Mark a notification unread', 'unread'),
    changes(
      deps,
      'archive',
      'archiveNotification',
      'Take a notification out of the inbox and keep it',
      'archived',
    ),
    changes(deps, 'unarchive', 'unarchiveNotification', 'Put an archived notification back', 'unarchived'),
    put(
      '/notifications/{id}/snooze',
      {
        operationId: 'snoozeNotification',
        summary: `Take a notification out of the inbox until a time${OF_THIS_USER}`,
        scope: 'write',
        endUsers: true,
        params: itemParams,
        query: userQuery,
        body: snoozeRequest,
        replies: { 200: item },
      },
      ({ caller, params, query, body: { until } }) => {
        const change = until === null ? 'unsnoozed' : { snoozedUntil: until };
        return changeItem(deps, caller, params.id, query.user_id, change);
      },
    ),
    del(
      '/notifications',
      {
        operationId: 'deleteAllNotifications',
        summary: 'Delete everything of an inbox, archived and snoozed too',
        scope: 'delete',
        endUsers: true,
        query: deleteAllQuery,
        replies: { 200: changedItems },
      },
      ({ caller, query }) => deleteAllItems(deps, caller, query.user_id),
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
        summary: 'The inbox as server-sent events: created, read, archived and so on, unread_count, reset',
        scope: 'read',
        endUsers: true,
        query: streamQuery,
        reads: ['Last-Event-ID'],
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
