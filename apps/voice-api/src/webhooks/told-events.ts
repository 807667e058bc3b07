// What webhooks are told, by the type of event (docs/voice-api.md#delivery-body); the feed and the delivery log show the same.
import { z } from 'zod';
import { voiceApiDialect } from '@parley/envelopes';
import type { DescribedWebhook } from '@parley/http';
import { CHANNELS, DIRECTIONS } from '../conversations/event-schemas.ts';
import { transcriptTurn } from '../conversations/schemas.ts';
import { END_REASONS } from '../conversations/states.rules.ts';
import { EVENT_TYPES, type EventType } from './event-types.ts';

const text = z.string().nullable();
const milliseconds = z.number().nullable();

const about = {
  conversation_id: z.string(),
  bot_id: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  sequence: z.int().describe('Grows by one with each event of the conversation'),
};
const spoken = { turn_index: z.int(), text: z.string() };
const heard = { ...spoken, confidence: z.number().nullable(), start_ms: milliseconds, end_ms: milliseconds };

/** Without what only the transcript itself has. */
const shortTurn = transcriptTurn.pick({
  index: true,
  role: true,
  text: true,
  start_ms: true,
  end_ms: true,
  interrupted: true,
});

/** Beside what all have. */
const more = {
  'conversation.started': {
    channel: z.enum(CHANNELS).nullable(),
    direction: z.enum(DIRECTIONS).nullable(),
    from: text,
    to: text,
    language: text,
  },
  'conversation.ended': {
    duration_seconds: z.number().nullable(),
    end_reason: z.enum(END_REASONS).nullable(),
    transcript: z.array(shortTurn).describe('At most 200 turns and 256 KiB'),
    truncated: z.literal(true).optional().describe('There is more of it'),
    transcript_url: z.string().optional().describe('Where all of it is, at the address of the API'),
  },
  'conversation.error': {
    error: z.strictObject({
      code: z.string(),
      message: z.string(),
      fatal: z.boolean().describe('true: it ended so'),
    }),
  },
  'transcript.ready': {
    revision: z.int(),
    sha256: z.string().describe('Of JSON.stringify(turns)'),
    turn_count: z.int(),
  },
  'speech.interim': heard,
  'speech.final': heard,
  'bot.message': spoken,
  'conversation.deleted': {},
} satisfies Record<EventType, z.ZodRawShape>;

const summaries: Readonly<Record<EventType, string>> = {
  'conversation.started': 'A new conversation began',
  'conversation.ended': 'A conversation completed',
  'conversation.error': 'An error occurred',
  'transcript.ready': 'The transcript is available',
  'speech.interim': 'Interim transcription',
  'speech.final': 'Final transcription',
  'bot.message': 'The bot sent a response',
  'conversation.deleted': 'A conversation was erased',
};

/** `ConversationStarted` */
const nameOf = (type: EventType): string =>
  type.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Each once: it has a name in the document. */
const data = new Map(
  EVENT_TYPES.map((type) => [
    type,
    z.strictObject({ ...about, ...more[type] }).meta({ id: `${nameOf(type)}Data` }),
  ]),
);

const membersOf = (type: EventType) => ({
  id: z.string().describe('The same in every attempt, and in the feed'),
  event: z.literal(type),
  timestamp: voiceApiDialect.timeSchema.describe('When it happened'),
  data: data.get(type)!,
});

/** An event of any type, with `more` before what all have. */
export function anyEvent(more: z.ZodRawShape = {}) {
  const [first, ...others] = EVENT_TYPES.map((type) => z.strictObject({ ...more, ...membersOf(type) }));
  return z.discriminatedUnion('event', [first!, ...others]);
}

/** What signs and names an attempt (docs/voice-api.md#signatures). */
const signed = z.object({
  'webhook-id': z.string().describe('The `id` of the body'),
  'webhook-timestamp': z.string().describe('Of the attempt, epoch seconds'),
  'webhook-signature': z
    .string()
    .describe('Standard Webhooks: `v1,…`, and `v1a,…` of a webhook with a key pair'),
  'X-Signature-256': z.string().describe('`sha256=…` over the raw body'),
  'X-Delivery-Attempt': z.string().describe('From 1 on'),
});

export const toldWebhooks: readonly DescribedWebhook[] = EVENT_TYPES.map((type) => ({
  event: type,
  operationId: `told${nameOf(type)}`,
  summary: summaries[type],
  headers: signed,
  body: z.strictObject({
    ...membersOf(type),
    signature: z.string().describe('`sha256=…` over the body without this member, which is the last one'),
  }),
}));
