// Shared helpers of importers: what the reports of a call say, merged, as events
// (docs/voice-api.md#imports). Pure.
import type { z } from 'zod';
import type { ConversationUpdate } from '../conversations/changes/schemas.ts';
import type { Cost } from '../conversation-model/after-call-schemas.ts';

/** Vendors may send any number, so times are clamped. */
const TIME_MAX_MS = Date.UTC(9999, 11, 31);

/** Turns of one report; further ones are skipped and counted. */
export const TURNS_MAX = 2_000;

export interface Description {
  readonly channel: string | null;
  readonly direction: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly language?: string | null;
}

export interface ReportedEnd {
  /** The vendor's reason; null: it may be in another report. */
  readonly given: string | null;
  /** One of our end reasons, or the vendor's where it is unknown. */
  readonly reason: string;
  readonly durationSeconds: number | null;
}

/** What one report says of a call. Null and empty members: it does not say. */
export interface Report {
  readonly conversationId: string;
  /** The order of the reports of a call: later ones know more. */
  readonly rank: number;
  readonly botId: string | null;
  readonly startedMs: number | null;
  readonly endedMs: number | null;
  readonly description: Description;
  readonly turns: readonly ReportedTurn[];
  /** Null: it is no report of the end. */
  readonly end: ReportedEnd | null;
  /** After-call data. */
  readonly changes: ConversationUpdate;
  /** Skipped turns of unknown kinds. */
  readonly skipped: number;
}

/** `ignored` is the kind of any other message; vendors send all kinds to one address. */
export type Imported = { readonly report: Report } | { readonly ignored: string };

export interface Importer {
  /**
   * The vendor's documented shape for this kind of report. Other members are ignored. Shapes do not
   * parse others within them: the parser bounds the work on a report with many faults.
   */
  chooseShape(report: unknown): z.ZodType;
  read(payload: never): Imported;
}

export interface ReportedTurn {
  readonly type: 'speech.final' | 'bot.message' | 'tool.called' | 'tool.returned' | 'system.message';
  readonly text: string;
  /** From the start of the call; null: unknown. */
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly words?: readonly object[] | undefined;
  readonly interrupted?: boolean | undefined;
}

/** An event without the id that depends on what was applied before. */
export interface NamedEvent {
  readonly name: string;
  readonly type: string;
  readonly at: number;
  readonly data: object;
}

/**
 * All that the reports of a call say; of two that differ the later one wins. `reports` are sorted
 * by rank and content, so the order of arrival does not matter.
 */
export function mergeReports([first, ...later]: readonly [Report, ...Report[]]): Report {
  return later.reduce((known: Report, next: Report): Report => {
    const { turns, skipped } = next.turns.length > 0 ? next : known;
    return {
      conversationId: known.conversationId,
      rank: next.rank,
      botId: next.botId ?? known.botId,
      startedMs: next.startedMs ?? known.startedMs,
      endedMs: next.endedMs ?? known.endedMs,
      description: { ...known.description, ...withValues(next.description) },
      turns,
      skipped,
      end: mergeEnds(known.end, next.end),
      changes: { ...known.changes, ...next.changes },
    };
  }, first);
}

function mergeEnds(known: ReportedEnd | null, next: ReportedEnd | null): ReportedEnd | null {
  if (!known || !next) return next ?? known;
  const decides = next.given === null ? known : next;
  return { ...decides, durationSeconds: next.durationSeconds ?? known.durationSeconds };
}

const withValues = <Members extends object>(members: Members): Partial<Members> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value != null)) as Partial<Members>;

/** @param receivedMs the time of a call that has none */
export function toEvents(report: Report, receivedMs: number): NamedEvent[] {
  const startedMs = clamp(report.startedMs ?? report.endedMs ?? receivedMs);
  const endedMs = Math.max(startedMs, clamp(report.endedMs ?? startedMs));
  let at = startedMs;
  const turns = report.turns.slice(0, TURNS_MAX).map((turn, index): NamedEvent => {
    const { type, text, startMs, endMs, words, interrupted } = turn;
    if (startMs !== null) at = clamp(Math.max(at, startedMs + startMs));
    const data = { turn_index: index, text, start_ms: atLeastZero(startMs), end_ms: atLeastZero(endMs) };
    const extra = { ...(words ? { words } : {}), ...(interrupted === undefined ? {} : { interrupted }) };
    return { name: `turn-${index}`, type, at, data: { ...data, ...extra } };
  });
  return [
    { name: 'started', type: 'conversation.started', at: startedMs, data: report.description },
    ...turns,
    ...(report.end ? [toEndEvent(report.end, endedMs)] : []),
  ];
}

const clamp = (ms: number) => Math.min(Math.max(ms, 0), TIME_MAX_MS);
const atLeastZero = (ms: number | null) => (ms === null ? null : Math.max(0, ms));

function toEndEvent({ given, reason, durationSeconds }: ReportedEnd, at: number): NamedEvent {
  if (reason === 'error') {
    const code = given ?? 'error';
    const data = { code: code.slice(0, 128), message: `The call ended: ${code}`.slice(0, 2_000) };
    return { name: 'ended', type: 'conversation.error', at, data };
  }
  const data = {
    end_reason: reason.slice(0, 128),
    ...(given !== null && given !== reason ? { end_detail: given.slice(0, 2_000) } : {}),
    ...(durationSeconds === null ? {} : { duration_seconds: Math.max(0, durationSeconds) }),
  };
  return { name: 'ended', type: 'conversation.ended', at, data };
}

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

/** The end of a call by a vendor's table of reasons. */
export function toEnd(
  reasons: Readonly<Record<string, string>>,
  given: string | null | undefined,
  durationSeconds: number | null | undefined,
): ReportedEnd {
  const known = given ? given : null;
  const mapped = known !== null && Object.hasOwn(reasons, known) ? reasons[known] : undefined;
  const reason = mapped ?? (known === null ? 'other' : FAILURE.test(known) ? 'error' : known);
  return { given: known, reason, durationSeconds: durationSeconds ?? null };
}

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
