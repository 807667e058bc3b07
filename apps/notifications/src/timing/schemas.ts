// When a send goes out (docs/notifications.md#timing): members of the request.
import { z } from 'zod';
import type { Channels } from '../channels/channels.ts';
import { isTimeZone } from './hours.ts';

const DAY_SECONDS = 24 * 60 * 60;
/** As far ahead as `send_at`. */
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
  .refine(({ from, until }) => from !== until, 'must not begin when they end');
const sendWindow = z
  .strictObject({
    from: timeOfDay,
    until: endOfDay,
    days: z.array(z.enum(DAYS)).min(1).max(DAYS.length).optional().describe('Left out: every day'),
  })
  .refine(({ from, until }) => from < until, 'must begin before it ends');

const key = z
  .string()
  .regex(/^\P{Cc}{1,255}$/u, `must be 1 to ${KEY_CHARS_MAX} characters without control characters`);
const seconds = z.int().min(1).max(SECONDS_MAX);

export const UNLESS = ['read', 'delivered', 'clicked'] as const;

/** The members of a send, of a deployment with these channels. */
export function timingMembers(channels: Channels) {
  const known = z.enum([...channels.keys()]);
  return {
    timezone: z
      .string()
      .max(64)
      .refine(isTimeZone, 'must be a time zone, such as Europe/Berlin')
      .optional()
      .describe('Whose clock quiet_hours and send_window mean; left out: the recipient’s'),
    quiet_hours: quietHours
      .optional()
      .describe(
        'Wait until they are over; over midnight where from is later. The inbox and webhooks do not wait',
      ),
    send_window: sendWindow.optional().describe('Wait for it. The inbox and webhooks do not wait'),
    throttle: z
      .strictObject({ key, per: seconds.describe('Seconds') })
      .optional()
      .describe('One send of this key in so many seconds; the others are rejected'),
    digest: z
      .strictObject({ key, window: seconds.describe('Seconds') })
      .optional()
      .describe('Sends of this key, with the same target and template, become one when the window ends'),
    steps: z
      .array(
        z.strictObject({
          channels: z.array(known).min(1).max(channels.size),
          after: seconds.describe('Seconds after the send'),
          unless: z
            .enum(UNLESS)
            .optional()
            .describe(
              'Not any more when it was read in the inbox, when a channel was delivered, or when it was clicked',
            ),
        }),
      )
      .min(1)
      .max(STEPS_MAX)
      .optional()
      .describe('Channels that follow later, each with its target'),
  } as const;
}

type Members = ReturnType<typeof timingMembers>;
export type TimingRequest = { readonly [Name in keyof Members]?: z.output<Members[Name]> };

/** Every channel of a request, as far as it can be told: `channels` and those of its steps, with where each stands. */
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

/** What lies between the members. */
export function addTimingProblems(request: { [name: string]: unknown }, context: z.RefinementCtx): void {
  const problem = (name: string, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  const { timezone, digest, throttle, send_at: sendAt, template, dry_run: dryRun } = request;
  if (timezone !== undefined && !(request['quiet_hours'] ?? request['send_window']))
    problem('timezone', 'is for quiet_hours and send_window');
  if (digest === undefined) return;
  if (template === undefined) problem('digest', 'needs a template, which says the items');
  if (throttle !== undefined) problem('digest', 'cannot be together with throttle');
  if (sendAt !== undefined) problem('digest', 'cannot be together with send_at');
  if (dryRun === true) problem('digest', 'cannot be tried with dry_run: preview its template');
}
