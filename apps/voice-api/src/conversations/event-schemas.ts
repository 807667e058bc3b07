// Conversation events as they come in, over HTTP and over the queue (docs/voice-api.md#conversation-events): what each type must
// say, and what becomes of it inside.
import { z } from 'zod';
import { freeForm, MEMBERS_MAX, pathId, type FieldProblem } from '@parley/envelopes';
import { BODY_PROBLEMS_MAX, parsePart, refusedIn } from '@parley/http';
import { conversationEvent } from '@parley/queues';
import { metadata } from '../bots/schemas.ts';
import { readRecorded } from '../recordings/recorded.ts';
import type { ReportedEvent } from './conversation.ts';
import { cost, recordingUrl } from './events/after-call-schemas.ts';
import { eventOf } from './events/reported-event.ts';
import { ENDERS } from './states.rules.ts';

/** Characters of one utterance: an hour of talk. */
const TEXT_CHARACTERS_MAX = 100_000;
const WORDS_MAX = 10_000;
/** One utterance with its words, as JSON: what a message of the queue may have at most as well. */
const TURN_BYTES_MAX = 1024 * 1024;
const ADDRESS_CHARACTERS_MAX = 255;
const LANGUAGE_CHARACTERS_MAX = 64;
const ERROR_CODE_CHARACTERS_MAX = 128;
const MESSAGE_CHARACTERS_MAX = 2_000;
/** As runtimes spell them: the longest known one has 61. */
const END_REASON_CHARACTERS_MAX = 128;
/** Postgres integer. */
const INTEGER_MAX = 2_147_483_647;
/** A week: longer than any conversation, in seconds and as milliseconds. */
const SECONDS_MAX = 604_800;
const MILLISECONDS_MAX = SECONDS_MAX * 1000;
/** Clocks of runtimes may be ahead of ours by a day; a year from now is a mistake that would sort last for ever. */
const AHEAD_MAX_MS = 86_400_000;
/** Nothing is older: a clock that was never set. The analytics begin here too, and Postgres knows no year 0. */
const OCCURRED_MIN_MS = Date.UTC(2000, 0, 1);

export const CHANNELS = ['phone', 'web', 'sip', 'chat'] as const;
export const DIRECTIONS = ['inbound', 'outbound'] as const;

const milliseconds = z.number().min(0).max(MILLISECONDS_MAX);
const address = z.string().max(ADDRESS_CHARACTERS_MAX);
const language = z.string().max(LANGUAGE_CHARACTERS_MAX);

const flowId = z.string().min(1).max(128);
const flowVersion = z.int().min(1).max(INTEGER_MAX);

