// The endpoint table of topics.
import { del, get, post, put, type Endpoint } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import {
  changeMembers,
  deleteTopic,
  getTopic,
  listMembers,
  listTopics,
  putMembers,
} from './manage-topics.ts';
import * as shapes from './schemas.ts';

export function topicEndpoints(deps: Deps): Endpoint[] {
  return [
    put(
      '/topics/{topic_id}/members',
      {
        operationId: 'putTopicMembers',
        summary: 'Replace the members of a topic, up to 10,000; creates the topic',
        scope: 'write',
        params: shapes.writtenTopicParams,
        body: shapes.putMembers,
        bodyBytesMax: shapes.MEMBERS_BYTES_MAX,
        replies: { 200: shapes.topic },
        refusals: ['conflict', 'limit_exceeded'],
      },
      ({ caller, params, body }) => putMembers(deps, caller, params.topic_id, body.user_ids),
    ),
    post(
      '/topics/{topic_id}/members',
      {
        operationId: 'changeTopicMembers',
        summary: 'Add and remove members of a topic, up to 10,000 each; creates the topic',
        scope: 'write',
        params: shapes.writtenTopicParams,
        body: shapes.changeMembers,
        bodyBytesMax: shapes.MEMBERS_BYTES_MAX,
        replies: { 200: shapes.topic },
        refusals: ['limit_exceeded'],
      },
      ({ caller, params, body }) => changeMembers(deps, caller, params.topic_id, body),
    ),
    get(
      '/topics/{topic_id}/members',
      {
        operationId: 'listTopicMembers',
        summary: 'List the members of a topic by user_id',
        scope: 'read',
        params: shapes.topicParams,
        query: shapes.listQuery,
        replies: { 200: shapes.memberPage },
        refusals: ['not_found'],
      },
      ({ caller, params, query }) => listMembers(deps, caller, params.topic_id, query),
    ),
    get(
      '/topics',
      {
        operationId: 'listTopics',
        summary: 'List topics',
        scope: 'read',
        query: shapes.listQuery,
        replies: { 200: shapes.topicPage },
      },
      ({ caller, query }) => listTopics(deps, caller, query),
    ),
    get(
      '/topics/{topic_id}',
      {
        operationId: 'getTopic',
        summary: 'Get a topic and its number of members',
        scope: 'read',
        params: shapes.topicParams,
        replies: { 200: shapes.topic },
        refusals: ['not_found'],
      },
      ({ caller, params }) => getTopic(deps, caller, params.topic_id),
    ),
    del(
      '/topics/{topic_id}',
      {
        operationId: 'deleteTopic',
        summary: 'Delete a topic and stop its running sends',
        scope: 'delete',
        params: shapes.topicParams,
        replies: { 204: null },
        refusals: ['not_found'],
      },
      ({ caller, params }) => deleteTopic(deps, caller, params.topic_id),
    ),
  ];
}
