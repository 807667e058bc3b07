// Wire schemas of topics (docs/notifications.md#topics).
import { z } from 'zod';
import { notificationsDialect, pageQuery } from '@parley/envelopes';
import { callerId, storedId } from '../callers/caller-id.ts';

const { timeSchema: time } = notificationsDialect;

/** Users that one request may name. */
export const NAMED_MAX = 10_000;
/** Fits NAMED_MAX ids of 255 characters in the widest script. */
export const MEMBERS_BYTES_MAX = 12 * 1024 * 1024;

export const topicParams = z.strictObject({ topic_id: storedId });
export const writtenTopicParams = z.strictObject({ topic_id: callerId });

const users = z.array(callerId).max(NAMED_MAX);

export const putMembers = z
  .strictObject({ user_ids: users.describe('All members of the topic. Removes every other member') })
  .meta({ id: 'PutTopicMembers' });

export const changeMembers = z
  .strictObject({
    add: users.default([]),
    remove: z.array(storedId).max(NAMED_MAX).default([]).describe('An id in both lists is removed'),
  })
  .meta({ id: 'ChangeTopicMembers' });

export const topic = z
  .strictObject({
    topic_id: z.string(),
    members: z.int().describe('Number of members'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Topic' });
export const topicPage = z.strictObject({ items: z.array(topic), next_cursor: z.string().nullable() });

export const memberPage = z.strictObject({
  items: z.array(z.strictObject({ user_id: z.string(), created_at: time })),
  next_cursor: z.string().nullable(),
});
export const listQuery = z.strictObject(pageQuery());

/** Progress of a send to a topic, part of a notification's status. */
export const topicStatus = z
  .strictObject({
    topic_id: z.string(),
    status: z.enum(['queued', 'sending', 'sent', 'expired', 'canceled', 'failed', 'quarantined']),
    targeted: z.int().describe('Members processed so far'),
    accepted: z.int().describe('Processed members that have a notification'),
    suppressed: z.int().describe('Accepted members who switched off all of its channels'),
    unreachable: z.int().describe('Members whom no channel reaches'),
    last_reason: z.string().nullable().describe('The reason for one of the unreachable members'),
  })
  .meta({ id: 'TopicStatus' });
