// The effect of events and of time on a conversation, and the events it emits
// (docs/voice-api.md#conversation-events, docs/voice-api.md#settling-and-the-reaper). Pure.
//
// A conversation is final TRANSCRIPT_SETTLE after its end arrived. Until then all known events
// determine its state, in the order in which they happened. Later events are recorded and ignored,
// so webhooks and analytics learn of the end once, in its final form. Only turns are always
// accepted: each makes a new revision of the transcript.
import type {
  Conversation,
  Emission,
  FoldResult,
  TimedRecordedTurn,
  ReportedEvent,
  Utterance,
  Turn,
} from '../conversation-model/conversation.ts';
import { TURN_ROLES, type TurnEventType } from '../conversation-model/turn-roles.rules.ts';
import {
  compareMoments,
  pickEarlier,
  isUnanswered,
  replay,
  resolveCallDetails,
  type Failure,
  type Facts,
} from '../conversation-model/states.rules.ts';

/** Turn events of one conversation: days of talk. Bounds what is read as a whole. */
export const TURN_EVENTS_MAX = 10_000;

type Draft = { -readonly [Member in keyof Conversation]: Conversation[Member] };

/** Order of a batch's events at equal times. */
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
): FoldResult {
  const fold = new EventFold(before, nowMs, overtaken);
  for (const event of inOrder(events)) fold.apply(event);
  return fold.complete(settleMs);
}

class EventFold {
  readonly #before: Conversation;
  readonly #nowMs: number;
  readonly #overtaken: ReadonlySet<string>;
  readonly #draft: Draft;
  readonly #emissions: Emission[] = [];
  readonly #turns = new Map<string, Turn>();
  readonly #recorded: TimedRecordedTurn[] = [];
  readonly #ignored: string[] = [];
  readonly #rejected: string[] = [];
  readonly #emit: Emit;
  /** Later emissions name the last event as their cause. */
  #trace: ReportedEvent['trace'];

  constructor(before: Conversation, nowMs: number, overtaken: ReadonlySet<string>) {
    this.#before = before;
    this.#nowMs = nowMs;
    this.#overtaken = overtaken;
    this.#draft = { ...before };
    this.#emit = emitter(this.#draft, this.#emissions, () => this.#trace);
  }

