// The payloads that cross a service border, as zod schemas in wire spelling. Named by contracts.ts; the services take their
// types, and the HTTP intake of the voice API the schema of an event.
//
// Every schema ignores members it does not know: a newer producer may send more (additive changes only). What a payload
// *means* is judged by the consumer's own rules; here stands only what every version of both sides relies on.
import { z } from 'zod';
import { anyObject } from '@parley/envelopes';

/** An id that a caller chose: printable (Postgres stores no NUL), at most as long as an index entry bears. */
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

/** Beside them: what a tool was asked and what came of it, and what the system has to say. They are turns of the transcript, and no webhook is told. */
export const TOOL_EVENT_TYPES = ['tool.called', 'tool.returned', 'system.message'] as const;
/** Beside them, inside the cluster only: a turn of a flow in which nothing was said. */
const SILENT_TURN = 'turn.recorded';

/** docs/voice-api.md#conversation-events. What `data` must hold for each type is a rule of the voice API, which refuses event by event. */
export const conversationEvent = z.object({
  id: callerId,
  type: z.enum([...CONVERSATION_EVENT_TYPES, ...TOOL_EVENT_TYPES, SILENT_TURN]),
  conversation_id: callerId,
  bot_id: callerId.optional(),
  /** ISO 8601 with a zone. */
  occurred_at: z.iso.datetime({ offset: true }),
  data: anyObject.default({}),
  /** docs/voice-api.md#recorded-turns. Of several events of one turn, one has it. */
  turn: anyObject.optional(),
});

/** As many headers, as long, as common servers take by default (Apache: 100 fields, 8,190 bytes each; half the fields). */
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

/** `whsec_` and base64; several while one takes the place of another. */
export const signingSecrets = z.array(z.string().min(1).max(1_024)).min(1).max(5);

/**
 * A one-off delivery: what a webhook node asks for (docs/flow-language.md#what-a-turn-tells-others), and the callback of a notification
 * (docs/notifications.md#callbacks). Sealed: url and headers often hold credentials.
 */
export const webhookDelivery = z
  .object({
    url: z.url({ protocol: /^https?$/ }).max(2_048),
    event: oneOffEventType,
    headers: headers.optional(),
    /** Each attempt is signed with them; without, none is. */
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

/** docs/platform.md#messages-between-services: a secret by value never travels between services. The consumer has its own, by reference. */
const secretByValue = z.never('is a secret by value, which no message may carry').optional();

const EMAIL_CHARS_MAX = 320; // RFC 5321 §4.5.3.1: 64 + @ + 255

/** THE table of notification channels: the name of each, and what a message may say of its target. */
const channelTargets = {
  chat: z.object({
    format: z.string().max(32).optional(),
    webhook_url: secretByValue,
    /** The chat that the organisation has for alerts; without one, nothing is sent to chat. */
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

/** A send, with `send_at` (docs/notifications.md#accepting-a-send). Time stamps are epoch seconds. */
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
 * Whether a target is every user, or every device, of an organisation. Only a customer may address them: the consumer does not
 * deliver it for a service (docs/platform.md#alerts).
 */
export function isForEverybody(channel: ChannelName, target: NotifyRequest['target']): boolean {
  if (channel === 'in_app') return target.in_app?.user_id === undefined;
  return channel === 'web_push' && target.web_push?.user_id === undefined;
}

/** What a service may send today. Releases before sent more, so the consumer parses `notifyRequest`. */
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
