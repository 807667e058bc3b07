// The states of a conversation and what leads from one to the next (docs/voice-api.md#states). Pure.
//
// What counts is the order in which things happened, not the one in which they arrive: the few facts that decide about the
// state are kept, and the state is what the machine makes of them in the order of their time.

import type { Trace } from '@parley/queues';
import type { Cost } from './events/after-call.rules.ts';

export const STATUSES = [
  'initiated',
  'in_progress',
  'processing',
  'completed',
  'failed',
  'no_answer',
  'busy',
  'canceled',
] as const;
export type Status = (typeof STATUSES)[number];

export const END_REASONS = [
  'user_hangup',
  'bot_hangup',
  'flow_completed',
  'handed_off',
  'transferred',
  'silence',
  'max_duration',
  'voicemail',
  'no_answer',
  'busy',
  'canceled',
  'timed_out',
  'error',
  'other',
] as const;
export type EndReason = (typeof END_REASONS)[number];

export function isEndReason(text: string): text is EndReason {
  return (END_REASONS as readonly string[]).includes(text);
}

export const ENDERS = ['user', 'bot', 'system', 'api'] as const;
export type Ender = (typeof ENDERS)[number];

/** The end reasons that are states of their own: nobody took part. */
type Unanswered = 'no_answer' | 'busy' | 'canceled';
type Trigger = 'start' | 'end' | 'fail' | 'complete' | Unanswered;

/**
 * From where a trigger leads where; anything else is illegal and changes nothing. A conversation ends as unanswered also
 * when its start was reported: some runtimes report it when they begin to dial, and it may arrive after the end.
 */
const TRANSITIONS: Readonly<Record<Trigger, Partial<Record<Status, Status>>>> = {
  start: { initiated: 'in_progress' },
  end: { initiated: 'processing', in_progress: 'processing' },
  no_answer: { initiated: 'no_answer', in_progress: 'no_answer' },
  busy: { initiated: 'busy', in_progress: 'busy' },
  canceled: { initiated: 'canceled', in_progress: 'canceled' },
  fail: { initiated: 'failed', in_progress: 'failed', processing: 'failed' },
  complete: { processing: 'completed' },
};

/** Undefined: the transition is illegal. */
export function nextStatus(status: Status, trigger: Trigger): Status | undefined {
  return TRANSITIONS[trigger][status];
}

export function isUnanswered(reason: string): reason is Unanswered {
  return reason === 'no_answer' || reason === 'busy' || reason === 'canceled';
}

/** Where something stands in the order of events: by time; at the same moment by what it is, then by its id. */
export interface Moment {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly id: string;
  /** What brought it, where it will be told because of it. */
  readonly trace?: Trace | undefined;
}

/** What events may say beside: of several that do, the one that stands later in the life of a conversation. */
export interface Alongside {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly cost?: Cost;
  readonly recordingUrl?: string;
}

export interface End extends Moment, Alongside {
  readonly reason: EndReason;
  readonly detail: string | null;
  readonly by: Ender;
  /** As the runtime says; null: from start to end. */
  readonly durationSeconds: number | null;
}

export interface Failure extends Moment {
  readonly code: string;
  readonly message: string;
  /** Of our own making: it lasted too long. */
  readonly timedOut?: true;
}

/** The earliest event of each kind that decides about the state. Whatever order they arrive in, the same ones are left. */
export interface Facts {
  readonly bot?: Moment & { readonly botId: string };
  readonly started?: Moment & { readonly metadata?: Alongside['metadata'] };
  readonly ended?: End;
  readonly fatal?: Failure;
  readonly ready?: Moment & Alongside;
  /** What a PATCH decided: no event changes it any more. */
  readonly set?: readonly (keyof Alongside)[];
  /** The time of the latest event of any kind, in epoch milliseconds. */
  readonly heardAt?: number;
}

/** Negative when `a` comes before `b`; two facts of one kind. */
export function compareMoments(a: Moment, b: Moment): number {
  return a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

export function earlier<Fact extends Moment>(known: Fact | undefined, other: Fact): Fact {
  return known === undefined || compareMoments(other, known) < 0 ? other : known;
}

/** What the facts come to. Times are epoch milliseconds. */
export interface ReplayedState {
  readonly status: Status;
  readonly endedAt: number | null;
  readonly durationSeconds: number | null;
  readonly endReason: EndReason | null;
  readonly endDetail: string | null;
  readonly endedBy: Ender | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** At one moment things happen in this order: a start is never after its own end, a failure never after the end it explains. */
const RANKS = ['started', 'fatal', 'ended', 'ready'] as const;

/** Runs the machine over the facts in the order in which they happened. */
export function replay(facts: Facts): ReplayedState {
  const steps = RANKS.flatMap((kind) => (facts[kind] ? [{ kind, at: facts[kind].at }] : []));
  steps.sort((a, b) => a.at - b.at); // stable: RANKS decide between equal times
  let status: Status = 'initiated';
  let end: Moment | undefined;
  let isReady = false;
  let failed = false;
  const go = (trigger: Trigger): boolean => {
    const next = nextStatus(status, trigger);
    if (next) status = next;
    return next !== undefined;
  };

  for (const { kind } of steps) {
    if (kind === 'started') go('start');
    if (kind === 'ended') {
      const { reason } = facts.ended!;
      if (go(isUnanswered(reason) ? reason : 'end')) end = facts.ended;
    }
    if (kind === 'fatal' && go('fail')) {
      failed = true;
      end ??= facts.fatal;
    }
    if (kind === 'ready') isReady = true;
    if (isReady) go('complete');
  }

  const said = end === facts.ended ? facts.ended : undefined;
  const fatal = failed ? facts.fatal : undefined;
  return {
    status,
    endedAt: end?.at ?? null,
    durationSeconds: said?.durationSeconds ?? between(facts.started, end),
    endReason: fatal ? (fatal.timedOut ? 'timed_out' : 'error') : (said?.reason ?? null),
    endDetail: said?.detail ?? null,
    endedBy: fatal ? 'system' : (said?.by ?? null),
    error: fatal ? { code: fatal.code, message: fatal.message } : null,
  };
}

/** In seconds; clocks that disagree make no negative duration. */
function between(start: Moment | undefined, end: Moment | undefined): number | null {
  return start && end ? Math.max(0, end.at - start.at) / 1000 : null;
}

/** Who ended it, where the runtime does not say. */
export function enderOf(reason: EndReason): Ender {
  switch (reason) {
    case 'user_hangup':
      return 'user';
    case 'bot_hangup':
    case 'flow_completed':
    case 'handed_off':
    case 'transferred':
      return 'bot';
    default:
      return 'system';
  }
}
