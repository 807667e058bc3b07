// What a plan says beside what its channel planned, in one member that channels pass over: words of the channel's own. What is needed at
// the attempt stands in the row that is attempted.
import { z } from 'zod';
import type { Notice } from '../channels/channel.ts';

const ofSend = z.object({
  /** In place of the notification's: a template has words for each channel. */
  words: z.object({ subject: z.string(), subjectGiven: z.boolean(), message: z.string() }).optional(),
});
export type OfSend = z.output<typeof ofSend>;

const planned = z.object({ of_send: ofSend.optional() });

export function withOfSend(plain: object, added: OfSend): object {
  return Object.values(added).some((value) => value !== undefined) ? { ...plain, of_send: added } : plain;
}

export function ofSendIn(plain: unknown): OfSend {
  return planned.safeParse(plain).data?.of_send ?? {};
}

/** The notification as the channel of this plan says it. */
export function noticeFor(notice: Notice, plain: unknown): Notice {
  const { words } = ofSendIn(plain);
  return words ? { ...notice, ...words } : notice;
}
