// The states of a conversation and their transitions (docs/voice-api.md#states). Pure.
//
// The order in which things happened decides, not the order of arrival. The few deciding facts are
// stored, and the state results from replaying them in the order of their times.

import type { Trace } from '@parley/jobs';
import type { Cost } from './after-call-schemas.ts';

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

/** End reasons that are states of their own: nobody took part. */
type Unanswered = 'no_answer' | 'busy' | 'canceled';
type Trigger = 'start' | 'end' | 'fail' | 'complete' | Unanswered;

/**
 * Legal transitions; anything else changes nothing. A conversation may end as unanswered after its
 * start was reported: some runtimes report the start when they dial, and it may arrive after the
 * end.
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

/** The position of an event in the order: by time, then by kind, then by id. */
export interface Moment {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly id: string;
  /** Its cause, passed on to the events that it emits. */
  readonly trace?: Trace | undefined;
}

/** Members that several events may carry. The event later in the life of a conversation wins. */
export interface CallDetails {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly cost?: Cost;
  readonly recordingUrl?: string;
}

export interface End extends Moment, CallDetails {
  readonly reason: EndReason;
  readonly detail: string | null;
  readonly by: Ender;
  /** As the runtime reported it; null: from start to end. */
  readonly durationSeconds: number | null;
}

export interface Failure extends Moment {
  readonly code: string;
  readonly message: string;
  /** The reaper ended it. */
  readonly timedOut?: true;
}

/** The earliest event of each kind that decides the state. The order of arrival does not matter. */
export interface Facts {
  readonly bot?: Moment & { readonly botId: string };
  readonly started?: Moment & { readonly metadata?: CallDetails['metadata'] };
  readonly ended?: End;
  readonly fatal?: Failure;
  readonly ready?: Moment & CallDetails;
  /** Members set by PATCH; events no longer change them. */
  readonly set?: readonly (keyof CallDetails)[];
  /** It was final before a report said something else: flow steps and alerts counted it. */
  readonly reopened?: true;
  /** Time of the latest event of any kind, in epoch milliseconds. */
  readonly heardAt?: number;
}

/** Negative when `a` comes before `b`. Both are of one kind. */
export function compareMoments(a: Moment, b: Moment): number {
  return a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

export function pickEarlier<Fact extends Moment>(known: Fact | undefined, other: Fact): Fact {
  return known === undefined || compareMoments(other, known) < 0 ? other : known;
}

/** The result of the facts. Times are epoch milliseconds. */
export interface ReplayedState {
  readonly status: Status;
  readonly endedAt: number | null;
  readonly durationSeconds: number | null;
  readonly endReason: EndReason | null;
  readonly endDetail: string | null;
  readonly endedBy: Ender | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** At equal times: a start before its end, a failure before the end that it explains. */
const RANKS = ['started', 'fatal', 'ended', 'ready'] as const;

/** Runs the state machine over the facts in the order of their times. */
export function replay(facts: Facts): ReplayedState {
  const { status, end, fatal } = runStateMachine(facts);
  const reportedEnd = end === facts.ended ? facts.ended : undefined;
  const reported = {
    endReason: reportedEnd?.reason ?? null,
    endedBy: reportedEnd?.by ?? null,
    error: null,
  };
  return {
    status,
    endedAt: end?.at ?? null,
    durationSeconds: reportedEnd?.durationSeconds ?? computeDuration(facts.started, end),
    endDetail: reportedEnd?.detail ?? null,
    ...(fatal ? toFailedEnd(fatal) : reported),
  };
}

function toFailedEnd({ timedOut, code, message }: Failure) {
  return {
    endReason: timedOut ? ('timed_out' as const) : ('error' as const),
    endedBy: 'system' as const,
    error: { code, message },
  };
}

/** `end`: the fact that ended it. `fatal`: the failure, if it failed. */
function runStateMachine(facts: Facts) {
  const steps = RANKS.flatMap((kind) => (facts[kind] ? [{ kind, at: facts[kind].at }] : []));
  steps.sort((a, b) => a.at - b.at); // stable: RANKS decide between equal times
  let status: Status = 'initiated';
  let end: Moment | undefined;
  let fatal: Failure | undefined;
  let isReady = false;
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
      fatal = facts.fatal;
      end ??= facts.fatal;
    }
    if (kind === 'ready') isReady = true;
    if (isReady) go('complete');
  }
  return { status, end, fatal };
}

/** In seconds; never negative, even if clocks disagree. */
function computeDuration(start: Moment | undefined, end: Moment | undefined): number | null {
  return start && end ? Math.max(0, end.at - start.at) / 1000 : null;
}

/** The default when the runtime does not report it. */
export function defaultEnder(reason: EndReason): Ender {
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

interface StoredDetails {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly cost: Cost | null;
  readonly recordingUrl: string | null;
}

/**
 * Resolves metadata, cost and recording of a conversation from its events
 * (docs/voice-api.md#conversation-events). Events later in the life of a conversation win in any
 * order of arrival. Values set by PATCH stay.
 */
export function resolveCallDetails(stored: StoredDetails & { readonly facts: Facts }): StoredDetails {
  const { started, ended, ready, set = [] } = stored.facts;
  const last: CallDetails = { ...ended, ...ready };
  const metadata = { ...started?.metadata, ...ended?.metadata, ...ready?.metadata };
  const isSet = (name: keyof StoredDetails) => set.includes(name);
  return {
    metadata: isSet('metadata') ? stored.metadata : metadata,
    cost: isSet('cost') ? stored.cost : (last.cost ?? null),
    recordingUrl: isSet('recordingUrl') ? stored.recordingUrl : (last.recordingUrl ?? null),
  };
}
