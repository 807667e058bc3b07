// The effect of events and of time on a conversation, and the events it emits
// (docs/voice-api.md#conversation-events, docs/voice-api.md#settling-and-the-reaper). Pure.
//
// A conversation is final TRANSCRIPT_SETTLE after its end arrived. Until then all known events
// determine its state, in the order in which they happened. Later events are recorded and ignored,
// so webhooks and analytics learn of the end once, in its final form. Only turns are always
// accepted: each makes a new revision of the transcript.
import type { EventType } from '../webhooks/event-types.ts';
import type {
  Conversation,
  Emission,
  Folded,
  RecordedAt,
  ReportedEvent,
  Said,
  Turn,
} from './conversation.ts';
import { TURN_ROLES, type TurnEventType } from './turn-roles.rules.ts';
import { toldAlongside } from './events/alongside.rules.ts';
import { compareMoments, earlier, isUnanswered, replay, type Failure, type Facts } from './states.rules.ts';

/** How late the end event may be before the reaper ends the conversation. */
export const REAP_GRACE_MS = 5 * 60_000;
/** For bots that do not exist here; also the default of new bots (docs/voice-api.md#bots). */
export const MAX_DURATION_SECONDS = 1_800;
/** Turn events of one conversation: days of talk. Bounds what is read as a whole. */
export const TURN_EVENTS_MAX = 10_000;

/** Mutable while events are folded. */
type Draft = { -readonly [Member in keyof Conversation]: Conversation[Member] };

/**
 * Events of a batch are applied in the order in which they happened; at equal times in this order.
 */
const TYPE_RANK: Readonly<Record<ReportedEvent['type'], number>> = {
  'conversation.started': 0,
  'speech.interim': 1,
  'speech.final': 2,
  'bot.message': 3,
  'tool.called': 4,
  'tool.returned': 5,
  'system.message': 6,
  'conversation.error': 7,
  'conversation.ended': 8,
  'transcript.ready': 9,
  'turn.recorded': 10,
};

export function inOrder(events: readonly ReportedEvent[]): ReportedEvent[] {
  return [...events].sort(
    (a, b) => a.at - b.at || TYPE_RANK[a.type] - TYPE_RANK[b.type] || compareMoments(a, b),
  );
}

/**
 * Applies events that are new. `settleMs` is TRANSCRIPT_SETTLE. `overtaken` has the ids of interims
 * that arrived after the final of their turn.
 */
