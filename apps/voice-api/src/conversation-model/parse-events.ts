// Parses conversation events from HTTP and from the queue (docs/voice-api.md#conversation-events).
import { MEMBERS_MAX, type FieldProblem } from '@parley/envelopes';
import { BODY_PROBLEMS_MAX, parsePart, findRefusedJson } from '@parley/server/http';
import type { Description, ReportedEvent, Utterance } from './conversation.ts';
import { queuedEvent, reportedEvent, type WireEvent } from './event-schemas.ts';
import { readRecorded } from './recorded.ts';
import { defaultEnder, isEndReason, type CallDetails } from './states.rules.ts';

/** One utterance with its words, as JSON. Queue messages have the same limit. */
const TURN_BYTES_MAX = 1024 * 1024;
/** Clocks may be a day ahead. Times further ahead are mistakes that would always sort last. */
const AHEAD_MAX_MS = 86_400_000;
/** Earlier times come from clocks that were never set. Analytics begin here too. */
const OCCURRED_MIN_MS = Date.UTC(2000, 0, 1);

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
  const { parsed } = parseMended(queuedEvent, raw, nowMs);
  const recorded = parsed.ok && 'turn' in raw ? readRecorded(raw.turn) : undefined;
  return parsed.ok && recorded ? { ...parsed, event: { ...parsed.event, recorded } } : parsed;
}

/** Recognisers may cut text between the halves of a character. U+FFFD replaces a lone half. */
function parseMended(schema: typeof queuedEvent | typeof reportedEvent, raw: unknown, nowMs: number) {
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

function parse(schema: typeof queuedEvent | typeof reportedEvent, raw: unknown, nowMs: number): ParsedEvent {
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

type DataOf<Type extends WireEvent['type']> = Extract<WireEvent, { type: Type }>['data'];

function toReportedEvent(event: WireEvent, at: number): ReportedEvent {
  const { id, conversation_id: conversationId, bot_id } = event;
  const common = { id, conversationId, botId: bot_id ?? null, at };
  switch (event.type) {
    case 'conversation.started':
      return { ...common, type: event.type, description: toDescription(event.data) };
    case 'speech.interim':
    case 'speech.final':
    case 'bot.message':
    case 'tool.called':
    case 'tool.returned':
    case 'system.message':
      return { ...common, type: event.type, utterance: toUtterance(event.data) };
    case 'conversation.ended':
      return { ...common, type: event.type, end: toEnd(event.data) };
    case 'conversation.error': {
      const { code, message: text, fatal } = event.data;
      return { ...common, type: event.type, code, message: text, fatal: fatal ?? true };
    }
    case 'transcript.ready':
      return { ...common, type: event.type, details: toCallDetails(event.data) };
    case 'turn.recorded':
      return { ...common, type: event.type };
  }
}

function toUtterance(data: DataOf<'speech.final'>): Utterance {
  return {
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
  };
}

function toDescription(data: DataOf<'conversation.started'>): Description {
  return {
    channel: data.channel ?? null,
    direction: data.direction ?? null,
    from: data.from ?? null,
    to: data.to ?? null,
    language: data.language ?? null,
    flowId: data.flow_id ?? null,
    flowVersion: data.flow_version ?? null,
    metadata: data.metadata ?? {},
  };
}

/** Unknown end reasons go to the detail, so that no call is lost because of one. */
function toEnd(data: DataOf<'conversation.ended'>) {
  const { end_reason: given, end_detail: detail } = data;
  const reason = given == null ? 'user_hangup' : isEndReason(given) ? given : 'other';
  const words = reason === 'other' && given !== 'other' ? [given, detail] : [detail];
  return {
    reason,
    detail: words.filter((word) => word != null).join(': ') || null,
    by: data.ended_by ?? defaultEnder(reason),
    durationSeconds: data.duration_seconds ?? null,
    ...toCallDetails(data),
  } as const;
}

/** Only given members: these facts are read with their conversation each time. */
function toCallDetails({ metadata, cost, recording_url }: DataOf<'transcript.ready'>): CallDetails {
  return {
    ...(metadata ? { metadata } : {}),
    ...(cost ? { cost } : {}),
    ...(recording_url ? { recordingUrl: recording_url } : {}),
  };
}
