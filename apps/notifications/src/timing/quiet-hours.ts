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
    if (quiet && isQuiet(quiet, time)) at = nextTimeOfDay(at, quiet.until);
    else if (window && !isOpen(window, at, time)) at = nextOpening(window, at);
    else return at.toMillis();
  }
  return null;
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

/** The next time the clock shows `time`, or the moment after a skip of it. */
function nextTimeOfDay(at: ZonedTime, time: string, days = 0): ZonedTime {
  const [hour, minute] = time.split(':').map(Number) as [number, number];
  const candidate = at.plus({ days }).set({ hour, minute, second: 0, millisecond: 0 });
  return candidate > at ? candidate : nextTimeOfDay(at, time, days + 1);
}

function nextOpening({ from, days }: NonNullable<Hours['window']>, at: ZonedTime): ZonedTime {
  let opening = nextTimeOfDay(at, from);
  while (days && !days.includes(DAY_NAMES[opening.weekday - 1]!)) opening = nextTimeOfDay(opening, from);
  return opening;
}
