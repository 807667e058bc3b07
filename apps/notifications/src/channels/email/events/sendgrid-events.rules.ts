// Pure: reads SendGrid's events
// (https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event).
import { z } from 'zod';
import {
  findMeaning,
  messageId,
  ourId,
  receiver,
  word,
  type EventWords,
  type MailEvent,
} from './mail-event.rules.ts';

/** By `event`, or `event:type` of a bounce and `event:reason` of a drop. */
const WORDS: EventWords = {
  processed: 'accepted',
  deferred: 'accepted', // SendGrid retries
  delivered: 'delivered',
  open: 'delivered',
  click: 'delivered',
  group_unsubscribe: 'delivered', // from one group: the address stays open
  group_resubscribe: 'irrelevant',
  spamreport: 'complained',
  unsubscribe: 'unsubscribed',
  bounce: 'bounced',
  'bounce:blocked': 'blocked',
  blocked: 'blocked',
  dropped: 'dropped', // for reasons of the mail or the account
  'dropped:Bounced Address': 'dropped_bounced',
  'dropped:Invalid': 'dropped_bounced',
  'dropped:Spam Reporting Address': 'dropped_complained',
  'dropped:Unsubscribed Address': 'dropped_unsubscribed',
};

const sendGridEvent = z.object({
  event: word,
  sg_event_id: z.string().regex(/^[^\0]{1,255}$/),
  /** Epoch seconds. */
  timestamp: z.number().min(0).max(253_402_300_799),
  /** From `custom_args`. */
  notification_id: ourId,
  /** Begins with the X-Message-Id of the send. Absent from delayed bounces. */
  sg_message_id: messageId,
  email: receiver,
  /** Of a bounce: `bounce` (the address) or `blocked` (temporarily). */
  type: word.optional(),
  /** Of a drop. */
  reason: z.string().optional().catch(undefined),
});

export function readSendGridEvents(given: readonly unknown[]): MailEvent[] {
  return given.flatMap((one): MailEvent[] => {
    const { data } = sendGridEvent.safeParse(one);
    if (!data) return [];
    const detail = data.event === 'dropped' ? data.reason : data.type;
    return [
      {
        id: data.sg_event_id,
        name: data.event,
        meaning: findMeaning(WORDS, `${data.event}:${detail}`, data.event),
        occurredAtMs: data.timestamp * 1_000,
        notificationId: data.notification_id,
        messageIds: listMessageIds(data.sg_message_id),
        address: data.email,
      },
    ];
  });
}

const ID_PARTS_MAX = 8;

/**
 * What X-Message-Id may have been: `sg_message_id` continues it after a dot
 * (`14c5d75ce93.dfd.64b469.filter0001…`), and it may have dots of its own.
 */
function listMessageIds(sgMessageId: string | undefined): string[] {
  if (sgMessageId === undefined) return [];
  const parts = sgMessageId.split('.').slice(0, ID_PARTS_MAX);
  return parts.map((_, index) => parts.slice(0, index + 1).join('.'));
}
