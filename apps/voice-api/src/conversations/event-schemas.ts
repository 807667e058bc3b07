// Conversation events as they come in, over HTTP and over the queue (docs/voice-api.md#conversation-events): what each type must
// say, and what becomes of it inside.
import { z } from 'zod';
import { anyObject, MEMBERS_MAX, type FieldProblem } from '@parley/envelopes';
import { BODY_PROBLEMS_MAX, refusedIn } from '@parley/http';
import { conversationEvent } from '@parley/queues';
import { metadata } from '../bots/schemas.ts';
import { readRecorded } from '../recordings/recorded.ts';
import type { Description, ReportedEvent, Said } from './conversation.ts';
import { END_REASONS, ENDERS, enderOf } from './states.rules.ts';

/** Characters of one utterance: an hour of talk. */
const TEXT_CHARACTERS_MAX = 100_000;
const WORDS_MAX = 10_000;
/** One utterance with its words, as JSON: what a message of the queue may have at most as well. */
const TURN_BYTES_MAX = 1024 * 1024;
const ADDRESS_CHARACTERS_MAX = 255;
const LANGUAGE_CHARACTERS_MAX = 64;
const ERROR_CODE_CHARACTERS_MAX = 128;
const MESSAGE_CHARACTERS_MAX = 2_000;
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

const saidData = z.object({
  turn_index: z.int().min(0).max(INTEGER_MAX),
  text: z.string().max(TEXT_CHARACTERS_MAX),
  confidence: z.number().min(0).max(1).nullish(),
  start_ms: milliseconds.nullish(),
  end_ms: milliseconds.nullish(),
  interrupted: z.boolean().nullish(),
  language: language.nullish(),
  words: z.array(anyObject).max(WORDS_MAX).nullish(),
  metrics: z
    .object({
      e2e_ms: milliseconds.nullish(),
      asr_ms: milliseconds.nullish(),
      llm_ms: milliseconds.nullish(),
      tts_ms: milliseconds.nullish(),
    })
    .nullish(),
  flow_id: flowId.nullish(),
  flow_version: flowVersion.nullish(),
  turn: z.int().min(0).max(INTEGER_MAX).nullish(),
  node_id: flowId.nullish(),
});

const endedData = z.object({
  duration_seconds: z.number().min(0).max(SECONDS_MAX).nullish(),
  end_reason: z.enum(END_REASONS).nullish(),
  end_detail: z.string().max(MESSAGE_CHARACTERS_MAX).nullish(),
  ended_by: z.enum(ENDERS).nullish(),
});

const errorData = z.object({
  code: z.string().min(1).max(ERROR_CODE_CHARACTERS_MAX),
  message: z.string().max(MESSAGE_CHARACTERS_MAX),
  fatal: z.boolean().nullish(),
});

const said = (data: z.output<typeof saidData>): Said => ({
  turnIndex: data.turn_index,
  text: data.text,
  startMs: data.start_ms ?? null,
  endMs: data.end_ms ?? null,
  confidence: data.confidence ?? null,
  interrupted: data.interrupted ?? false,
  language: data.language ?? null,
  words: data.words ?? null,
  metrics: data.metrics
    ? Object.fromEntries(Object.entries(data.metrics).filter(([, ms]) => ms != null))
    : null,
  flow: {
    flowId: data.flow_id ?? null,
    flowVersion: data.flow_version ?? null,
    turn: data.turn ?? null,
    nodeId: data.node_id ?? null,
  },
  bytes: Buffer.byteLength(JSON.stringify(data)),
});

const described = (data: z.output<typeof startedData>): Description => ({
  channel: data.channel ?? null,
  direction: data.direction ?? null,
  from: data.from ?? null,
  to: data.to ?? null,
  language: data.language ?? null,
  flowId: data.flow_id ?? null,
  flowVersion: data.flow_version ?? null,
  metadata: data.metadata ?? {},
});

/** What all types share: the contract of the queue. Over HTTP members that it does not know are refused. */
const base = conversationEvent.omit({ type: true, data: true, turn: true }).extend({
  bot_id: conversationEvent.shape.bot_id.nullable(),
});
const lifecycle = <Type extends z.ZodLiteral, Data extends z.ZodType>(type: Type, data: Data) =>
  base.extend({ type, data: data.prefault({} as never) });

const variants = [
  lifecycle(z.literal('conversation.started'), startedData),
  lifecycle(z.literal('speech.interim'), saidData),
  lifecycle(z.literal('speech.final'), saidData),
  lifecycle(z.literal('bot.message'), saidData),
  lifecycle(z.literal('tool.called'), saidData),
  lifecycle(z.literal('tool.returned'), saidData),
  lifecycle(z.literal('conversation.ended'), endedData),
  lifecycle(z.literal('transcript.ready'), z.object({})),
  lifecycle(z.literal('conversation.error'), errorData),
] as const;
const [started, interim, final, message, called, returned, ended, ready, error] = variants;

