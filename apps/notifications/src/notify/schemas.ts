// The wire shapes of the send operation, made from the channels that this deployment has: a channel that it has not is refused
// exactly as a name that nobody has heard of.
import { z } from 'zod';
import { notificationsDialect, pageQuery } from '@parley/envelopes';
import { callerId } from '../caller-id.ts';
import { category } from '../inbox/item-content.ts';
import { topicStatus } from '../topics/schemas.ts';
import { addTopicProblems } from '../topics/topic-problems.ts';
import { namingRecipient } from './naming-recipient.ts';
import { CHANNEL_NAMES, type ChannelName } from '@parley/queues';
import type { Channel } from '../channels/channel.ts';
import type { Channels } from '../channels/channels.ts';
import type { Deps } from '../deps.ts';
import { locale, templateUse, type TemplateUse } from '../templates/schemas.ts';
import {
  addTimingProblems,
  requestedChannels,
  timingMembers,
  type TimingRequest,
} from '../timing/schemas.ts';
import { MESSAGE_CHARS_MAX, SUBJECT_CHARS_MAX } from './text-limits.ts';

const { timeSchema, timeInput, timeQuery } = notificationsDialect;

export interface NotifyRequest extends TimingRequest {
  readonly channels: readonly ChannelName[];
  /** Absent with a template. */
  readonly message?: string | undefined;
  readonly subject?: string | undefined;
  readonly template?: TemplateUse | undefined;
  readonly locale?: string | undefined;
  readonly target: Readonly<Partial<Record<ChannelName | 'topic_id', unknown>>>;
  readonly dry_run: boolean;
  readonly expires_at?: Date | undefined;
  readonly send_at?: Date | undefined;
  readonly category?: string | undefined;
}

export function notifyRequest({
  channels,
  outbound,
}: Pick<Deps, 'channels' | 'outbound'>): z.ZodType<NotifyRequest> {
  const names = [...channels.keys()];
  const known = z.enum(names, {
    error: () => `is not a channel: must be one of ${names.join(', ')}`,
  });
  const targets = Object.fromEntries(names.map((name) => [name, channels.get(name)!.target.optional()]));
  const request = z
    .strictObject({
      channels: z
        .array(known)
        .min(1)
        .max(CHANNEL_NAMES.length)
        .optional()
        .describe(
          'Where it goes: distinct names, each with its target. Left out with `target.user_id` or `target.topic_id`: wherever people are reached',
        ),
      message: z
        .string()
        .min(1)
        .max(MESSAGE_CHARS_MAX)
        .regex(/\S/, 'must not be blank')
        .optional()
        .describe('Required, unless there is a template'),
      subject: z
        .string()
        .max(SUBJECT_CHARS_MAX)
        .optional()
        .describe('Left out or blank: the first 80 characters of the message'),
      template: templateUse.optional().describe('Says subject and message in place of those'),
      locale: locale.optional().describe('With a template: the language it is taken in'),
      target: z
        .strictObject({
          user_id: callerId
            .optional()
            .describe('To this recipient, on every channel by which people are reached'),
          topic_id: callerId.optional().describe('To the members of this topic, likewise'),
          ...targets,
        })
        .default({})
        .describe('For each channel what it needs to know; a target for a channel not requested is refused'),
      dry_run: z
        .boolean()
        .default(false)
        .describe('Answers 200 with exactly what would be sent, and sends nothing'),
      expires_at: timeInput.optional().describe('Epoch seconds; nothing is sent from then on'),
      category: category
        .optional()
        .describe('One of the categories of the organisation: what recipients can switch off'),
      send_at: timeInput.optional().describe('Epoch seconds, at most 30 days ahead: not sent before'),
      ...timingMembers(channels),
    })
    .superRefine(
      (request, context) => {
        addWordProblems(request, context);
        addTimingProblems(request, context);
        addTargetProblems(request, channels, context);
        addTopicProblems(request, context);
        addAddressProblems(request, channels, outbound, context);
      },
      {
        // Also beside other problems: a caller reads everything that is wrong at once (docs/platform.md#refusals).
        when: ({ value }) => typeof value === 'object' && value !== null,
      },
    );
  // Without `channels` it is refused above.
  return z.preprocess(
    (given) => namingRecipient(given, channels.keys()),
    request,
  ) as unknown as z.ZodType<NotifyRequest>;
}

