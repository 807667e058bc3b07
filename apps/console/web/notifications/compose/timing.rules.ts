// The timing fields of the composer, and the request members they make
// (docs/notifications.md#timing). Pure.
import type { NotifyBody } from '../api.ts';
import type { components } from '@parley/sdk/notifications';
import type { Channel } from '../channels.ts';

type Window = NonNullable<NotifyBody['send_window']>;
export type Day = NonNullable<Window['days']>[number];

const DAY_LABELS: Readonly<Record<Day, string>> = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
};
export const DAYS = Object.keys(DAY_LABELS) as readonly Day[];
export const dayLabel = (day: Day): string => DAY_LABELS[day];

export interface Timing {
  readonly quietFrom: string;
  readonly quietUntil: string;
  readonly windowFrom: string;
  readonly windowUntil: string;
  readonly days: readonly Day[];
  readonly timezone: string;
  /** Several sends with one key: send each, one per period, or all as one. */
  readonly many: 'each' | 'throttle' | 'digest' | 'digestAt';
  readonly key: string;
  readonly seconds: string;
  /** The time of day and the days on which a digest ends. */
  readonly digestTime: string;
  readonly digestDays: readonly Day[];
  readonly steps: readonly StepDraft[];
  readonly expiresAt: string;
  readonly callbackUrl: string;
  readonly tracked: readonly Tracked[];
}

export type Tracked = 'opens' | 'clicks';

/** Channels that follow later. */
export interface StepDraft {
  readonly channels: readonly Channel[];
  /** Seconds. */
  readonly after: string;
  readonly unless: '' | Unless;
}

type Step = NonNullable<NotifyBody['steps']>[number];
export type Unless = NonNullable<Step['unless']>;

export const emptyStep: StepDraft = { channels: [], after: '', unless: '' };
export const STEPS_MAX = 4;

export const emptyTiming: Timing = {
  quietFrom: '',
  quietUntil: '',
  windowFrom: '',
  windowUntil: '',
  days: [],
  timezone: '',
  many: 'each',
  key: '',
  seconds: '',
  digestTime: '',
  digestDays: [],
  steps: [],
  expiresAt: '',
  callbackUrl: '',
  tracked: [],
};

type Members = Pick<
  NotifyBody,
  | 'quiet_hours'
  | 'send_window'
  | 'timezone'
  | 'throttle'
  | 'digest'
  | 'steps'
  | 'expires_at'
  | 'callback_url'
  | 'track'
>;

export const secondsOf = (local: string): number => Math.floor(new Date(local).getTime() / 1000);

type Workflow = components['schemas']['WorkflowRequest'];
type WorkflowMembers = Pick<
  Workflow,
  'quiet_hours' | 'send_window' | 'timezone' | 'throttle' | 'digest' | 'steps' | 'track'
>;

/** Passes incomplete input on: the service says what is missing. */
export function timingOf(timing: Timing): Members {
  const { throttle, digest, ...members } = workflowTimingOf(timing);
  const key = timing.key.trim();
  return {
    ...members,
    ...(throttle && { throttle: { key, ...throttle } }),
    ...(digest && { digest: { key, ...digest } }),
    ...(timing.expiresAt !== '' && { expires_at: secondsOf(timing.expiresAt) }),
    ...(timing.callbackUrl.trim() !== '' && { callback_url: timing.callbackUrl.trim() }),
  };
}

/** The members of a workflow, which has no keys. */
export function workflowTimingOf(timing: Timing): WorkflowMembers {
  const { quietFrom, quietUntil, windowFrom, windowUntil, days, many, steps } = timing;
  return {
    ...(quietFrom + quietUntil !== '' && { quiet_hours: { from: quietFrom, until: quietUntil } }),
    ...((windowFrom + windowUntil !== '' || days.length > 0) && {
      send_window: {
        from: windowFrom || '00:00',
        // A browser's time input has no 24:00.
        until: windowUntil === '' || windowUntil === '00:00' ? '24:00' : windowUntil,
        ...(days.length > 0 && { days: [...days] }),
      },
    }),
    ...(timing.timezone.trim() !== '' && { timezone: timing.timezone.trim() }),
    ...(many === 'throttle' && { throttle: { per: Number(timing.seconds) } }),
    ...(many === 'digest' && { digest: { window: Number(timing.seconds) } }),
    ...(many === 'digestAt' && {
      digest: {
        at: {
          time: timing.digestTime,
          ...(timing.digestDays.length > 0 && { days: [...timing.digestDays] }),
        },
      },
    }),
    ...(steps.length > 0 && { steps: steps.map(stepOf) }),
    ...(timing.tracked.length > 0 && {
      track: Object.fromEntries(timing.tracked.map((what) => [what, true])),
    }),
  };
}

const stepOf = ({ channels, after, unless }: StepDraft): Step => ({
  channels: [...channels],
  after: Number(after),
  ...(unless !== '' && { unless }),
});

/** The form with what a stored workflow has. */
export function timingFrom(workflow: WorkflowMembers): Timing {
  const { quiet_hours: quiet, send_window: window, throttle, digest, steps = [], track } = workflow;
  return {
    ...emptyTiming,
    quietFrom: quiet?.from ?? '',
    quietUntil: quiet?.until ?? '',
    windowFrom: window?.from ?? '',
    windowUntil: window === undefined || window.until === '24:00' ? '' : window.until,
    days: window?.days ?? [],
    timezone: workflow.timezone ?? '',
    many: manyFrom(workflow),
    seconds: String(throttle?.per ?? digest?.window ?? ''),
    digestTime: digest?.at?.time ?? '',
    digestDays: digest?.at?.days ?? [],
    steps: steps.map((step) => ({ ...step, after: String(step.after), unless: step.unless ?? '' })),
    tracked: (['clicks', 'opens'] as const).filter((what) => track?.[what] === true),
  };
}

function manyFrom({ throttle, digest }: WorkflowMembers): Timing['many'] {
  if (throttle) return 'throttle';
  if (digest) return digest.at ? 'digestAt' : 'digest';
  return 'each';
}