/** A turn of a flow in which nothing was said. */
const silent = lifecycle(z.literal('turn.recorded'), z.object({}));

/** As a message of the queue says it: unknown members are ignored, a newer producer may say more. */
const lenient = z.discriminatedUnion('type', [...variants, silent]);
/** As a request says it: unknown members are mistakes, except in the free `data`. */
const strict = z.discriminatedUnion('type', [
  started.strict(),
  interim.strict(),
  final.strict(),
  message.strict(),
  called.strict(),
  returned.strict(),
  ended.strict(),
  ready.strict(),
  error.strict(),
]);

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
    ? parseMended(strict, raw, nowMs)
    : { parsed: parse(strict, raw, nowMs), wasMended: false };
}

/** One event of the queue. It did not come through the checks of an HTTP body. */
export function parseQueuedEvent(raw: object, nowMs: number): ParsedEvent {
  const { parsed } = parseMended(lenient, raw, nowMs);
  const recorded = parsed.ok && 'turn' in raw ? readRecorded(raw.turn) : undefined;
  return parsed.ok && recorded ? { ...parsed, event: { ...parsed.event, recorded } } : parsed;
}

/** Recognisers cut a text where they like, also between the halves of a character: what is left of it is shown as U+FFFD. */
function parseMended(schema: typeof lenient | typeof strict, raw: unknown, nowMs: number) {
  const problems = refusedIn(raw);
  // As many as are told at most: there may be others.
  if (problems.length >= BODY_PROBLEMS_MAX || problems.some(({ code }) => code !== 'half_surrogate'))
    return { parsed: refusedFor(problems), wasMended: false };
  const wasMended = problems.length > 0;
  return { parsed: parse(schema, wasMended ? wellFormed(raw) : raw, nowMs), wasMended };
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return Buffer.from(value).toString();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, wellFormed(member)]));
}

function refusedFor(problems: readonly FieldProblem[]): ParsedEvent {
  return refused(problems.map(({ path, message }) => `${path} ${message}`));
}

function parse(schema: typeof lenient | typeof strict, raw: unknown, nowMs: number): ParsedEvent {
  if ([raw, (raw as { data?: unknown } | null)?.data].some(hasTooManyMembers))
    return refused([`has an object of more than ${MEMBERS_MAX} members`]);
  const parsed = schema.safeParse(raw);
  if (!parsed.success) {
    return refused(
      parsed.error.issues.map((issue) => `${issue.path.join('.') || 'event'}: ${issue.message}`),
    );
  }
  const at = Date.parse(parsed.data.occurred_at);
  if (at < OCCURRED_MIN_MS) return refused(['occurred_at: is before the year 2000']);
  if (at > nowMs + AHEAD_MAX_MS) return refused(['occurred_at: is more than a day ahead']);
  const event = eventOf(parsed.data, at);
  if ('said' in event && event.said.bytes > TURN_BYTES_MAX) {
    return { ok: false, code: 'PAYLOAD_TOO_LARGE', message: `data: has more than ${TURN_BYTES_MAX} bytes` };
  }
  return { ok: true, event, data: parsed.data.data };
}

/** Each would be looked at, and told of. */
function hasTooManyMembers(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > MEMBERS_MAX;
}

function refused(problems: readonly string[]): ParsedEvent {
  const told = problems.slice(0, PROBLEMS_MAX).map((problem) => problem.slice(0, PROBLEM_CHARACTERS_MAX));
  return { ok: false, code: 'INVALID_REQUEST', message: told.join('; ') };
}

function eventOf(event: z.output<typeof lenient>, at: number): ReportedEvent {
  const { id, conversation_id: conversationId, bot_id } = event;
  const common = { id, conversationId, botId: bot_id ?? null, at };
  switch (event.type) {
    case 'conversation.started':
      return { ...common, type: event.type, description: described(event.data) };
    case 'speech.interim':
    case 'speech.final':
    case 'bot.message':
    case 'tool.called':
    case 'tool.returned':
      return { ...common, type: event.type, said: said(event.data) };
    case 'conversation.ended': {
      const { duration_seconds, end_reason, end_detail, ended_by } = event.data;
      const reason = end_reason ?? 'user_hangup';
      return {
        ...common,
        type: event.type,
        end: {
          reason,
          detail: end_detail ?? null,
          by: ended_by ?? enderOf(reason),
          durationSeconds: duration_seconds ?? null,
        },
      };
    }
    case 'conversation.error': {
      const { code, message: text, fatal } = event.data;
      return { ...common, type: event.type, code, message: text, fatal: fatal ?? true };
    }
    case 'transcript.ready':
    case 'turn.recorded':
      return { ...common, type: event.type };
  }
}
