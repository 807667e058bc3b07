// Parses conversation events from HTTP and from the queue (docs/voice-api.md#conversation-events).
import { z } from 'zod';
import { freeForm, MEMBERS_MAX, pathId, type FieldProblem } from '@parley/envelopes';
import { BODY_PROBLEMS_MAX, parsePart, findRefusedJson } from '@parley/server/http';
import { conversationEvent } from '@parley/jobs';
import { metadata } from '../bots/schemas.ts';
import { readRecorded } from '../recordings/recorded.ts';
import type { ReportedEvent } from './conversation.ts';
import { cost, recordingUrl } from './events/after-call-schemas.ts';
import { toReportedEvent } from './events/reported-event.ts';
import { ENDERS } from './states.rules.ts';

/** Characters of one utterance: an hour of talk. */
const TEXT_CHARACTERS_MAX = 100_000;
const WORDS_MAX = 10_000;
/** One utterance with its words, as JSON. Queue messages have the same limit. */
const TURN_BYTES_MAX = 1024 * 1024;
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
/** Clocks may be a day ahead. Times further ahead are mistakes that would always sort last. */
const AHEAD_MAX_MS = 86_400_000;
/** Earlier times come from clocks that were never set. Analytics begin here too. */
const OCCURRED_MIN_MS = Date.UTC(2000, 0, 1);

export const CHANNELS = ['phone', 'web', 'sip', 'chat'] as const;
export const DIRECTIONS = ['inbound', 'outbound'] as const;

const milliseconds = z.number().min(0).max(MILLISECONDS_MAX);
const address = z.string().max(ADDRESS_CHARACTERS_MAX);
const language = z.string().max(LANGUAGE_CHARACTERS_MAX);

const flowId = z.string().min(1).max(128);
const flowVersion = z.int().min(1).max(INTEGER_MAX);

