// The timing fields of the composer, and the request members they make
// (docs/notifications.md#timing). Pure.
import type { NotifyBody } from '../api.ts';
import { readList, valueOf } from '../json.rules.ts';

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
  readonly many: 'each' | 'throttle' | 'digest';
  readonly key: string;
  readonly seconds: string;
  /** JSON. */
  readonly steps: string;
  readonly expiresAt: string;
  readonly callbackUrl: string;
  readonly tracked: readonly Tracked[];
}

export type Tracked = 'opens' | 'clicks';

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
  steps: '',
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

/** Passes incomplete input on: the service says what is missing. */
export function timingOf(timing: Timing): Members {
  const { quietFrom, quietUntil, windowFrom, windowUntil, days, many } = timing;
  const steps = valueOf(readList(timing.steps));
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
    ...(many === 'throttle' && { throttle: { key: timing.key.trim(), per: Number(timing.seconds) } }),
    ...(many === 'digest' && { digest: { key: timing.key.trim(), window: Number(timing.seconds) } }),
    ...(steps !== undefined && { steps: steps as NonNullable<NotifyBody['steps']> }),
    ...(timing.expiresAt !== '' && { expires_at: secondsOf(timing.expiresAt) }),
    ...(timing.tracked.length > 0 && {
      track: Object.fromEntries(timing.tracked.map((what) => [what, true])),
    }),
    ...(timing.callbackUrl.trim() !== '' && { callback_url: timing.callbackUrl.trim() }),
  };
}