/** Who says what is said: the request itself, or a template. */
function addWordProblems(
  { message, subject, template, locale: language }: { [name: string]: unknown },
  context: z.RefinementCtx,
): void {
  const problem = (name: string, text: string) =>
    context.addIssue({ code: 'custom', path: [name], message: text });
  if (template === undefined) {
    if (message === undefined) problem('message', 'is required, unless there is a template');
    if (language !== undefined) problem('locale', 'is for a template');
    return;
  }
  for (const [name, given] of Object.entries({ message, subject }))
    if (given !== undefined) problem(name, 'is said by the template');
}

/** Members of a target that must be addresses the policy allows. What is no text is reported by the channel's schema. */
function addAddressProblems(
  request: { channels?: unknown; steps?: unknown; target?: unknown },
  channels: Channels,
  outbound: Pick<Deps['outbound'], 'checkUrl'>,
  context: z.RefinementCtx,
): void {
  const requested = requestedChannels(request).map((one) => one.name);
  for (const { name, addresses = [] } of channels.values()) {
    if (!requested.includes(name)) continue;
    for (const place of addresses) {
      const path = ['target', name, ...place];
      const address = memberAt(request.target, path.slice(1));
      if (typeof address !== 'string' || address === '') continue;
      const checked = outbound.checkUrl(address);
      if (!checked.ok) context.addIssue({ code: 'custom', path, message: checked.problem });
    }
  }
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  let member = value;
  for (const name of path) {
    if (typeof member !== 'object' || member === null || !Object.hasOwn(member, name)) return undefined;
    member = (member as Record<string, unknown>)[name];
  }
  return member;
}

/** What lies between `channels` and `target`. Either may be missing or wrong: that is reported by its own schema. */
function addTargetProblems(
  { channels: first, steps, target }: { channels?: unknown; steps?: unknown; target?: unknown },
  channels: Channels,
  context: z.RefinementCtx,
): void {
  if (first === undefined) {
    const message = 'is required without target.user_id or target.topic_id';
    context.addIssue({ code: 'custom', path: ['channels'], message });
  }
  if (!Array.isArray(first)) return;
  const all = requestedChannels({ channels: first, steps });
  const requested = all.map((one) => one.name);
  const isTargets = typeof target === 'object' && target !== null && !Array.isArray(target);
  if (target !== undefined && !isTargets) return;
  const targets = (target ?? {}) as Record<string, unknown>;
  const problem = (path: (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', path, message });
  for (const [index, { name, path }] of all.entries()) {
    if (requested.indexOf(name) < index) problem(path, 'is requested twice');
    const channel = channels.get(name as ChannelName);
    if (channel && !channel.targetOptional && targets[channel.name] === undefined)
      problem(['target', channel.name], 'is required, since the channel is requested');
  }
  for (const name of Object.keys(targets)) {
    const given = channels.get(name as ChannelName);
    if (given && targets[name] !== undefined && !requested.includes(name))
      problem(['target', name], 'is a target for a channel that is not requested');
  }
}

/** The target as a channel takes it: all members of an optional one may be left out, and so may it. */
export function targetOf(channel: Channel, targets: NotifyRequest['target']): unknown {
  return targets[channel.name] ?? {};
}

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
  user_id: callerId.optional().describe('Only sends to this user, parts of a send to a topic among them'),
  parent_id: z.string().max(64).optional().describe('Only the parts of this send to a topic'),
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