  apply(event: ReportedEvent): void {
    updateHeardAt(this.#draft, event, this.#nowMs);
    this.#trace = event.trace;
    applyBot(this.#draft, event);
    this.#applyRecorded(event);
    if (!this.#applyEvent(event)) this.#ignored.push(event.id);
  }

  complete(settleMs: number): FoldResult {
    const [before, draft] = [this.#before, this.#draft];
    Object.assign(draft, resolveCallDetails(draft));
    if (draft.settledAt === null) {
      Object.assign(draft, replay(draft.facts));
      if (before.endedAt === null && draft.endedAt !== null) draft.dueAt = this.#nowMs + settleMs;
      draft.transcriptReady = draft.facts.ready !== undefined;
    } else if (draft.revision > before.revision) {
      announce(draft, this.#emit, this.#nowMs);
    }
    return toFoldResult(before, draft, {
      emissions: this.#emissions,
      turns: [...this.#turns.values()],
      recorded: this.#recorded,
      ignored: this.#ignored,
      rejected: this.#rejected,
    });
  }

  /** Applies to settled conversations and to events that change nothing else, too. */
  #applyRecorded({ at, recorded: turn }: ReportedEvent): void {
    const draft = this.#draft;
    if (!turn || draft.removed.includes('recorded_turns')) return;
    if (draft.bytes + turn.bytes > draft.bytesMax) {
      draft.truncated = true;
      return;
    }
    draft.bytes += turn.bytes;
    this.#recorded.push({ ...turn, at });
  }

  /** Returns whether the event changes anything. */
  #applyEvent(event: ReportedEvent): boolean {
    if (isTurn(event)) return this.#applyTurn(event);
    if (event.type === 'conversation.started') return this.#applyStart(event);
    if (event.type === 'turn.recorded') return true;
    const [draft, trace] = [this.#draft, this.#trace];
    if (draft.settledAt !== null) return false;
    switch (event.type) {
      case 'speech.interim':
        // A late interim is worthless.
        if (draft.endedAt !== null || this.#overtaken.has(event.id)) return false;
        this.#emit(event, speechData(event.utterance), event.utterance.turnIndex);
        return true;
      case 'conversation.ended':
        return this.#storeFact('ended', { at: event.at, id: event.id, trace, ...event.end });
      case 'conversation.error': {
        const { at, id, code, message, fatal } = event;
        if (fatal) return this.#storeFact('fatal', { at, id, trace, code, message });
        this.#emit(event, { error: { code, message, fatal } });
        return true;
      }
      case 'transcript.ready':
        return this.#storeFact('ready', { at: event.at, id: event.id, ...event.details });
    }
  }

  #storeFact<Kind extends 'ended' | 'fatal' | 'ready'>(kind: Kind, fact: NonNullable<Facts[Kind]>): boolean {
    const draft = this.#draft;
    if (pickEarlier(draft.facts[kind], fact) !== fact) return false;
    draft.facts = { ...draft.facts, [kind]: fact };
    return true;
  }

  #applyStart({ at, id, description }: ReportedEvent & { type: 'conversation.started' }): boolean {
    const draft = this.#draft;
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
      const { channel, direction, from, to, language } = rest;
      this.#emit({ type: 'conversation.started', at, id: ONCE }, { channel, direction, from, to, language });
      draft.startSent = true;
    }
    return true;
  }

  #applyTurn(event: TurnEvent): boolean {
    const { utterance, at, id } = event;
    const draft = this.#draft;
    if (draft.removed.includes('transcript')) return false;
    if (draft.revision >= TURN_EVENTS_MAX || draft.bytes + utterance.bytes > draft.bytesMax) {
      draft.truncated = true;
      this.#rejected.push(id);
      return false;
    }
    draft.bytes += utterance.bytes;
    const role = TURN_ROLES[event.type];
    const key = `${role} ${utterance.turnIndex}`;
    const known = this.#turns.get(key);
    if (!known || compareMoments({ at, id }, { at: known.at, id: known.eventId }) > 0) {
      this.#turns.set(key, { ...utterance, role, at, eventId: id });
    }
    draft.revision += 1;
    const { turnIndex, text } = utterance;
    const { type } = event;
    if (type === 'speech.final') this.#emit({ type, at, id }, speechData(utterance), turnIndex);
    if (type === 'bot.message') this.#emit({ type, at, id }, { turn_index: turnIndex, text }, turnIndex);
    return true;
  }
}

/**
 * Applies the passage of time: ends a conversation that lasts too long, as of its last event, or
 * makes one that has ended final. Emits its end and its transcript.
 */
export function settle(before: Conversation, nowMs: number): FoldResult {
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
  if (!draft.endSent) emitEnd(draft, emit);
  draft.settledAt = nowMs;
  draft.dueAt = null;
  draft.transcriptReady = true;
  const hasNothing = draft.revision === 0 && draft.endReason !== null && isUnanswered(draft.endReason);
  if (draft.announcedRevision !== draft.revision && !hasNothing) announce(draft, emit, nowMs);
  return toFoldResult(before, draft, { emissions, turns: [], recorded: [], ignored: [], rejected: [] });
}

/** The cause of an event that a conversation has once, by any reporter. */
const ONCE = '';

type Emit = (
  emitted: Pick<Emission, 'type' | 'at'> & { readonly id: string },
  data: Emission['data'],
  turnIndex?: number | null,
  trace?: Emission['trace'],
) => void;

function emitter(draft: Draft, emissions: Emission[], cause: () => Emission['trace']): Emit {
  return ({ type, at, id }, data, turnIndex = null, trace = cause()) => {
    draft.sequence += 1;
    emissions.push({ type, at, sequence: draft.sequence, turnIndex, cause: id, data, trace });
  };
}

function emitEnd(draft: Draft, emit: Emit): void {
  draft.endSent = true;
  const { fatal, ended } = draft.facts;
  if (draft.error) {
    const data = { error: { ...draft.error, fatal: true } };
    emit({ type: 'conversation.error', at: fatal!.at, id: ONCE }, data, null, fatal!.trace);
  } else emit({ type: 'conversation.ended', at: draft.endedAt!, id: ONCE }, {}, null, ended?.trace);
}

/** Times of clocks that are ahead of ours count as now. */
function updateHeardAt(draft: Draft, { at }: ReportedEvent, nowMs: number): void {
  const heardAt = Math.min(at, nowMs);
  if (draft.settledAt === null && heardAt > (draft.facts.heardAt ?? -Infinity))
    draft.facts = { ...draft.facts, heardAt };
}

function announce(draft: Draft, emit: Emit, nowMs: number): void {
  draft.announcedRevision = draft.revision;
  emit({ type: 'transcript.ready', at: nowMs, id: String(draft.revision) }, {});
}

function applyBot(draft: Draft, { at, id, botId }: ReportedEvent): void {
  if (botId === null || (draft.settledAt !== null && draft.botId !== null)) return;
  const fact = { at, id, botId };
  if (pickEarlier(draft.facts.bot, fact) !== fact) return;
  draft.facts = { ...draft.facts, bot: fact };
  draft.botId = botId;
}

type TurnEvent = Extract<ReportedEvent, { readonly type: TurnEventType }>;
const isTurn = (event: ReportedEvent): event is TurnEvent => Object.hasOwn(TURN_ROLES, event.type);

function speechData({ turnIndex, text, confidence, startMs, endMs }: Utterance): Emission['data'] {
  return { turn_index: turnIndex, text, confidence, start_ms: startMs, end_ms: endMs };
}

/** Analytics count it, and a failure alerts its organisation, when it becomes final. */
function toFoldResult(
  before: Conversation,
  draft: Draft,
  rest: Pick<FoldResult, 'emissions' | 'turns' | 'recorded' | 'ignored' | 'rejected'>,
): FoldResult {
  const count = draft.settledAt !== null && !draft.counted;
  if (count) draft.counted = true;
  const failedNow = draft.status === 'failed' && before.settledAt === null && draft.settledAt !== null;
  return { conversation: draft, ...rest, count, failedNow };
}
