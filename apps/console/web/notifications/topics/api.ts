// Topics and their members, as notifications tells them.
import { queryOptions } from '@tanstack/react-query';
import { bodyOf, notifications } from '../../api/clients.ts';
import { ApiError } from '../../api/error.ts';
import type { components, operations } from '@parley/sdk/notifications';
import { inRequests } from './members.rules.ts';

export type Topic = components['schemas']['Topic'];
export type TopicQuery = NonNullable<operations['listTopics']['parameters']['query']>;

/** What is old after members were changed. */
export const TOPICS = ['topics', 'topic'];

const at = (id: string) => ({ params: { path: { topic_id: id } } });

export const topicsQuery = (query: TopicQuery) =>
  queryOptions({
    queryKey: ['topics', query],
    queryFn: () => bodyOf(notifications.GET('/v1/topics', { params: { query } })),
  });

export const topicQuery = (id: string) =>
  queryOptions({
    queryKey: ['topic', id],
    queryFn: () => bodyOf(notifications.GET('/v1/topics/{topic_id}', at(id))),
  });

export const membersQuery = (id: string, query: TopicQuery) =>
  queryOptions({
    queryKey: ['topic', id, 'members', query],
    queryFn: () =>
      bodyOf(
        notifications.GET('/v1/topics/{topic_id}/members', { params: { path: { topic_id: id }, query } }),
      ),
  });

export type Change = 'add' | 'remove';

/**
 * One request after the other: where one fails, those before it hold, and to ask for all of them again does no harm.
 * @returns the topic as it is then
 */
export async function changeMembers(id: string, change: Change, ids: readonly string[]): Promise<Topic> {
  let topic: Topic | undefined;
  for (const some of ids.length === 0 ? [[]] : inRequests(ids))
    topic = await bodyOf(
      notifications.POST('/v1/topics/{topic_id}/members', {
        ...at(id),
        body: { add: [], remove: [], [change]: [...some] },
      }),
    );
  return topic!;
}

/** Under a known id it would add to that one. */
export async function createTopic(id: string, ids: readonly string[]): Promise<Topic> {
  const { response } = await notifications.GET('/v1/topics/{topic_id}', at(id));
  if (response.ok) throw new ApiError(409, null, { error: `There is a topic "${id}" already.` });
  return changeMembers(id, 'add', ids);
}

export const deleteTopic = (id: string) => bodyOf(notifications.DELETE('/v1/topics/{topic_id}', at(id)));
