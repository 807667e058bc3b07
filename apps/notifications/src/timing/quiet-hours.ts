// Pure: when chat, e-mail and web push may reach a person by their clock. The time zone defines
// each day, including days on which clocks change.
import { DateTime } from 'luxon';
import { z } from 'zod';
import type { ChannelName } from '@parley/jobs';

type ZonedTime = DateTime<boolean>;

/** Stored in the plan of a delivery. */
export const hoursSchema = z.object({
  timezone: z.string(),
  quiet: z.object({ from: z.string(), until: z.string() }).optional(),
  window: z.object({ from: z.string(), until: z.string(), days: z.array(z.string()).optional() }).optional(),
});
export type Hours = z.output<typeof hoursSchema>;

/** Inbox and webhook do not interrupt anybody. */
const INTERRUPTING: ReadonlySet<ChannelName> = new Set<ChannelName>(['chat', 'email', 'web_push']);

export function isInterrupting(channel: ChannelName): boolean {
  return INTERRUPTING.has(channel);
}

const DAY_NAMES = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
/** Bounds the search: each weekday has at most a quiet period and a window. */
const STEPS_MAX = 24;

/** The first allowed moment at or after `fromMs`; null when there is none within two weeks. */
export function findAllowedTime({ timezone, quiet, window }: Hours, fromMs: number): number | null {
  let at: ZonedTime = DateTime.fromMillis(fromMs, { zone: timezone });
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const time = at.toFormat('HH:mm');
    if (quiet && isQuiet(quiet, time)) at = stopAtChange(at, nextTimeOfDay(at, quiet.until));
    else if (window && !isOpen(window, at, time)) at = stopAtChange(at, nextOpening(window, at));
    else return at.toMillis();
  }
  return null;
}

/** A time of day and, if given, weekdays. */
export interface ClockTime {
  readonly time: string;
  readonly days?: readonly string[] | undefined;
}

/** The next moment after `fromMs` when the clock shows this time, or skips it. */
export function findNextClockTime(timezone: string, { time, days }: ClockTime, fromMs: number): number {
  const at = DateTime.fromMillis(fromMs, { zone: timezone });
  return nextOpening({ from: time, days }, at).toMillis();
}

/** True when no moment is ever allowed. */
export function isNeverAllowed(hours: Hours): boolean {
  return hours.quiet !== undefined && hours.window !== undefined && findAllowedTime(hours, 0) === null;
}

function isQuiet({ from, until }: { from: string; until: string }, time: string): boolean {
  return from < until ? time >= from && time < until : time >= from || time < until;
}

function isOpen({ from, until, days }: NonNullable<Hours['window']>, at: ZonedTime, time: string): boolean {
  return time >= from && time < until && (days?.includes(DAY_NAMES[at.weekday - 1]!) ?? true);
}

const DAY_MS = 24 * 60 * 60_000;

/** The next time the clock shows `time`, or the change that skips it. */
function nextTimeOfDay(at: ZonedTime, time: string): ZonedTime {
  const [hour, minute] = time.split(':').map(Number) as [number, number];
  const shownMs = ((at.hour * 60 + at.minute) * 60 + at.second) * 1_000 + at.millisecond;
  const waitMs = ((hour * 60 + minute) * 60_000 - shownMs + DAY_MS) % DAY_MS;
  // By the clock of before. A time zone's next change is months away.
  const next = at.plus({ milliseconds: waitMs || DAY_MS });
  if (next.offset === at.offset) return next;
  const change = findChange(at, next);
  const skippedMs = (change.offset - at.offset) * 60_000;
  const isReached = next.diff(change).toMillis() <= skippedMs || change.toFormat('HH:mm') === time;
  return isReached ? change : nextTimeOfDay(change, time);
}

/** A clock change before `next` may allow a message earlier, and ends what its gap contains. */
function stopAtChange(at: ZonedTime, next: ZonedTime): ZonedTime {
  return next.offset === at.offset ? next : findChange(at, next);
}

/** The moment between the two, which have different offsets, at which the offset changes. */
export function findChange(before: ZonedTime, after: ZonedTime): ZonedTime {
  let [low, high] = [before.toMillis(), after.toMillis()];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (DateTime.fromMillis(middle, { zone: before.zone }).offset === before.offset) low = middle;
    else high = middle;
  }
  return DateTime.fromMillis(high, { zone: before.zone });
}

function nextOpening(
  { from, days }: { readonly from: string; readonly days?: readonly string[] | undefined },
  at: ZonedTime,
): ZonedTime {
  let opening = nextTimeOfDay(at, from);
  while (days && !days.includes(DAY_NAMES[opening.weekday - 1]!)) opening = nextTimeOfDay(opening, from);
  return opening;
}
