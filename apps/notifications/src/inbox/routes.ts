// The endpoint table of the in-app inbox. Only on /v1: the product face only sends.
import { z } from 'zod';
import { del, get, post, put, Reply, type Endpoint } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { deleteAllItems, readAllItems, seeItems } from './change-all.ts';
import { changeItem, deleteItem } from './change-item.ts';
import { countItems } from '../inbox-items/count-items.ts';
import { listItems } from './list-items.ts';
import { inboxTicket, makeStreamTicket, openInboxStream } from './open-stream.ts';
import { readItem } from './read-item.ts';
import { getReader } from '../callers/reader.ts';
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
import type { Change } from '../inbox-items/item.ts';

const OF_THIS_USER = '; of one for every user, for this user';

/** An idempotent PUT of one state. */
function changeEndpoint(
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
        summary: "List a user's inbox, newest first, with its counts",
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
        summary: 'Count unread and unseen items of an inbox or of one category',
        scope: 'read',
        endUsers: true,
        query: countQuery,
        replies: { 200: inboxCounts },
      },
      async ({ caller, query }) => {
        const reader = getReader(caller, query.user_id);
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
    changeEndpoint(deps, 'unread', 'unreadNotification', 'Mark a notification unread', 'unread'),
    changeEndpoint(deps, 'archive', 'archiveNotification', 'Archive a notification', 'archived'),
    changeEndpoint(
      deps,
      'unarchive',
      'unarchiveNotification',
      'Move an archived notification back to the inbox',
      'unarchived',
    ),
    put(
      '/notifications/{id}/snooze',
      {
        operationId: 'snoozeNotification',
        summary: `Snooze a notification until a time${OF_THIS_USER}`,
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
        summary: 'Delete all notifications of an inbox, archived and snoozed ones included',
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
        summary: 'Mark all notifications of an inbox read',
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
        summary: 'Mark notifications seen: the named ones, or all',
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
        summary:
          'Stream the inbox as server-sent events: created, read, archived and so on, unread_count, reset',
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
        summary: 'Create a ticket that opens one stream with EventSource',
        scope: 'read', // it grants no more than a GET
        endUsers: true,
        query: userQuery,
        body: noBody,
        replies: { 201: streamTicket },
      },
      async ({ caller, query }) => new Reply(await makeStreamTicket(deps, caller, query.user_id)),
    ),
  ];
}
