// Shared helpers of importers: converts a vendor's report of a call to events
// (docs/voice-api.md#imports). Pure.
import type { z } from 'zod';
import type { ConversationUpdate } from '../conversations/changes/schemas.ts';
import type { Cost } from '../conversation-model/after-call-schemas.ts';

/** Vendors may send any number, so times are clamped. */
const TIME_MAX_MS = Date.UTC(9999, 11, 31);

/** Turns of one report; further ones are skipped and counted. */
export const TURNS_MAX = 2_000;

export interface WireEvent {
  readonly id: string;
  readonly type: string;
  readonly conversation_id: string;
  readonly bot_id: string | null;
  readonly occurred_at: string;
  readonly data: object;
}

export interface Report {
  readonly conversationId: string;
  readonly events: readonly WireEvent[];
  /** After-call data; empty when there is none. */
  readonly changes: ConversationUpdate;
  /** Skipped turns: of unknown kinds, or beyond the maximum. */
  readonly skipped: number;
}

/** `ignored` is the kind of any other message; vendors send all kinds to one address. */
export type Imported = { readonly report: Report } | { readonly ignored: string };

export interface Importer {
  /** The vendor's documented shape. Other members are ignored. */
  readonly payload: z.ZodType;
  /** `nowMs`: when the report arrived, the time of a call that has none. */
  read(payload: never, botId: string | undefined, nowMs: number): Imported;
}

/** The call. Event ids derive from its id, so a repeated report has no effect. */
export interface ReportedCall {
  readonly vendor: string;
  readonly id: string;
  readonly botId: string | null;
  readonly startedMs: number;
  readonly endedMs: number;
}

export interface ReportedTurn {
  readonly type: 'speech.final' | 'bot.message' | 'tool.called' | 'tool.returned' | 'system.message';
  readonly text: string;
  /** From the start of the call; null: unknown. */
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly words?: readonly object[] | undefined;
}

export function createEvent(
  call: ReportedCall,
  name: string,
  type: string,
  atMs: number,
  data: object,
): WireEvent {
  return {
    id: `${call.vendor}:${call.id}:${name}`.slice(0, 255),
    type,
    conversation_id: call.id,
    bot_id: call.botId,
    occurred_at: new Date(Math.min(Math.max(atMs, 0), TIME_MAX_MS)).toISOString(),
    data,
  };
}

export function toTurnEvents(call: ReportedCall, turns: readonly ReportedTurn[]): WireEvent[] {
  let atMs = call.startedMs;
  return turns.slice(0, TURNS_MAX).map(({ type, text, startMs, endMs, words }, index) => {
    if (startMs !== null) atMs = Math.max(atMs, call.startedMs + startMs);
    const turnData = { turn_index: index, text, start_ms: atLeastZero(startMs), end_ms: atLeastZero(endMs) };
    return createEvent(call, `turn-${index}`, type, atMs, words ? { ...turnData, words } : turnData);
  });
}

const atLeastZero = (ms: number | null) => (ms === null ? null : Math.max(0, ms));

/** Only members with a value. */
export function toChanges(given: {
  readonly [Name in keyof ConversationUpdate]: ConversationUpdate[Name] | null | undefined;
}): ConversationUpdate {
  const known = Object.entries(given).filter(
    ([, value]) => value != null && !(typeof value === 'object' && Object.keys(value).length === 0),
  );
  return Object.fromEntries(known);
}

const PARTS_MAX = 50;

export function toCost(
  total: number | null | undefined,
  parts: readonly (readonly [string, unknown])[],
): Cost | null {
  if (total == null || total < 0) return null;
  const known = parts.flatMap(([name, amount]) =>
    typeof amount === 'number' && amount > 0 ? [{ name: name.slice(0, 64), amount }] : [],
  );
  return { currency: 'USD', total, ...(known.length > 0 ? { parts: known.slice(0, PARTS_MAX) } : {}) };
}

/** Undefined: not an http(s) URL. */
export function parseHttpUrl(text: string | null | undefined): string | undefined {
  return text && /^https?:\/\//.test(text) && URL.canParse(text) ? text : undefined;
}

/** Words in a vendor's reason that say that the call failed. */
const FAILURE = /(^|[-._])(error|failed|failure|fault)|pipeline/;

/** The end of a call with our end reason; the detail holds the vendor's. */
export function toEndEvent(
  call: ReportedCall,
  reasons: Readonly<Record<string, string>>,
  given: string | null | undefined,
  durationSeconds: number | null | undefined,
): WireEvent {
  if (!given) {
    // Another report may know the reason. Its event has the same time and an id that sorts first,
    // so that it decides.
    return createEvent(call, 'ended-without-reason', 'conversation.ended', call.endedMs, {
      end_reason: 'other',
      ...toDuration(durationSeconds),
    });
  }
  const reason = reasons[given] ?? (FAILURE.test(given) ? 'error' : given);
  if (reason === 'error') {
    const data = { code: given.slice(0, 128), message: `The call ended: ${given}`.slice(0, 2_000) };
    return createEvent(call, 'ended', 'conversation.error', call.endedMs, data);
  }
  const known = Object.hasOwn(reasons, given) ? { end_detail: given } : {};
  const data = { end_reason: reason.slice(0, 128), ...known, ...toDuration(durationSeconds) };
  return createEvent(call, 'ended', 'conversation.ended', call.endedMs, data);
}

const toDuration = (seconds: number | null | undefined) =>
  seconds == null ? {} : { duration_seconds: Math.max(0, seconds) };

/**
 * A transcript as one text: each line begins with a speaker of `speakers`, or continues the turn.
 */
export function parseTranscript(
  transcript: string | null | undefined,
  speakers: Readonly<Record<string, ReportedTurn['type']>>,
): ReportedTurn[] {
  const turns: { type: ReportedTurn['type']; text: string }[] = [];
  for (const line of (transcript ?? '').split('\n')) {
    const [, speaker = '', text = ''] = /^(\w{1,20}): ?(.*)$/.exec(line) ?? [];
    const type = Object.hasOwn(speakers, speaker) ? speakers[speaker] : undefined;
    const last = turns.at(-1);
    if (type) turns.push({ type, text });
    else if (last && line.trim() !== '') last.text += `\n${line}`;
  }
  return turns.map((turn) => ({ ...turn, startMs: null, endMs: null }));
}
