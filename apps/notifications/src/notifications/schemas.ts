// Wire schemas of the send operation's answers, and of the status, list and attempts of
// notifications.
import { z } from 'zod';
import { notificationsDialect, pageQuery } from '@parley/envelopes';
import { storedId } from '../callers/caller-id.ts';
import { engagementMembers } from '../engagements/schemas.ts';
import { ENGAGEMENT_EVENTS } from '../engagements/record-engagement.ts';
import { recurringStatus } from '../recurring/schemas.ts';
import { topicStatus } from '../topics/schemas.ts';
import { SUBJECT_CHARS_MAX } from '../rendering/text-limits.ts';

const { timeSchema, timeQuery } = notificationsDialect;

/** Not an enum: its description would reveal channels that this deployment does not have. */
const channelName = z.string().describe('Name of a channel');
const digest = z
  .strictObject({ closes_at: timeSchema, count: z.int().describe('Sends so far') })
  .optional()
  .describe('Present when the send joined the digest that `notification_id` names');
const rejected = z
  .array(z.strictObject({ channel: channelName, reason: z.string() }))
  .optional()
  .describe('Requested channels that the organisation has not configured');

const suppressed = z
  .array(z.strictObject({ channel: channelName, reason: z.string() }))
  .optional()
  .describe('Requested channels that a preference or a suppression of the address stops');

const members = z.int().optional().describe('Current number of members of the topic');

const everyone = z
  .strictObject({
    users: z.int().describe('Users of the organisation that this service knows'),
    exact: z.boolean().describe('False: there are more than `users`'),
    message: z.string().describe('The same as a sentence for the person who sends'),
  })
  .optional()
  .describe('For an `in_app` target without `user_id`, which goes to every user of the organisation');

export const notifyAccepted = z
  .strictObject({
    notification_id: z.string(),
    accepted_channels: z.array(channelName),
    rejected,
    suppressed,
    digest,
    members,
    next_at: timeSchema.optional().describe('Of a recurring send: its first occurrence'),
  })
  .meta({ id: 'NotifyAccepted', description: 'The accepted notification.' });

/** Sends of one bulk call (docs/notifications.md#many-sends-in-one-call). */
export const BULK_SENDS_MAX = 1_000;

export const bulkRequest = z
  .strictObject({
    sends: z
      .array(z.unknown().describe('The body of `POST /v1/notify`, without `dry_run`'))
      .min(1)
      .max(BULK_SENDS_MAX),
  })
  .meta({ id: 'NotifyBulk', description: 'Sends that are accepted or refused one by one.' });

export const bulkAnswer = z
  .strictObject({
    accepted: z.int(),
    refused: z.int(),
    items: z
      .array(z.union([notifyAccepted, z.strictObject({ error: z.string() })]))
      .describe('In the order of the sends'),
  })
  .meta({ id: 'NotifyBulkAnswer', description: 'The result of each send.' });

export const notifyPreview = z
  .strictObject({
    dry_run: z.literal(true),
    accepted_channels: z.array(channelName),
    rejected,
    suppressed,
    members,
    next_at: timeSchema.optional().describe('Of a recurring send: its first occurrence'),
    everyone,
    preview: z
      .record(channelName, z.looseObject({}))
      .describe(
        'For each channel: the bodies, formats, budgets, devices and secret references that a send would use',
      ),
  })
  .meta({ id: 'NotifyPreview', description: 'What a send would do.' });

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
    workflow: z
      .strictObject({ id: z.string(), version: z.int() })
      .optional()
      .describe('The version of the workflow that it was sent with'),
    channels: z.array(
      z.strictObject({
        channel: channelName,
        status: z.enum(DELIVERY_STATUSES),
        attempts: z.int().describe('Attempts begun'),
        last_error_class: z.string().nullable(),
        sent_at: timeSchema.nullable(),
        next_attempt_at: timeSchema.optional(),
        counts: counts.optional().describe('Devices of a fan-out'),
        ...engagementMembers,
      }),
    ),
    rejected,
    recurring: recurringStatus
      .optional()
      .describe('State of a recurring send. Its occurrences have the `channels`'),
    topic: topicStatus
      .optional()
      .describe("Progress of a send to a topic. Its members' notifications have the `channels`"),
  })
  .meta({ id: 'NotificationStatus', description: 'The status of each channel of a notification.' });

export const notificationListQuery = z.strictObject({
  ...pageQuery(),
  status: z.enum(DELIVERY_STATUSES).optional().describe('Matches the status of any channel'),
  channel: z.string().max(32).optional().describe('With `status`: this channel has that status'),
  user_id: storedId
    .optional()
    .describe('Only sends to this user, including member notifications of a send to a topic'),
  parent_id: z
    .string()
    .max(64)
    .optional()
    .describe(
      'Only the member notifications of this send to a topic, or the occurrences of this recurring send',
    ),
  engaged: z
    .enum(ENGAGEMENT_EVENTS)
    .optional()
    .describe('Only notifications with this engagement; with `channel`, on that channel'),
  since: timeQuery.optional().describe('Epoch seconds. Only notifications accepted at or after this time'),
  q: z.string().min(1).max(SUBJECT_CHARS_MAX).optional().describe('Part of the id, subject or message'),
});

export const notificationPage = z.strictObject({
  items: z.array(
    z
      .strictObject({
        notification_id: z.string(),
        subject: z.string(),
        source: z.string().describe('`api`, or the service that requested it'),
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
    next_cursor: z.null().describe('Always null: one notification has few attempts'),
  })
  .meta({ id: 'DeliveryAttempts', description: 'Delivery attempts, oldest first.' });

export const notifyParams = z.strictObject({ id: z.string().min(1).max(64) });