export function foldEvents(
  before: Conversation,
  events: readonly ReportedEvent[],
  nowMs: number,
  settleMs: number,
  overtaken: ReadonlySet<string> = new Set(),
): Folded {
  const draft: Draft = { ...before };
  const emissions: Emission[] = [];
  const turns = new Map<string, Turn>();
  const recorded: RecordedAt[] = [];
  const ignored: string[] = [];
  const refused: string[] = [];
  let trace: ReportedEvent['trace'];
  const emit = emitter(draft, emissions, () => trace);

  for (const event of inOrder(events)) {
    heard(draft, event, nowMs);
    trace = event.trace; // the last event is the cause of what all of them bring about
    takeBot(draft, event);
    takeRecorded(event);
    const taken = takeEvent(event);
    if (!taken) ignored.push(event.id);
  }

  /** Applies to settled conversations and to events that change nothing else, too. */
  function takeRecorded({ at, recorded: turn }: ReportedEvent): void {
    if (!turn) return;
    if (draft.bytes + turn.bytes > draft.bytesMax) {
      draft.truncated = true;
      return;
    }
    draft.bytes += turn.bytes;
    recorded.push({ ...turn, at });
  }

  /** Returns whether the event changes anything. */
  function takeEvent(event: ReportedEvent): boolean {
    if (isTurn(event)) return takeTurn(event);
    if (event.type === 'conversation.started') return takeStart(event);
    if (event.type === 'turn.recorded') return true;
    if (draft.settledAt !== null) return false;
    switch (event.type) {
      case 'speech.interim':
        if (draft.endedAt !== null || overtaken.has(event.id)) return false; // a late interim is worthless
        emit(event.type, event.at, speechData(event.said), event.said.turnIndex);
        return true;
      case 'conversation.ended':
        return keep('ended', { at: event.at, id: event.id, trace, ...event.end });
      case 'conversation.error': {
        const { at, id, code, message, fatal } = event;
        if (fatal) return keep('fatal', { at, id, trace, code, message });
        emit(event.type, at, { error: { code, message, fatal } });
        return true;
      }
      case 'transcript.ready':
        return keep('ready', { at: event.at, id: event.id, ...event.alongside });
    }
  }

  function keep<Kind extends 'ended' | 'fatal' | 'ready'>(
    kind: Kind,
    fact: NonNullable<Facts[Kind]>,
  ): boolean {
    const kept = earlier(draft.facts[kind], fact);
    if (kept !== fact) return false;
    draft.facts = { ...draft.facts, [kind]: fact };
    return true;
  }

  function takeStart({ at, id, description }: ReportedEvent & { type: 'conversation.started' }): boolean {
    const { started } = draft.facts;
    if (started && (draft.settledAt !== null || compareMoments({ at, id }, started) >= 0)) return false;
    const { metadata, ...rest } = description;
    draft.facts = { ...draft.facts, started: { at, id, metadata } };
    Object.assign(draft, rest, { startedAt: at });
    if (draft.settledAt !== null) {
      // Too late for the state, but it still describes the conversation.
      draft.durationSeconds ??= replay(draft.facts).durationSeconds;
    }
    // Even after the conversation is final: a delayed start was accepted like any other.
    if (!draft.startSent) {
      const { channel, direction, from, to, language } = description;
      emit('conversation.started', at, { channel, direction, from, to, language });
      draft.startSent = true;
    }
    return true;
  }

  function takeTurn(event: TurnEvent): boolean {
    const { said, at, id } = event;
    if (draft.revision >= TURN_EVENTS_MAX || draft.bytes + said.bytes > draft.bytesMax) {
      draft.truncated = true;
      refused.push(id);
      return false;
    }
    draft.bytes += said.bytes;
    const role = TURN_ROLES[event.type];
    const key = `${role} ${said.turnIndex}`;
    const known = turns.get(key);
    if (!known || compareMoments({ at, id }, { at: known.at, id: known.eventId }) > 0) {
      turns.set(key, { ...said, role, at, eventId: id });
    }
    draft.revision += 1;
    if (event.type === 'bot.message')
      emit(event.type, at, { turn_index: said.turnIndex, text: said.text }, said.turnIndex);
    else if (event.type === 'speech.final') emit(event.type, at, speechData(said), said.turnIndex);
    return true;
  }

  Object.assign(draft, toldAlongside(draft));
  if (draft.settledAt === null) {
    Object.assign(draft, replay(draft.facts));
    if (before.endedAt === null && draft.endedAt !== null) draft.dueAt = nowMs + settleMs;
    draft.transcriptReady = draft.facts.ready !== undefined;
  } else if (draft.revision > before.revision) {
    announce(draft, emit, nowMs);
  }
  return folded(before, draft, { emissions, turns: [...turns.values()], recorded, ignored, refused });
}

/**
 * Applies the passage of time: ends a conversation that lasts too long, as of its last event, or
 * makes one that has ended final. Emits its end and its transcript.
 */
