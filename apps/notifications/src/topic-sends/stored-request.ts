// The stored request of a send to a topic, kept until the last member has a notification. Holds no
// members that concern the send as a whole.
import { z } from 'zod';
import { anyObject } from '@parley/envelopes';
import { CHANNEL_NAMES } from '@parley/jobs';
import type { Channels } from '../channels/channels.ts';
import type { PlannedSend } from '../accept/send.ts';
import { track } from '../engagements/schemas.ts';
import type { NotifyRequest } from '../accept/request/notify-request.ts';
import { templateUse } from '../templates/schemas.ts';
import { timingMembers } from '../timing/schemas.ts';
import { locale } from '../rendering/template-content.ts';

export function createStoredRequestSchema(channels: Channels) {
  const { steps, timezone, quiet_hours, send_window } = timingMembers(channels);
  return z.object({
    channels: z.array(z.enum(CHANNEL_NAMES)),
    target: anyObject,
    /** With the version at accept time: all members get the same. */
    template: templateUse.optional(),
    locale: locale.optional(),
    steps,
    timezone,
    quiet_hours,
    send_window,
    track: track.optional(),
    /** Largest size of one member's rows over all languages. */
    member_bytes: z.int(),
  });
}
export type StoredRequest = z.output<ReturnType<typeof createStoredRequestSchema>>;

/** `accepted`: channels that the organisation has configured. */
export function toStoredRequest(
  request: NotifyRequest,
  accepted: readonly string[],
  templateVersion: number | undefined,
  memberBytes: number,
): StoredRequest {
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

/** Bytes of one member's rows. */
export function countMemberBytes({ notice, planned }: PlannedSend): number {
  const plans = planned.map(
    ({ planned: { plain, sealed = '' } }) =>
      Buffer.byteLength(JSON.stringify(plain)) + Buffer.byteLength(sealed),
  );
  // The text is stored in the notification and in the inbox item.
  return plans.reduce((all, bytes) => all + bytes, 2 * Buffer.byteLength(notice.message));
}
