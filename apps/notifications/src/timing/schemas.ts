// Members of a request that decide when a send goes out (docs/notifications.md#timing).
import { z } from 'zod';
import type { ChannelName } from '@parley/jobs';
import { isTimeZone } from '@parley/server/runtime';
import { notificationsDialect } from '@parley/envelopes';
import { RULE_CHARS_MAX } from './recurrence.ts';

const { timeInput } = notificationsDialect;

const DAY_SECONDS = 24 * 60 * 60;
/** The same limit as `send_at`. */
const SECONDS_MAX = 30 * DAY_SECONDS;
const STEPS_MAX = 4;
const KEY_CHARS_MAX = 255;

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, such as 22:00');
const endOfDay = z
  .string()
  .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time of day, such as 18:00, or 24:00');
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const quietHours = z
  .strictObject({ from: timeOfDay, until: timeOfDay })
  .refine(({ from, until }) => from !== until, 'must not begin when they end')
  .meta({ id: 'QuietHours' });
const sendWindow = z
  .strictObject({
    from: timeOfDay,
    until: endOfDay,
    days: z.array(z.enum(DAYS)).min(1).max(DAYS.length).optional().describe('Default: every day'),
  })
  .refine(({ from, until }) => from < until, 'must begin before it ends')
  .meta({ id: 'SendWindow' });

const clockTime = z
  .strictObject({
    time: timeOfDay,
    days: z.array(z.enum(DAYS)).min(1).max(DAYS.length).optional().describe('Default: every day'),
  })
  .meta({ id: 'ClockTime' });

export const timingKey = z
  .string()
  .regex(/^\P{Cc}{1,255}$/u, `must be 1 to ${KEY_CHARS_MAX} characters without control characters`);
const seconds = z.int().min(1).max(SECONDS_MAX);

const digestEnd = {
  window: seconds.optional().describe('Seconds after the first send'),
  at: clockTime.optional().describe('A time of day in `timezone`, on the given days'),
};
const hasOneEnd = ({ window, at }: { readonly window?: unknown; readonly at?: unknown }) =>
  (window === undefined) !== (at === undefined);
const HAS_ONE_END = 'must have exactly one of window and at';

export const UNLESS = ['read', 'delivered', 'clicked'] as const;

/** Built from the channels of this deployment. */
export function timingMembers(channels: ReadonlyMap<ChannelName, unknown>) {
  const known = z.enum([...channels.keys()]);
  return {
    timezone: z
      .string()
      .max(64)
      .refine(isTimeZone, 'must be a time zone, such as Europe/Berlin')
      .optional()
      .describe(
        'Time zone of quiet_hours, send_window and the time of a digest, for example Europe/Berlin. Default: the time zone of the recipient',
      ),
    quiet_hours: quietHours
      .optional()
      .describe(
        'No messages from `from` to `until`; over midnight when `from` is later. Inbox and webhook do not wait',
      ),
    send_window: sendWindow
      .optional()
      .describe('Messages go out only in this window. Inbox and webhook do not wait'),
    throttle: z
      .strictObject({ key: timingKey, per: seconds.describe('Seconds') })
      .optional()
      .describe('Sends one of several sends with this key in a period, and rejects the rest'),
    digest: z
      .strictObject({ key: timingKey, ...digestEnd })
      .refine(hasOneEnd, HAS_ONE_END)
      .optional()
      .describe('Combines sends with this key, target and template into one when the window ends'),
    steps: z
      .array(
        z.strictObject({
          channels: z.array(known).min(1).max(channels.size),
          after: seconds.describe('Seconds after the send'),
          unless: z
            .enum(UNLESS)
            .optional()
            .describe(
              'Skips the step when the item was read, another channel delivered, or the notification was clicked',
            ),
        }),
      )
      .min(1)
      .max(STEPS_MAX)
      .optional()
      .describe('Channels that follow later, each with its target'),
  } as const;
}

/** The same for a workflow, which derives the keys from each send. */
export function workflowTimingMembers(channels: ReadonlyMap<ChannelName, unknown>) {
  const { throttle: _throttle, digest: _digest, ...members } = timingMembers(channels);
  return {
    ...members,
    throttle: z
      .strictObject({ per: seconds.describe('Seconds') })
      .optional()
      .describe('Sends one of several sends to the same target in a period, and rejects the rest'),
    digest: z
      .strictObject(digestEnd)
      .refine(hasOneEnd, HAS_ONE_END)
      .optional()
      .describe('Combines sends to the same target into one when the window ends'),
  } as const;
}

/** Makes a send recur. */
export const schedule = z
  .strictObject({
    rrule: z
      .string()
      .min(1)
      .max(RULE_CHARS_MAX)
      .describe('Rule of RFC 5545, for example FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0'),
    timezone: z
      .string()
      .max(64)
      .refine(isTimeZone, 'must be a time zone, such as Europe/Berlin')
      .optional()
      .describe('Default: the time zone of the recipient'),
    starts_at: timeInput
      .optional()
      .describe('Epoch seconds: the first possible occurrence. Default: the next full minute'),
  })
  .meta({ id: 'Schedule' });
export type Schedule = z.output<typeof schedule>;

type Members = ReturnType<typeof timingMembers>;
export type TimingRequest = { readonly [Name in keyof Members]?: z.output<Members[Name]> };

/** Channels of `channels` and `steps` with their paths. Skips malformed ones. */
export function requestedChannels({ channels, steps }: { channels?: unknown; steps?: unknown }) {
  const first = Array.isArray(channels)
    ? channels.map((name: unknown, index) => ({ name, path: ['channels', index] }))
    : [];
  const later = (Array.isArray(steps) ? (steps as unknown[]) : []).flatMap((step, at) => {
    const { channels: names } = (step ?? {}) as { channels?: unknown };
    return Array.isArray(names)
      ? names.map((name: unknown, index) => ({ name, path: ['steps', at, 'channels', index] }))
      : [];
  });
  return [...first, ...later];
}

/** Checks between the members. */
export function addTimingProblems(request: { [name: string]: unknown }, context: z.RefinementCtx): void {
  const problem = (name: string, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  const { timezone, digest, throttle, send_at: sendAt, template, dry_run: dryRun } = request;
  const usesClock =
    (digest as { at?: unknown } | undefined)?.at ?? request['quiet_hours'] ?? request['send_window'];
  if (timezone !== undefined && usesClock === undefined)
    problem('timezone', 'needs quiet_hours, send_window or digest.at');
  if (digest === undefined) return;
  if (template === undefined) problem('digest', 'needs a template, which renders the items');
  if (throttle !== undefined) problem('digest', 'is not allowed with throttle');
  if (sendAt !== undefined) problem('digest', 'is not allowed with send_at');
  if (dryRun === true) problem('digest', 'is not allowed with dry_run: preview the template instead');
}
