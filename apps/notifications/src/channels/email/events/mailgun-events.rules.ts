// Pure: reads Mailgun's webhooks
// (https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-payloads).
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

/** By `event`, `failed:<severity>` and `failed:permanent:<reason>[:<bounce-type>]`. */
const WORDS: EventWords = {
  accepted: 'accepted',
  'failed:temporary': 'accepted', // Mailgun retries
  delivered: 'delivered',
  opened: 'delivered',
  clicked: 'delivered',
  complained: 'complained',
  unsubscribed: 'unsubscribed',
  'failed:permanent': 'blocked', // other reasons are not about the address
  'failed:permanent:bounce': 'bounced',
  'failed:permanent:bounce:soft': 'blocked',
  'failed:permanent:suppress-bounce': 'dropped_bounced',
  'failed:permanent:suppress-complaint': 'dropped_complained',
  'failed:permanent:suppress-unsubscribe': 'dropped_unsubscribed',
  rejected: 'rejected',
  stored: 'irrelevant', // incoming mail
};

export const mailgunSignature = z.object({
  timestamp: z.string().regex(/^\d{1,16}$/),
  token: z.string().regex(/^[0-9a-zA-Z]{1,255}$/),
  signature: z.string().regex(/^[0-9a-f]{64}$/),
});

const mailgunEvent = z.object({
  signature: mailgunSignature,
  'event-data': z.object({
    event: word,
    /** Epoch seconds. */
    timestamp: z.number().min(0).max(253_402_300_799),
    severity: word.optional().catch(undefined),
    reason: word.optional().catch(undefined),
    recipient: receiver,
    message: z
      .object({ headers: z.object({ 'message-id': messageId }).optional() })
      .optional()
      .catch(undefined),
    'user-variables': z.object({ notification_id: ourId }).optional().catch(undefined),
    'delivery-status': z
      .object({ 'bounce-type': word.optional().catch(undefined) })
      .optional()
      .catch(undefined),
  }),
});

/** The signature covers its token only, so the token is the id: it has an effect once. */
export function readMailgunEvent(given: unknown): MailEvent[] {
  const { data } = mailgunEvent.safeParse(given);
  if (!data) return [];
  const { event, timestamp, severity, reason, recipient, message, ...more } = data['event-data'];
  const failed = `${event}:${severity}`;
  const bounceType = more['delivery-status']?.['bounce-type'];
  const id = message?.headers?.['message-id'];
  return [
    {
      id: data.signature.token,
      name: event,
      meaning: findMeaning(WORDS, `${failed}:${reason}:${bounceType}`, `${failed}:${reason}`, failed, event),
      occurredAtMs: timestamp * 1_000,
      notificationId: more['user-variables']?.notification_id,
      messageIds: id === undefined ? [] : [id],
      address: recipient,
    },
  ];
}
