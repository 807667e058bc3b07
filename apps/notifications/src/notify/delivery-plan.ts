// What a plan says beside what its channel planned, in one member that channels pass over: words of the channel's own, and when it is to be
// sent. What is needed at the attempt stands in the row that is attempted.
import { z } from 'zod';
import type { Notice } from '../channels/channel.ts';
import { hoursSchema } from '../timing/hours.ts';
import { UNLESS } from '../timing/schemas.ts';

const ofSend = z.object({
  /** In place of the notification's: a template has words for each channel. */
  words: z.object({ subject: z.string(), subjectGiven: z.boolean(), message: z.string() }).optional(),
  /** Epoch milliseconds, where it is due at a time of its own. */
  due_at: z.number().optional(),
  hours: hoursSchema.optional(),
  /** Of a step: what makes it needless. */
  unless: z.enum(UNLESS).optional(),
  /** Its words are made of what came together: the template, as it was when the digest began. */
  digest: z.object({ id: z.string(), version: z.int(), locale: z.string().optional() }).optional(),
});
export type OfSend = z.output<typeof ofSend>;

const planned = z.object({ of_send: ofSend.optional() });

export function withOfSend(plain: object, added: OfSend): object {
  return Object.values(added).some((value) => value !== undefined) ? { ...plain, of_send: added } : plain;
}

export function ofSendIn(plain: unknown): OfSend {
  return planned.safeParse(plain).data?.of_send ?? {};
}

/** Of a plan as it is kept, which may be a mebibyte and mostly says nothing of this. */
export function ofSendInText(plan: string): OfSend {
  return plan.includes('"of_send":') ? ofSendIn(JSON.parse(plan)) : {};
}

/** The notification as the channel of this plan says it. */
export function noticeFor(notice: Notice, plain: unknown): Notice {
  const { words, due_at: dueAt } = ofSendIn(plain);
  if (!words && dueAt === undefined) return notice;
  const sendAt = dueAt === undefined ? notice.sendAt : new Date(dueAt);
  return { ...notice, ...words, sendAt };
}
