// The wire shapes of what the send operation answers, and of the status, list and attempts of what was sent.
import { z } from 'zod';
import { notificationsDialect, pageQuery } from '@parley/envelopes';
import { storedId } from '../caller-id.ts';
import { engagementMembers } from '../engagements/schemas.ts';
import { ENGAGEMENT_EVENTS } from '../engagements/record-engagement.ts';
import { topicStatus } from '../topics/schemas.ts';
import { SUBJECT_CHARS_MAX } from './text-limits.ts';

const { timeSchema, timeQuery } = notificationsDialect;

/** Not the list of names: a description that named a channel this deployment has not would tell of it. */
const channelName = z.string().describe('Name of a channel');
const digest = z
  .strictObject({ closes_at: timeSchema, count: z.int().describe('Sends so far') })
  .optional()
  .describe('It is an item of the digest that `notification_id` names');
const rejected = z
  .array(z.strictObject({ channel: channelName, reason: z.string() }))
  .optional()
  .describe('Requested channels for which the configuration of the organisation lacks something');

const suppressed = z
  .array(z.strictObject({ channel: channelName, reason: z.string() }))
  .optional()
  .describe('Requested channels on which the recipient does not want the category');

const members = z.int().optional().describe('Of the topic at this moment');

const everyone = z
  .strictObject({
    users: z.int().describe('Users of the organisation that this service knows'),
    exact: z.boolean().describe('False: there are more than `users`'),
    message: z.string().describe('The same as a sentence, for the person who sends'),
  })
  .optional()
  .describe('Of an `in_app` target without `user_id`, which goes to every user of the organisation');

export const notifyAccepted = z
  .strictObject({
    notification_id: z.string(),
    accepted_channels: z.array(channelName),
    rejected,
    suppressed,
    digest,
    members,
  })
  .meta({ id: 'NotifyAccepted', description: 'What was accepted.' });

/** Sends of one `bulk` (docs/notifications.md#many-sends-in-one-call). */
export const BULK_SENDS_MAX = 1_000;

export const bulkRequest = z
  .strictObject({
    sends: z
      .array(z.unknown().describe('As `POST /v1/notify` takes it, without `dry_run`'))
      .min(1)
      .max(BULK_SENDS_MAX),
  })
  .meta({ id: 'NotifyBulk', description: 'Sends that are each accepted or refused for itself.' });

export const bulkAnswer = z
  .strictObject({
    accepted: z.int(),
    refused: z.int(),
    items: z
      .array(z.union([notifyAccepted, z.strictObject({ error: z.string() })]))
      .describe('In the order of the sends'),
  })
  .meta({ id: 'NotifyBulkAnswer', description: 'What became of each send.' });

export const notifyPreview = z
  .strictObject({
    dry_run: z.literal(true),
    accepted_channels: z.array(channelName),
    rejected,
    suppressed,
    members,
    everyone,
    preview: z
      .record(channelName, z.looseObject({}))
      .describe('By channel: the bodies, formats, budgets, devices and secret references that would be used'),
  })
  .meta({ id: 'NotifyPreview', description: 'What would be sent.' });

export const DELIVERY_STATUSES = [
  'queued',
  'sending',
  'sent',
  'delivered',
  'partial',
  'bounced',
  'failed',
  'no_devices',
  'unknown',
  'expired',
  'canceled',
  'quarantined',
  'suppressed',
] as const;

const counts = z.strictObject({
  targeted: z.int(),
  sent: z.int(),
  gone: z.int(),
  failed: z.int(),
});

export const notificationStatus = z
  .strictObject({
    notification_id: z.string(),
    created_at: timeSchema,
    send_at: timeSchema.optional(),
    expires_at: timeSchema.optional(),
    canceled_at: timeSchema.optional(),
    category: z.string().optional(),
    channels: z.array(
      z.strictObject({
        channel: channelName,
        status: z.enum(DELIVERY_STATUSES),
        attempts: z.int().describe('Attempts begun'),
        last_error_class: z.string().nullable(),
        sent_at: timeSchema.nullable(),
        next_attempt_at: timeSchema.optional(),
        counts: counts.optional().describe('Of a fan-out over devices'),
        ...engagementMembers,
      }),
    ),
    rejected,
    topic: topicStatus
      .optional()
      .describe('Of a send to a topic; `channels` are those of its members’ notifications'),
  })
  .meta({ id: 'NotificationStatus', description: 'How far each channel of a notification got.' });

export const notificationListQuery = z.strictObject({
  ...pageQuery(),
  status: z.enum(DELIVERY_STATUSES).optional().describe('Of one of its channels'),
  channel: z.string().max(32).optional().describe('Together with `status`: that channel has that status'),
  user_id: storedId.optional().describe('Only sends to this user, parts of a send to a topic among them'),
  parent_id: z.string().max(64).optional().describe('Only the parts of this send to a topic'),
  engaged: z
    .enum(ENGAGEMENT_EVENTS)
    .optional()
    .describe('Only sends with which a reader did this; together with `channel`: on that channel'),
  since: timeQuery.optional().describe('Epoch seconds; accepted then or later'),
  q: z.string().min(1).max(SUBJECT_CHARS_MAX).optional().describe('Part of the id, subject or message'),
});

export const notificationPage = z.strictObject({
  items: z.array(
    z
      .strictObject({
        notification_id: z.string(),
        subject: z.string(),
        source: z.string().describe('`api`, or the service that asked for it'),
        created_at: timeSchema,
        send_at: timeSchema.optional(),
        canceled_at: timeSchema.optional(),
        channels: z.array(z.strictObject({ channel: channelName, status: z.enum(DELIVERY_STATUSES) })),
      })
      .meta({ id: 'NotificationHead' }),
  ),
  next_cursor: z.string().nullable(),
});

export const deliveryAttempts = z
  .strictObject({
    items: z.array(
      z.strictObject({
        channel: channelName,
        attempt: z.int(),
        started_at: timeSchema,
        ms: z.int(),
        outcome: z.string(),
        http_status: z.int().nullable(),
        error_class: z.string().nullable(),
        error: z.string().nullable(),
      }),
    ),
    next_cursor: z.null().describe('Always null: attempts of one notification are few'),
  })
  .meta({ id: 'DeliveryAttempts', description: 'The log of attempts, oldest first.' });

export const notifyParams = z.strictObject({ id: z.string().min(1).max(64) });
