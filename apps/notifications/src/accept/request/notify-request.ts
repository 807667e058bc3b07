// The wire schema of a send, built from the channels of this deployment. A channel that is off is
// refused like an unknown name.
import { z } from 'zod';
import { notificationsDialect } from '@parley/envelopes';
import { CHANNEL_NAMES, webhookDelivery, type ChannelName } from '@parley/jobs';
import { callerId } from '../../callers/caller-id.ts';
import type { Channel } from '../../channels/channel.ts';
import type { Deps } from '../../deps.ts';
import { categoryId } from '../../callers/caller-id.ts';
import { track, type Tracking } from '../../engagements/schemas.ts';
import { templateUse, type TemplateUse } from '../../templates/schemas.ts';
import { schedule, timingMembers, type Schedule, type TimingRequest } from '../../timing/schemas.ts';
import { MESSAGE_CHARS_MAX, SUBJECT_CHARS_MAX } from '../../rendering/text-limits.ts';
import { workflowUse, type WorkflowUse } from '../../workflows/schemas.ts';
import { addScheduleProblems, addSendProblems, addWorkflowProblems, expandTarget } from './request-rules.ts';
import { locale } from '../../rendering/template-content.ts';

const { timeInput } = notificationsDialect;

/** As the caller sends it. A workflow provides what it lacks. */
export interface GivenRequest extends Omit<NotifyRequest, 'channels' | 'workflow'> {
  /** Absent only with a workflow. */
  readonly channels?: readonly ChannelName[] | undefined;
  readonly workflow?: WorkflowUse | undefined;
  readonly schedule?: Schedule | undefined;
}

export interface NotifyRequest extends TimingRequest {
  readonly channels: readonly ChannelName[];
  /** The version of the workflow that the request comes from. */
  readonly workflow?: UsedWorkflow | undefined;
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
}: Pick<Deps, 'channels' | 'outbound'>): z.ZodType<GivenRequest> {
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
          'Channels to send over, each once and with its target. Default with `target.user_id` or `target.topic_id`: every channel that reaches people',
        ),
      workflow: workflowUse
        .optional()
        .describe('Provides channels, template, category and timing, which the send must not have then'),
      message: z
        .string()
        .min(1)
        .max(MESSAGE_CHARS_MAX)
        .regex(/\S/, 'must not be blank')
        .optional()
        .describe('Required without a template or workflow'),
      subject: z
        .string()
        .max(SUBJECT_CHARS_MAX)
        .optional()
        .describe('Default: the first 80 characters of the message'),
      template: templateUse.optional().describe('Provides subject and message'),
      locale: locale.optional().describe('Language of the template. Needs `template` or `workflow`'),
      target: z
        .strictObject({
          user_id: callerId
            .optional()
            .describe('Sends to this recipient on every channel that reaches people'),
          topic_id: callerId
            .optional()
            .describe('Sends to the members of this topic on every channel that reaches people'),
          ...targets,
        })
        .default({})
        .describe('The target of each requested channel. A target for another channel is refused'),
      dry_run: z
        .boolean()
        .default(false)
        .describe('Answers 200 with exactly what would be sent, and sends nothing'),
      expires_at: timeInput
        .optional()
        .describe('Epoch seconds. Undelivered messages are dropped after this time'),
      category: categoryId
        .optional()
        .describe('A category of the organisation. Recipients can switch categories off'),
      send_at: timeInput
        .optional()
        .describe('Epoch seconds, at most 30 days ahead. Nothing is sent before this time'),
      callback_url: webhookDelivery.shape.url // same limits as the message that carries it
        .optional()
        .describe('Public https address. Receives one signed request when every channel has settled'),
      track: track.optional(),
      schedule: schedule
        .optional()
        .describe('Sends again and again. The answer names the recurring send, not an occurrence'),
      ...timingMembers(channels),
    })
    .superRefine(
      (request, context) => {
        if (request.workflow === undefined) addSendProblems(request, { channels, outbound }, context);
        else addWorkflowProblems(request, context);
        addScheduleProblems(request, context);
      },
      {
        // Even after other problems: a caller reads all at once (docs/platform.md#refusals).
        when: ({ value }) => typeof value === 'object' && value !== null,
      },
    )
    .meta({ id: 'NotifyRequest' });
  // A request without `channels` and `workflow` is refused above.
  return z.preprocess((given) => expandTarget(given, channels.keys()), request);
}

/** Recorded with the notification. */
export interface UsedWorkflow {
  readonly id: string;
  readonly version: number;
}

/** The target as the channel's schema parsed it. An optional target may be absent. */
export function getTarget(channel: Channel, targets: NotifyRequest['target']): unknown {
  return targets[channel.name] ?? {};
}