export function settle(before: Conversation, nowMs: number): Folded {
  const draft: Draft = { ...before };
  const emissions: Emission[] = [];
  const emit = emitter(draft, emissions, () => undefined);
  if (draft.endedAt === null) {
    const fatal: Failure = {
      at: draft.facts.heardAt ?? draft.startedAt ?? draft.createdAt,
      id: '',
      code: 'timed_out',
      message: 'no event ended the conversation within its longest duration',
      timedOut: true,
    };
    draft.facts = { ...draft.facts, fatal };
    Object.assign(draft, replay(draft.facts));
  }
  if (draft.status === 'processing') draft.status = 'completed';
  if (!draft.endSent) tellEnd(draft, emit);
  draft.settledAt = nowMs;
  draft.dueAt = null;
  draft.transcriptReady = true;
  const hasNothing = draft.revision === 0 && draft.endReason !== null && isUnanswered(draft.endReason);
  if (draft.announcedRevision !== draft.revision && !hasNothing) announce(draft, emit, nowMs);
  return folded(before, draft, { emissions, turns: [], recorded: [], ignored: [], refused: [] });
}

/**
 * When the sweeper must look at an open conversation. Counts from its first report if that is later
 * than its start, so that delayed events find it open.
 */
export function reapAt(
  { createdAt, startedAt }: Pick<Conversation, 'createdAt' | 'startedAt'>,
  maxDurationSeconds: number,
  nowMs: number,
): number {
  return Math.max(createdAt, Math.min(startedAt ?? 0, nowMs)) + maxDurationSeconds * 1000 + REAP_GRACE_MS;
}

type Emit = (
  type: EventType,
  at: number,
  data: Emission['data'],
  turnIndex?: number | null,
  trace?: Emission['trace'],
) => void;

function emitter(draft: Draft, emissions: Emission[], cause: () => Emission['trace']): Emit {
  return (type, at, data, turnIndex = null, trace = cause()) => {
    draft.sequence += 1;
    emissions.push({ type, at, sequence: draft.sequence, turnIndex, data, trace });
  };
}

function tellEnd(draft: Draft, emit: Emit): void {
  draft.endSent = true;
  const { fatal, ended } = draft.facts;
  if (draft.error) {
    const data = { error: { ...draft.error, fatal: true } };
    emit('conversation.error', fatal!.at, data, null, fatal!.trace);
  } else emit('conversation.ended', draft.endedAt!, {}, null, ended?.trace);
}

/** Times of clocks that are ahead of ours count as now. */
function heard(draft: Draft, { at }: ReportedEvent, nowMs: number): void {
  const heardAt = Math.min(at, nowMs);
  if (draft.settledAt === null && heardAt > (draft.facts.heardAt ?? -Infinity))
    draft.facts = { ...draft.facts, heardAt };
}

function announce(draft: Draft, emit: Emit, nowMs: number): void {
  draft.announcedRevision = draft.revision;
  emit('transcript.ready', nowMs, {});
}

/** The earliest event that names a bot decides. */
function takeBot(draft: Draft, { at, id, botId }: ReportedEvent): void {
  if (botId === null || (draft.settledAt !== null && draft.botId !== null)) return;
  const fact = { at, id, botId };
  if (earlier(draft.facts.bot, fact) !== fact) return;
  draft.facts = { ...draft.facts, bot: fact };
  draft.botId = botId;
}

type TurnEvent = Extract<ReportedEvent, { readonly type: TurnEventType }>;
const isTurn = (event: ReportedEvent): event is TurnEvent => Object.hasOwn(TURN_ROLES, event.type);

function speechData({ turnIndex, text, confidence, startMs, endMs }: Said): Emission['data'] {
  return { turn_index: turnIndex, text, confidence, start_ms: startMs, end_ms: endMs };
}

/**
 * Analytics count the conversation, and a failure alerts its organisation, when it becomes final.
 */
function folded(
  before: Conversation,
  draft: Draft,
  rest: Pick<Folded, 'emissions' | 'turns' | 'recorded' | 'ignored' | 'refused'>,
): Folded {
  const count = draft.settledAt !== null && !draft.counted;
  if (count) draft.counted = true;
  const failedNow = draft.status === 'failed' && before.settledAt === null && draft.settledAt !== null;
  return { conversation: draft, ...rest, count, failedNow };
}
