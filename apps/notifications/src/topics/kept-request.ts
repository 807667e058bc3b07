// What is kept of a send to a topic until its last member has their part: the request, without what concerns all members together.
import { z } from 'zod';
import { anyObject } from '@parley/envelopes';
import { CHANNEL_NAMES } from '@parley/queues';
import type { Channels } from '../channels/channels.ts';
import type { PlannedSend } from '../notify/accept-notification.ts';
import { track } from '../engagements/schemas.ts';
import type { NotifyRequest } from '../notify/request/notify-request.ts';
import { locale, templateUse } from '../templates/schemas.ts';
import { timingMembers } from '../timing/schemas.ts';

export function keptRequest(channels: Channels) {
  const { steps, timezone, quiet_hours, send_window } = timingMembers(channels);
  return z.object({
    channels: z.array(z.enum(CHANNEL_NAMES)),
    target: anyObject,
    /** As it was when the send was accepted: all members get the same. */
    template: templateUse.optional(),
    locale: locale.optional(),
    steps,
    timezone,
    quiet_hours,
    send_window,
    track: track.optional(),
    /** What a member's part takes, in the language in which it is longest. */
    member_bytes: z.int(),
  });
}
export type KeptRequest = z.output<ReturnType<typeof keptRequest>>;

/** `accepted`: what the configuration of the organisation lacks is no member's. */
export function keptOf(
  request: NotifyRequest,
  accepted: readonly string[],
  templateVersion: number | undefined,
  memberBytes: number,
): KeptRequest {
  const { channels, target, template, locale: language, steps } = request;
  const { timezone, quiet_hours, send_window, track: tracked } = request;
  const later = steps
    ?.map((step) => ({ ...step, channels: step.channels.filter((name) => accepted.includes(name)) }))
    .filter((step) => step.channels.length > 0);
  return {
    channels: channels.filter((name) => accepted.includes(name)),
    target: Object.fromEntries(Object.entries(target).filter(([name]) => accepted.includes(name))),
    template: template && { ...template, version: templateVersion },
    locale: language,
    steps: later?.length ? later : undefined,
    timezone,
    quiet_hours,
    send_window,
    track: tracked,
    member_bytes: memberBytes,
  };
}

/** Of the rows of one member. */
export function bytesOf({ notice, planned }: PlannedSend): number {
  const plans = planned.map(
    ({ planned: { plain, sealed = '' } }) =>
      Buffer.byteLength(JSON.stringify(plain)) + Buffer.byteLength(sealed),
  );
  // The text stands in the notification and in the item of the inbox.
  return plans.reduce((all, bytes) => all + bytes, 2 * Buffer.byteLength(notice.message));
}
