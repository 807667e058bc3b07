// When chat, e-mail and web push may disturb somebody, by their clock. The moment comes in; what a day has of hours is the time zone's, so
// the days on which clocks change are like any other.
import { DateTime, IANAZone } from 'luxon';
import { z } from 'zod';
import type { ChannelName } from '@parley/queues';

type At = DateTime<boolean>;

/** As it stands in the plan of a delivery. */
export const hoursSchema = z.object({
  timezone: z.string(),
  quiet: z.object({ from: z.string(), until: z.string() }).optional(),
  window: z.object({ from: z.string(), until: z.string(), days: z.array(z.string()).optional() }).optional(),
});
export type Hours = z.output<typeof hoursSchema>;

/** An inbox disturbs nobody, and a webhook is read by a program. */
const DISTURBING: ReadonlySet<ChannelName> = new Set<ChannelName>(['chat', 'email', 'web_push']);

export function disturbs(channel: ChannelName): boolean {
  return DISTURBING.has(channel);
}

/** A name, not an offset: `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  return IANAZone.isValidZone(name);
}

const DAY_NAMES = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
/** Quiet hours and windows follow each other at most once a day of the week, and a little. */
const LOOKS_MAX = 24;

/** The first moment from then on that is allowed; null when there is none within a week or two. */
export function allowedFrom({ timezone, quiet, window }: Hours, fromMs: number): number | null {
  let at: At = DateTime.fromMillis(fromMs, { zone: timezone });
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const time = at.toFormat('HH:mm');
    if (quiet && isQuiet(quiet, time)) at = next(at, quiet.until);
    else if (window && !isOpen(window, at, time)) at = nextOpening(window, at);
    else return at.toMillis();
  }
  return null;
}

/** True when nothing is ever allowed. */
export function hoursProblem(hours: Hours): boolean {
  return hours.quiet !== undefined && hours.window !== undefined && allowedFrom(hours, 0) === null;
}

function isQuiet({ from, until }: { from: string; until: string }, time: string): boolean {
  return from < until ? time >= from && time < until : time >= from || time < until;
}

function isOpen({ from, until, days }: NonNullable<Hours['window']>, at: At, time: string): boolean {
  return time >= from && time < until && (days?.includes(DAY_NAMES[at.weekday - 1]!) ?? true);
}

/** The next time that a clock there shows `time`; where it skips it, the moment after the skip. */
function next(at: At, time: string, days = 0): At {
  const [hour, minute] = time.split(':').map(Number) as [number, number];
  const candidate = at.plus({ days }).set({ hour, minute, second: 0, millisecond: 0 });
  return candidate > at ? candidate : next(at, time, days + 1);
}

function nextOpening({ from, days }: NonNullable<Hours['window']>, at: At): At {
  let opening = next(at, from);
  while (days && !days.includes(DAY_NAMES[opening.weekday - 1]!)) opening = next(opening, from);
  return opening;
}
