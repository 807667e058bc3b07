// The payloads of messages between services, as zod schemas in wire spelling. contracts.ts names
// them; the services use their types.
//
// Every schema ignores unknown members, because a newer producer may send more. The consumer's
// rules judge what a payload means; the schemas hold only what every version of both sides relies
// on.
import { z } from 'zod';
import { anyObject } from '@parley/envelopes';

/**
 * An id chosen by a caller: printable (Postgres stores no NUL), and short enough for an index
 * entry.
 */
const callerId = z
  .string()
  .regex(/^\P{Cc}{1,255}$/u, 'must be 1 to 255 characters without control characters');

const anyJson = z.union([anyObject, z.array(z.unknown()), z.string(), z.number(), z.boolean(), z.null()]);

/** The event types of the voice API (docs/voice-api.md#conversation-events). */
export const CONVERSATION_EVENT_TYPES = [
  'conversation.started',
  'conversation.ended',
  'conversation.error',
  'transcript.ready',
  'speech.interim',
  'speech.final',
  'bot.message',
] as const;

/**
 * Further types: tool calls, tool results and system messages. They are turns of the transcript;
 * webhooks do not receive them.
 */
export const TOOL_EVENT_TYPES = ['tool.called', 'tool.returned', 'system.message'] as const;
/** Only inside the cluster: a turn of a flow without an utterance. */
const SILENT_TURN = 'turn.recorded';

/** docs/voice-api.md#conversation-events. The rules of the voice API check `data` for each type. */
export const conversationEvent = z.object({
  id: callerId,
  type: z.enum([...CONVERSATION_EVENT_TYPES, ...TOOL_EVENT_TYPES, SILENT_TURN]),
  conversation_id: callerId,
  bot_id: callerId.optional(),
  /** ISO 8601 with a zone. */
  occurred_at: z.iso.datetime({ offset: true }),
  data: anyObject.default({}),
  /** docs/voice-api.md#recorded-turns. Only one of several events of a turn has it. */
  turn: anyObject.optional(),
});

/** Ids of one message: 256 KiB at most. */
export const ERASED_IDS_MAX = 1_000;
export const conversationErased = z.object({
  conversation_ids: z.array(callerId).min(1).max(ERASED_IDS_MAX),
});

/** A person: possible ids of the customer's user, and e-mail addresses. */
export const personErased = z.object({
  user_ids: z.array(callerId).min(1).max(10),
  emails: z.array(z.string().min(3).max(320)).max(10).default([]),
});

/** Half of what common servers accept by default (Apache: 100 fields of 8,190 bytes each). */
const HEADERS_MAX = 50;
const HEADER_CHARS_MAX = 8_000;
const headers = z
  .record(
    z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, 'is not a header name (RFC 9110 §5.1)'),
    z
      .string()
      .max(HEADER_CHARS_MAX)
      .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'is not a header value'),
  )
  .refine((all) => Object.keys(all).length <= HEADERS_MAX, `at most ${HEADERS_MAX} headers`);

const oneOffEventType = z.enum([
  'flow.completed',
  'flow.handed_off',
  'notification.settled',
  'notification.engaged',
]);

/** `whsec_` and base64; several during a rotation. */
export const signingSecrets = z.array(z.string().min(1).max(1_024)).min(1).max(5);

/**
 * A one-off delivery: of a webhook node (docs/flow-language.md#what-a-turn-tells-others), or the
 * callback of a notification (docs/notifications.md#callbacks). Sealed: url and headers often hold
 * credentials.
 */
export const webhookDelivery = z
  .object({
    url: z.url({ protocol: /^https?$/ }).max(2_048),
    event: oneOffEventType,
    headers: headers.optional(),
    /** Each attempt is signed with them. Absent: attempts are not signed. */
    signing_secrets: signingSecrets.optional(),
    body: z.object({
      id: callerId,
      event: oneOffEventType,
      timestamp: z.iso.datetime({ offset: true }),
      data: anyJson,
    }),
  })
  .refine((request) => request.body.event === request.event, {
    path: ['body', 'event'],
    message: 'must be equal to event',
  });

/**
 * A secret by value never travels between services; the consumer resolves its own references
 * (docs/platform.md#messages-between-services).
 */
const secretByValue = z.never('is a secret by value, which no message may carry').optional();

const EMAIL_CHARS_MAX = 320; // RFC 5321 §4.5.3.1: 64 + @ + 255

/** THE table of notification channels: their names, and what a message may say about the target. */
const channelTargets = {
  chat: z.object({
    format: z.string().max(32).optional(),
    webhook_url: secretByValue,
    /** The organisation's chat for alerts. If none is set, nothing is sent to chat. */
    audience: z.literal('operators').optional(),
  }),
  email: z.union([
    z.string().min(3).max(EMAIL_CHARS_MAX),
    z.object({ email: z.string().min(3).max(EMAIL_CHARS_MAX) }),
  ]),
  webhook: z.object({ url: z.string().max(2_048), payload: anyJson.optional() }),
  in_app: z.object({ user_id: callerId.optional() }),
  web_push: z.object({
    user_id: callerId.optional(),
    broadcast: z.literal(true).optional(),
    subscription: secretByValue,
    site_id: callerId.optional(),
    site_only: z.boolean().optional(),
    url: z.string().max(2_048).optional(),
    data: anyJson.optional(),
    ttl: z.int().min(0).optional(),
    urgency: z.enum(['very-low', 'low', 'normal', 'high']).optional(),
    topic: z.string().max(32).optional(),
  }),
} as const;

export type ChannelName = keyof typeof channelTargets;
export const CHANNEL_NAMES = Object.keys(channelTargets) as [ChannelName, ...ChannelName[]];

/**
 * A send, with `send_at` (docs/notifications.md#accepting-a-send). Timestamps are epoch seconds.
 */
export const notifyRequest = z.object({
  organization_id: callerId,
  channels: z
    .array(z.enum(CHANNEL_NAMES))
    .min(1)
    .max(CHANNEL_NAMES.length)
    .refine((names) => new Set(names).size === names.length, 'must be distinct'),
  message: z.string().min(1).max(10_000),
  subject: z.string().max(255).optional(),
  target: z.object(channelTargets).partial().default({}),
  send_at: z.number().positive().optional(),
});

/**
 * Whether a target is every user or every device of an organisation. Only a customer may address
 * them; the consumer refuses it from a service (docs/platform.md#alerts).
 */
export function isForEverybody(channel: ChannelName, target: NotifyRequest['target']): boolean {
  if (channel === 'in_app') return target.in_app?.user_id === undefined;
  return channel === 'web_push' && target.web_push?.user_id === undefined;
}

/** What a service may send. The consumer parses `notifyRequest`, to record what it refuses. */
export const serviceNotifyRequest = notifyRequest.superRefine(({ channels, target }, context) => {
  for (const channel of channels)
    if (isForEverybody(channel, target))
      context.addIssue({
        code: 'custom',
        path: ['target', channel],
        message: 'must name a user_id: a service addresses nobody else',
      });
});

export type ConversationEvent = z.output<typeof conversationEvent>;
export type WebhookDelivery = z.output<typeof webhookDelivery>;
export type NotifyRequest = z.output<typeof notifyRequest>;
