// Shapes of webhook events by type (docs/voice-api.md#delivery-body). The feed and the delivery log
// use them too.
import { z } from 'zod';
import { voiceApiDialect } from '@parley/envelopes';
import type { WebhookDescription } from '@parley/server/http';
import { CHANNELS, DIRECTIONS } from '../conversation-model/event-schemas.ts';
import { transcriptTurn } from '../conversation-model/transcript-turn.ts';
import { END_REASONS } from '../conversation-model/states.rules.ts';
import { EVENT_TYPES, type EventType } from '../conversation-model/event-types.ts';

const text = z.string().nullable();
const milliseconds = z.number().nullable();

const commonData = {
  conversation_id: z.string(),
  bot_id: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  sequence: z.int().describe('Grows by one with each event of the conversation'),
};
const spoken = { turn_index: z.int(), text: z.string() };
const recognized = {
  ...spoken,
  confidence: z.number().nullable(),
  start_ms: milliseconds,
  end_ms: milliseconds,
};

/** Without members that only the transcript has. */
const shortTurn = transcriptTurn.pick({
  index: true,
  role: true,
  text: true,
  start_ms: true,
  end_ms: true,
  interrupted: true,
});

/** Members besides the common ones. */
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
    transcript: z.array(shortTurn).describe('The first turns: at most 200, and 256 KiB'),
    truncated: z.literal(true).optional().describe('Set if the transcript has more turns'),
    transcript_url: z.string().optional().describe('Path of the complete transcript in the API'),
  },
  'conversation.error': {
    error: z.strictObject({
      code: z.string(),
      message: z.string(),
      fatal: z.boolean().describe('Whether the error ended the conversation'),
    }),
  },
  'transcript.ready': {
    revision: z.int(),
    sha256: z.string().describe('SHA-256 of JSON.stringify(turns); empty for readers of scrubbed texts'),
    turn_count: z.int(),
  },
  'speech.interim': recognized,
  'speech.final': recognized,
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

/** As an attempt sends it, without `signature`. */
const buildExample = (type: EventType) => ({
  id: 'evt_01kb3r2sbm7v1yj0c2h8p5q4xe',
  event: type,
  timestamp: '2026-01-15T12:00:00.000Z',
  data: sampleData(type),
});

/** All types with an example each. */
export function listEventTypes() {
  return {
    items: EVENT_TYPES.map((type) => ({ type, summary: summaries[type], example: buildExample(type) })),
  };
}

/** For example `ConversationStarted`. */
const toSchemaName = (type: EventType): string =>
  type.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Each schema once, because it has a name in the document. */
const data = new Map(
  EVENT_TYPES.map((type) => [
    type,
    z.strictObject({ ...commonData, ...more[type] }).meta({ id: `${toSchemaName(type)}Data` }),
  ]),
);

const buildMembers = (type: EventType) => ({
  id: z.string().describe('The same in all attempts and in the feed'),
  event: z.literal(type),
  timestamp: voiceApiDialect.timeSchema.describe('When it happened'),
  data: data.get(type)!,
});

/** An event of any type, with `more` before the common members. */
export function anyEvent(more: z.ZodRawShape = {}) {
  const [first, ...others] = EVENT_TYPES.map((type) => z.strictObject({ ...more, ...buildMembers(type) }));
  return z.discriminatedUnion('event', [first!, ...others]);
}

/** As the delivery log shows it. */
export const webhookEvent = anyEvent().meta({ id: 'WebhookEvent' });

export const eventTypeList = z.strictObject({
  items: z.array(
    z
      .strictObject({
        type: z.enum(EVENT_TYPES),
        summary: z.string(),
        example: webhookEvent,
      })
      .meta({ id: 'EventType' }),
  ),
});

/** Headers that sign and identify an attempt (docs/voice-api.md#signatures). */
const signatureHeaders = z.object({
  'webhook-id': z.string().describe('`id` of the event'),
  'webhook-timestamp': z.string().describe('Time of the attempt in epoch seconds'),
  'webhook-signature': z
    .string()
    .describe('Standard Webhooks: `v1,…`, and `v1a,…` for webhooks with a key pair'),
  'X-Signature-256': z.string().describe('`sha256=…` of the raw body'),
  'X-Delivery-Attempt': z.string().describe('Number of the attempt, from 1'),
});

export const webhookEventDocs: readonly WebhookDescription[] = EVENT_TYPES.map((type) => ({
  event: type,
  operationId: `told${toSchemaName(type)}`,
  summary: summaries[type],
  headers: signatureHeaders,
  body: z.strictObject({
    ...buildMembers(type),
    signature: z.string().describe('`sha256=…` of the body without this member, which is the last one'),
  }),
  example: { ...buildExample(type), signature: `sha256=${'0'.repeat(64)}` },
}));

/** Sample `data` of a type, for tests and GET /event-types. */
export function sampleData(event: EventType): Record<string, unknown> {
  const base = { conversation_id: 'conv_test', bot_id: 'bot_test', metadata: { test: 'true' }, sequence: 1 };
  const spoken = { turn_index: 0, text: 'This is a test.' };
  const recognized = { ...spoken, confidence: 1, start_ms: 0, end_ms: 1_000 };
  switch (event) {
    case 'conversation.started':
      return { ...base, channel: 'web', direction: 'inbound', from: null, to: null, language: 'en' };
    case 'conversation.ended':
      return {
        ...base,
        duration_seconds: 1,
        transcript: [
          { index: 0, role: 'user', text: spoken.text, start_ms: 0, end_ms: 1_000, interrupted: false },
        ],
        end_reason: 'user_hangup',
      };
    case 'conversation.error':
      return { ...base, error: { code: 'test', message: spoken.text, fatal: true } };
    case 'transcript.ready':
      return { ...base, revision: 1, sha256: '0'.repeat(64), turn_count: 1 };
    case 'speech.interim':
    case 'speech.final':
      return { ...base, ...recognized };
    case 'bot.message':
      return { ...base, ...spoken };
    case 'conversation.deleted':
      return { ...base, metadata: {} };
  }
}
