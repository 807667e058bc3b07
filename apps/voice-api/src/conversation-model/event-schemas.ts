// Shapes of conversation events from HTTP and from the queue
// (docs/voice-api.md#conversation-events).
import { z } from 'zod';
import { freeForm, pathId } from '@parley/envelopes';
import { conversationEvent } from '@parley/jobs';
import { anyMetadata, cost, recordingUrl } from './after-call-schemas.ts';
import { ENDERS } from './states.rules.ts';

/** Characters of one utterance: an hour of talk. */
const TEXT_CHARACTERS_MAX = 100_000;
const WORDS_MAX = 10_000;
const ADDRESS_CHARACTERS_MAX = 255;
const LANGUAGE_CHARACTERS_MAX = 64;
const ERROR_CODE_CHARACTERS_MAX = 128;
const MESSAGE_CHARACTERS_MAX = 2_000;
/** The longest known spelling of a media runtime has 61. */
const END_REASON_CHARACTERS_MAX = 128;
/** Postgres integer. */
const INTEGER_MAX = 2_147_483_647;
/** A week, longer than any conversation. */
const SECONDS_MAX = 604_800;
const MILLISECONDS_MAX = SECONDS_MAX * 1000;
export const CHANNELS = ['phone', 'web', 'sip', 'chat'] as const;
export const DIRECTIONS = ['inbound', 'outbound'] as const;

const milliseconds = z.number().min(0).max(MILLISECONDS_MAX);
const address = z.string().max(ADDRESS_CHARACTERS_MAX);
const language = z.string().max(LANGUAGE_CHARACTERS_MAX);

const flowId = z.string().min(1).max(128);
const flowVersion = z.int().min(1).max(INTEGER_MAX);

/** Members of the end event, and of the transcript event after it. */
const callDetails = {
  metadata: anyMetadata.nullish(),
  cost: cost.nullish(),
  recording_url: recordingUrl.nullish(),
};

const startedData = z.object({
  channel: z.enum(CHANNELS).nullish(),
  direction: z.enum(DIRECTIONS).nullish(),
  from: address.nullish(),
  to: address.nullish(),
  language: language.nullish(),
  flow_id: flowId.nullish(),
  flow_version: flowVersion.nullish(),
  metadata: anyMetadata.nullish(),
});

const metrics = z.object({
  e2e_ms: milliseconds.nullish(),
  asr_ms: milliseconds.nullish(),
  llm_ms: milliseconds.nullish(),
  tts_ms: milliseconds.nullish(),
});

const utteranceData = z.object({
  turn_index: z.int().min(0).max(INTEGER_MAX),
  text: z.string().max(TEXT_CHARACTERS_MAX),
  confidence: z.number().min(0).max(1).nullish(),
  start_ms: milliseconds.nullish(),
  end_ms: milliseconds.nullish(),
  interrupted: z.boolean().nullish(),
  language: language.nullish(),
  words: z.array(freeForm()).max(WORDS_MAX).nullish(),
  metrics: metrics.nullish(),
  flow_id: flowId.nullish(),
  flow_version: flowVersion.nullish(),
  turn: z.int().min(0).max(INTEGER_MAX).nullish(),
  node_id: flowId.nullish(),
});

const endedData = z.object({
  duration_seconds: z.number().min(0).max(SECONDS_MAX).nullish(),
  end_reason: z.string().min(1).max(END_REASON_CHARACTERS_MAX).nullish(),
  end_detail: z.string().max(MESSAGE_CHARACTERS_MAX).nullish(),
  ended_by: z.enum(ENDERS).nullish(),
  ...callDetails,
});

const readyData = z.object(callDetails);

const errorData = z.object({
  code: z.string().min(1).max(ERROR_CODE_CHARACTERS_MAX),
  message: z.string().max(MESSAGE_CHARACTERS_MAX),
  fatal: z.boolean().nullish(),
});

const isNoDots = (id: string) => id !== '.' && id !== '..';
const { id, conversation_id, bot_id } = conversationEvent.shape;
const noDots = 'must not be "." or ".."';

/** Members of all types, as in the queue, whose messages may be older than `pathId`. */
const queuedShape = conversationEvent.omit({ type: true, data: true, turn: true }).extend({
  id: id.refine(isNoDots, noDots),
  conversation_id: conversation_id.refine(isNoDots, noDots),
  bot_id: bot_id.nullable().refine((given) => given == null || isNoDots(given), noDots),
});
const reportedShape = queuedShape.extend({ conversation_id: pathId(), bot_id: pathId().nullish() });

const variant = <const Type extends string, Data extends z.ZodType>(type: Type, data: Data) =>
  queuedShape.extend({ type: z.literal(type), data });
const strictVariant = <const Type extends string, Data extends z.ZodType>(type: Type, data: Data) =>
  reportedShape.extend({ type: z.literal(type), data }).strict();
/** For data without required members. */
const orEmpty = <Data extends z.ZodObject>(data: Data) => data.prefault({} as never);

/** From the queue: unknown members are ignored, because a newer producer may send more. */
export const queuedEvent = z.discriminatedUnion('type', [
  variant('conversation.started', orEmpty(startedData)),
  variant('speech.interim', utteranceData),
  variant('speech.final', utteranceData),
  variant('bot.message', utteranceData),
  variant('tool.called', utteranceData),
  variant('tool.returned', utteranceData),
  variant('system.message', utteranceData),
  variant('conversation.ended', orEmpty(endedData)),
  variant('transcript.ready', orEmpty(readyData)),
  variant('conversation.error', errorData),
  // A flow turn without an utterance.
  variant('turn.recorded', orEmpty(z.object({}))),
]);
const strictUtterance = utteranceData.extend({ metrics: metrics.strict().nullish() }).strict();
/** From HTTP: unknown members are rejected by name, because they would be lost silently. */
export const reportedEvent = z.discriminatedUnion('type', [
  strictVariant('conversation.started', orEmpty(startedData.strict())),
  strictVariant('speech.interim', strictUtterance),
  strictVariant('speech.final', strictUtterance),
  strictVariant('bot.message', strictUtterance),
  strictVariant('tool.called', strictUtterance),
  strictVariant('tool.returned', strictUtterance),
  strictVariant('system.message', strictUtterance),
  strictVariant('conversation.ended', orEmpty(endedData.strict())),
  strictVariant('transcript.ready', orEmpty(readyData.strict())),
  strictVariant('conversation.error', errorData.strict()),
]);
export type WireEvent = z.output<typeof queuedEvent>;
