// The wire shape of a send, made from the channels that this deployment has: a channel that it has not is refused exactly as a name that
// nobody has heard of.
import { z } from 'zod';
import { notificationsDialect } from '@parley/envelopes';
import { CHANNEL_NAMES, webhookDelivery, type ChannelName } from '@parley/queues';
import { callerId } from '../../caller-id.ts';
import type { Channel } from '../../channels/channel.ts';
import type { Deps } from '../../deps.ts';
import { category } from '../../inbox/item-content.ts';
import { track, type Tracking } from '../../engagements/schemas.ts';
import { locale, templateUse, type TemplateUse } from '../../templates/schemas.ts';
import { addTimingProblems, timingMembers, type TimingRequest } from '../../timing/schemas.ts';
import { addTopicProblems } from '../../topics/topic-problems.ts';
import { MESSAGE_CHARS_MAX, SUBJECT_CHARS_MAX } from '../text-limits.ts';
import { namingRecipient } from './naming-recipient.ts';
import { addAddressProblems, addTargetProblems, addWordProblems } from './request-problems.ts';

const { timeInput } = notificationsDialect;

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
  readonly callback_url?: string | undefined;
  readonly track?: Tracking | undefined;
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
      callback_url: webhookDelivery.shape.url // what the message that tells it may carry
        .optional()
        .describe('https, public; told once, signed, when every channel has settled'),
      track: track.optional(),
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

/** The target as a channel takes it: all members of an optional one may be left out, and so may it. */
export function targetOf(channel: Channel, targets: NotifyRequest['target']): unknown {
  return targets[channel.name] ?? {};
}