/** What may come with the end, or with the transcript after it. */
const alongside = {
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

const saidData = z.object({
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
  ...alongside,
});

const readyData = z.object(alongside);

const errorData = z.object({
  code: z.string().min(1).max(ERROR_CODE_CHARACTERS_MAX),
  message: z.string().max(MESSAGE_CHARACTERS_MAX),
  fatal: z.boolean().nullish(),
});

const isNoDots = (id: string) => id !== '.' && id !== '..';
const { id, conversation_id, bot_id } = conversationEvent.shape;
const noDots = 'must not be "." or ".."';

/** What all types share: the contract of the queue, whose messages may be older than the rules of `pathId`. */
const queued = conversationEvent.omit({ type: true, data: true, turn: true }).extend({
  id: id.refine(isNoDots, noDots),
  conversation_id: conversation_id.refine(isNoDots, noDots),
  bot_id: bot_id.nullable().refine((given) => given == null || isNoDots(given), noDots),
});
const reported = queued.extend({ conversation_id: pathId(), bot_id: pathId().nullish() });

const variant = <const Type extends string, Data extends z.ZodObject>(type: Type, data: Data) =>
  queued.extend({ type: z.literal(type), data: data.prefault({} as never) });
const strictVariant = <const Type extends string, Data extends z.ZodObject>(type: Type, data: Data) =>
  reported.extend({ type: z.literal(type), data: data.strict().prefault({} as never) }).strict();

/** As a message of the queue says it: unknown members are ignored, a newer producer may say more. */
const lenient = z.discriminatedUnion('type', [
  variant('conversation.started', startedData),
  variant('speech.interim', saidData),
  variant('speech.final', saidData),
  variant('bot.message', saidData),
  variant('tool.called', saidData),
  variant('tool.returned', saidData),
  variant('system.message', saidData),
  variant('conversation.ended', endedData),
  variant('transcript.ready', readyData),
  variant('conversation.error', errorData),
  // A turn of a flow in which nothing was said.
  variant('turn.recorded', z.object({})),
]);
const strictSaid = saidData.extend({ metrics: metrics.strict().nullish() }).strict();
/** As a request says it: what is not known is refused by its name, since it would be lost without a word. */
export const reportedEvent = z.discriminatedUnion('type', [
  strictVariant('conversation.started', startedData),
  strictVariant('speech.interim', strictSaid),
  strictVariant('speech.final', strictSaid),
  strictVariant('bot.message', strictSaid),
  strictVariant('tool.called', strictSaid),
  strictVariant('tool.returned', strictSaid),
  strictVariant('system.message', strictSaid),
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

/** Places of one event that are told; more help nobody. */
const PROBLEMS_MAX = 5;
/** Of one place: it may name members of the event, which may be many. */
const PROBLEM_CHARACTERS_MAX = 300;

/**
 * One event of a request, whose body was not judged as a whole. Never throws: one event that is wrong does not spoil the others of its
 * batch. `lost`: what parsing the body lost of it.
 */
export function parseHttpEvent(
  raw: unknown,
  nowMs: number,
  mayBeRefused: boolean,
  lost: readonly FieldProblem[] = [],
): { readonly parsed: ParsedEvent; readonly wasMended: boolean } {
  if (lost.length > 0) return { parsed: refusedFor(lost), wasMended: false };
  return mayBeRefused
    ? parseMended(reportedEvent, raw, nowMs)
    : { parsed: parse(reportedEvent, raw, nowMs), wasMended: false };
}

/** One event of the queue. It did not come through the checks of an HTTP body. */
export function parseQueuedEvent(raw: object, nowMs: number): ParsedEvent {
  const { parsed } = parseMended(lenient, raw, nowMs);
  const recorded = parsed.ok && 'turn' in raw ? readRecorded(raw.turn) : undefined;
  return parsed.ok && recorded ? { ...parsed, event: { ...parsed.event, recorded } } : parsed;
}

/** Recognisers cut a text where they like, also between the halves of a character: what is left of it is shown as U+FFFD. */
function parseMended(schema: typeof lenient | typeof reportedEvent, raw: unknown, nowMs: number) {
  const problems = refusedIn(raw);
  // As many as are told at most: there may be others.
  if (problems.length >= BODY_PROBLEMS_MAX || problems.some(({ code }) => code !== 'half_surrogate'))
    return { parsed: refusedFor(problems), wasMended: false };
  const wasMended = problems.length > 0;
  return { parsed: parse(schema, wasMended ? wellFormed(raw) : raw, nowMs), wasMended };
}

/** U+FFFD in place of every half of a surrogate pair. */
export function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return Buffer.from(value).toString();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, wellFormed(member)]));
}

/** Places are JSON pointers into the event, as those of every body are (docs/voice-api.md#envelope). */
function refusedFor(problems: readonly FieldProblem[]): ParsedEvent {
  return refused(problems.map(({ path, message }) => `${path || 'event'} ${message}`));
}

function parse(schema: typeof lenient | typeof reportedEvent, raw: unknown, nowMs: number): ParsedEvent {
  if ([raw, (raw as { data?: unknown } | null)?.data].some(hasTooManyMembers))
    return refused([`has an object of more than ${MEMBERS_MAX} members`]);
  const problems: FieldProblem[] = [];
  const given = parsePart(schema, raw, 'body', problems) as WireEvent | undefined;
  if (!given) return refusedFor(problems);
  const at = Date.parse(given.occurred_at);
  if (at < OCCURRED_MIN_MS) return refused(['/occurred_at is before the year 2000']);
  if (at > nowMs + AHEAD_MAX_MS) return refused(['/occurred_at is more than a day ahead']);
  const event = eventOf(given, at);
  if ('said' in event && event.said.bytes > TURN_BYTES_MAX) {
    return { ok: false, code: 'PAYLOAD_TOO_LARGE', message: `/data has more than ${TURN_BYTES_MAX} bytes` };
  }
  return { ok: true, event, data: given.data };
}

/** Each would be looked at, and told of. */
function hasTooManyMembers(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > MEMBERS_MAX;
}

function refused(problems: readonly string[]): ParsedEvent {
  const told = problems.slice(0, PROBLEMS_MAX).map((problem) => problem.slice(0, PROBLEM_CHARACTERS_MAX));
  return { ok: false, code: 'INVALID_REQUEST', message: told.join('; ') };
}
