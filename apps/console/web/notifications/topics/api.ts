// Topics and their members.
import { queryOptions } from '@tanstack/react-query';
import { readBody, notifications } from '../../api/clients.ts';
import { ApiError } from '../../api/error.ts';
import type { components, operations } from '@parley/sdk/notifications';
import { inRequests } from './members.rules.ts';

export type Topic = components['schemas']['Topic'];
export type TopicQuery = NonNullable<operations['listTopics']['parameters']['query']>;

/** Query keys to invalidate after a change. */
export const TOPICS = ['topics', 'topic'];

const at = (id: string) => ({ params: { path: { topic_id: id } } });

export const topicsQuery = (query: TopicQuery) =>
  queryOptions({
    queryKey: ['topics', query],
    queryFn: () => readBody(notifications.GET('/v1/topics', { params: { query } })),
  });

export const topicQuery = (id: string) =>
  queryOptions({
    queryKey: ['topic', id],
    queryFn: () => readBody(notifications.GET('/v1/topics/{topic_id}', at(id))),
  });

export const membersQuery = (id: string, query: TopicQuery) =>
  queryOptions({
    queryKey: ['topic', id, 'members', query],
    queryFn: () =>
      readBody(
        notifications.GET('/v1/topics/{topic_id}/members', { params: { path: { topic_id: id }, query } }),
      ),
  });

export type Change = 'add' | 'remove';

/** Sends one request after the other. After a failure, repeating all of them is safe. */
export async function changeMembers(id: string, change: Change, ids: readonly string[]): Promise<Topic> {
  let topic: Topic | undefined;
  for (const some of ids.length === 0 ? [[]] : inRequests(ids))
    topic = await readBody(
      notifications.POST('/v1/topics/{topic_id}/members', {
        ...at(id),
        body: { add: [], remove: [], [change]: [...some] },
      }),
    );
  return topic!;
}

/** An existing topic would get the members instead. */
export async function createTopic(id: string, ids: readonly string[]): Promise<Topic> {
  const { response } = await notifications.GET('/v1/topics/{topic_id}', at(id));
  if (response.ok)
    throw new ApiError(409, null, { error: `The topic "${id}" already exists. Choose another id.` });
  return changeMembers(id, 'add', ids);
}

export const deleteTopic = (id: string) => readBody(notifications.DELETE('/v1/topics/{topic_id}', at(id)));
