// What the send adds to a channel's plan, in a member that channels ignore: texts, due time and
// conditions. The attempted row holds everything that an attempt needs.
import { z } from 'zod';
import type { Notice } from '../channels/channel.ts';
import { hoursSchema } from '../timing/quiet-hours.ts';
import { UNLESS } from '../timing/schemas.ts';

const sendOptions = z.object({
  /** Replaces the notification's texts: a template has texts for each channel. */
  words: z.object({ subject: z.string(), subjectGiven: z.boolean(), message: z.string() }).optional(),
  /** Epoch milliseconds, when the channel has a due time of its own. */
  due_at: z.number().optional(),
  hours: hoursSchema.optional(),
  /** Of a step: the condition that makes it needless. */
  unless: z.enum(UNLESS).optional(),
  /** A digest renders its texts when it is sent, from this version of the template. */
  digest: z.object({ id: z.string(), version: z.int(), locale: z.string().optional() }).optional(),
});
export type SendOptions = z.output<typeof sendOptions>;

const storedPlan = z.object({ of_send: sendOptions.optional() });

export function addSendOptions(plain: object, added: SendOptions): object {
  return Object.values(added).some((value) => value !== undefined) ? { ...plain, of_send: added } : plain;
}

export function readSendOptions(plain: unknown): SendOptions {
  return storedPlan.safeParse(plain).data?.of_send ?? {};
}

/** Reads a stored plan, which may be a mebibyte and mostly has no options. */
export function readStoredSendOptions(plan: string): SendOptions {
  return plan.includes('"of_send":') ? readSendOptions(JSON.parse(plan)) : {};
}

/** The notification with the texts and the time of this plan. */
export function noticeFor(notice: Notice, plain: unknown): Notice {
  const { words, due_at: dueAt } = readSendOptions(plain);
  if (!words && dueAt === undefined) return notice;
  const sendAt = dueAt === undefined ? notice.sendAt : new Date(dueAt);
  return { ...notice, ...words, sendAt };
}
