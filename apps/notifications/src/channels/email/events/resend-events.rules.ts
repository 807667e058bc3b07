// Pure: reads Resend's webhooks (https://resend.com/docs/webhooks/event-types; the members:
// https://github.com/resend/resend-node, src/webhooks/interfaces/webhook-event.interface.ts).
import { z } from 'zod';
import {
  digestEvent,
  findMeaning,
  messageId,
  moment,
  ourId,
  word,
  type EventWords,
  type MailEvent,
} from './mail-event.rules.ts';

/** By `type`, and `email.bounced:<type of the bounce>`, which is that of Amazon SES. */
const WORDS: EventWords = {
  'email.scheduled': 'accepted',
  'email.sent': 'accepted',
  'email.delivery_delayed': 'accepted', // Resend retries
  'email.delivered': 'delivered',
  'email.opened': 'delivered',
  'email.clicked': 'delivered',
  'email.complained': 'complained',
  'email.bounced:Permanent': 'bounced',
  'email.bounced': 'blocked',
  'email.suppressed': 'dropped',
  'email.failed': 'rejected',
  'email.received': 'irrelevant',
  'contact.created': 'irrelevant',
  'contact.updated': 'irrelevant',
  'contact.deleted': 'irrelevant',
  'domain.created': 'irrelevant',
  'domain.updated': 'irrelevant',
  'domain.deleted': 'irrelevant',
  'suppression.added': 'irrelevant', // follows a bounce or complaint
  'suppression.removed': 'irrelevant',
};

const resendEvent = z.object({
  type: word,
  created_at: moment,
  data: z.object({
    email_id: messageId,
    to: z.array(z.string().max(320)).max(100).optional().catch(undefined),
    tags: z.object({ notification_id: ourId }).optional().catch(undefined),
    bounce: z.object({ type: word }).optional().catch(undefined),
  }),
});

export function readResendEvent(given: unknown): MailEvent[] {
  const { data: event } = resendEvent.safeParse(given);
  if (!event) return [];
  const { type: name, created_at: occurredAtMs, data } = event;
  const { to = [], email_id: emailId } = data;
  return [
    {
      id: digestEvent(given),
      name,
      meaning: findMeaning(WORDS, `${name}:${data.bounce?.type}`, name),
      occurredAtMs,
      notificationId: data.tags?.notification_id,
      messageIds: emailId === undefined ? [] : [emailId],
      // `to` names all receivers, so that of one alone is known
      address: to.length === 1 ? to[0] : undefined,
    },
  ];
}