/** Members of the end event, and of the transcript event after it. */
const callDetails = {
  metadata: metadata.nullish(),
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
  metadata: metadata.nullish(),
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

const variant = <const Type extends string, Data extends z.ZodObject>(type: Type, data: Data) =>
  queuedShape.extend({ type: z.literal(type), data: data.prefault({} as never) });
const strictVariant = <const Type extends string, Data extends z.ZodObject>(type: Type, data: Data) =>
  reportedShape.extend({ type: z.literal(type), data: data.strict().prefault({} as never) }).strict();

/** From the queue: unknown members are ignored, because a newer producer may send more. */
const lenient = z.discriminatedUnion('type', [
  variant('conversation.started', startedData),
  variant('speech.interim', utteranceData),
  variant('speech.final', utteranceData),
  variant('bot.message', utteranceData),
  variant('tool.called', utteranceData),
  variant('tool.returned', utteranceData),
  variant('system.message', utteranceData),
  variant('conversation.ended', endedData),
  variant('transcript.ready', readyData),
  variant('conversation.error', errorData),
  // A flow turn without an utterance.
  variant('turn.recorded', z.object({})),
]);
const strictUtterance = utteranceData.extend({ metrics: metrics.strict().nullish() }).strict();
/** From HTTP: unknown members are rejected by name, because they would be lost silently. */
export const reportedEvent = z.discriminatedUnion('type', [
  strictVariant('conversation.started', startedData),
  strictVariant('speech.interim', strictUtterance),
  strictVariant('speech.final', strictUtterance),
  strictVariant('bot.message', strictUtterance),
  strictVariant('tool.called', strictUtterance),
  strictVariant('tool.returned', strictUtterance),
  strictVariant('system.message', strictUtterance),
  strictVariant('conversation.ended', endedData),
  strictVariant('transcript.ready', readyData),
  strictVariant('conversation.error', errorData),
]);
export type WireEvent = z.output<typeof lenient>;

export type ParsedEvent =
  | { readonly ok: true; readonly event: ReportedEvent; readonly data: Readonly<Record<string, unknown>> }
  | {
      readonly ok: false;
      readonly code: 'INVALID_REQUEST' | 'PAYLOAD_TOO_LARGE';
      readonly message: string;
    };

/** Reported problems of one event. */
const PROBLEMS_MAX = 5;
/** Of one problem: it may list many members of the event. */
const PROBLEM_CHARACTERS_MAX = 300;

/**
 * Parses one event of a request whose body was not validated as a whole. Never throws, so a wrong
 * event does not affect the others. `lost` are the problems of the event that parsing the body
 * found.
 */
export function parseHttpEvent(
  raw: unknown,
  nowMs: number,
  mayBeRefused: boolean,
  lost: readonly FieldProblem[] = [],
): { readonly parsed: ParsedEvent; readonly wasMended: boolean } {
  if (lost.length > 0) return { parsed: toRejection(lost), wasMended: false };
  return mayBeRefused
    ? parseMended(reportedEvent, raw, nowMs)
    : { parsed: parse(reportedEvent, raw, nowMs), wasMended: false };
}

/** Parses one event of the queue, which no HTTP check has seen. */
export function parseQueuedEvent(raw: object, nowMs: number): ParsedEvent {
  const { parsed } = parseMended(lenient, raw, nowMs);
  const recorded = parsed.ok && 'turn' in raw ? readRecorded(raw.turn) : undefined;
  return parsed.ok && recorded ? { ...parsed, event: { ...parsed.event, recorded } } : parsed;
}

/** Recognisers may cut text between the halves of a character. U+FFFD replaces a lone half. */
function parseMended(schema: typeof lenient | typeof reportedEvent, raw: unknown, nowMs: number) {
  const problems = findRefusedJson(raw);
  // The list is full, so there may be other problems.
  if (problems.length >= BODY_PROBLEMS_MAX || problems.some(({ code }) => code !== 'half_surrogate'))
    return { parsed: toRejection(problems), wasMended: false };
  const wasMended = problems.length > 0;
  return { parsed: parse(schema, wasMended ? wellFormed(raw) : raw, nowMs), wasMended };
}

/** Replaces each half of a surrogate pair by U+FFFD. */
export function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return Buffer.from(value).toString();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, wellFormed(member)]));
}

/** Paths are JSON pointers into the event (docs/voice-api.md#envelope). */
function toRejection(problems: readonly FieldProblem[]): ParsedEvent {
  return rejectEvent(problems.map(({ path, message }) => `${path || 'event'} ${message}`));
}

function parse(schema: typeof lenient | typeof reportedEvent, raw: unknown, nowMs: number): ParsedEvent {
  if ([raw, (raw as { data?: unknown } | null)?.data].some(hasTooManyMembers))
    return rejectEvent([`must not have an object of more than ${MEMBERS_MAX} members`]);
  const problems: FieldProblem[] = [];
  const given = parsePart(schema, raw, 'body', problems) as WireEvent | undefined;
  if (!given) return toRejection(problems);
  const at = Date.parse(given.occurred_at);
  if (at < OCCURRED_MIN_MS) return rejectEvent(['/occurred_at must not be before the year 2000']);
  if (at > nowMs + AHEAD_MAX_MS) return rejectEvent(['/occurred_at must be at most a day ahead']);
  const event = toReportedEvent(given, at);
  if ('utterance' in event && event.utterance.bytes > TURN_BYTES_MAX) {
    return {
      ok: false,
      code: 'PAYLOAD_TOO_LARGE',
      message: `/data must have at most ${TURN_BYTES_MAX} bytes`,
    };
  }
  return { ok: true, event, data: given.data };
}

/** Each member would be validated and reported. */
function hasTooManyMembers(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > MEMBERS_MAX;
}

function rejectEvent(problems: readonly string[]): ParsedEvent {
  const listed = problems.slice(0, PROBLEMS_MAX).map((problem) => problem.slice(0, PROBLEM_CHARACTERS_MAX));
  return { ok: false, code: 'INVALID_REQUEST', message: listed.join('; ') };
}
