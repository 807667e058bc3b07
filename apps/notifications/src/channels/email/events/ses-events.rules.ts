// Pure: reads events of Amazon SES, as Amazon SNS delivers them
// (https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html).
import { z } from 'zod';
import {
  findMeaning,
  messageId,
  moment,
  ourId,
  receiver,
  word,
  type EventWords,
  type MailEvent,
} from './mail-event.rules.ts';

/**
 * By `eventType`, `Bounce:<bounceSubType or Type>`, and for complaints by their sub type or
 * feedback type.
 * https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
 */
const WORDS: EventWords = {
  Send: 'accepted',
  DeliveryDelay: 'accepted', // SES retries
  Delivery: 'delivered',
  Open: 'delivered',
  Click: 'delivered',
  Complaint: 'complained',
  'Complaint:not-spam': 'delivered', // corrects an earlier report
  'Complaint:OnAccountSuppressionList': 'dropped_complained',
  'Bounce:Permanent': 'bounced',
  // SES did not try: the address bounced before, of this account or of others
  'Bounce:Suppressed': 'dropped_bounced',
  'Bounce:OnAccountSuppressionList': 'dropped_bounced',
  'Bounce:Transient': 'blocked',
  'Bounce:Undetermined': 'blocked',
  Reject: 'rejected', // contains a virus
  'Rendering Failure': 'rejected',
  Subscription: 'irrelevant', // lists of SES, which Parley does not use
};

const people = z.array(z.object({ emailAddress: receiver })).max(100);
const sesEvent = z.object({
  /** `notificationType` where events are not published by a configuration set. */
  eventType: word.optional(),
  notificationType: word.optional(),
  mail: z.object({
    timestamp: moment,
    messageId,
    destination: z.array(z.string().max(320)).max(100).optional().catch(undefined),
    /** From the header X-SES-MESSAGE-TAGS. */
    tags: z
      .object({ notification_id: z.array(ourId).max(10).optional() })
      .optional()
      .catch(undefined),
  }),
  bounce: z.object({ bounceType: word, bounceSubType: word.nullish(), bouncedRecipients: people }).optional(),
  complaint: z
    .object({
      complainedRecipients: people,
      complaintFeedbackType: word.nullish(),
      complaintSubType: word.nullish(),
    })
    .optional(),
  delivery: z.object({ recipients: z.array(z.string().max(320)).max(100) }).optional(),
});

/** One for each receiver. `snsId`: the id of the message that carried them. */
export function readSesEvents(given: unknown, snsId: string): MailEvent[] {
  const { data } = sesEvent.safeParse(given);
  const name = data?.eventType ?? data?.notificationType;
  if (!data || name === undefined) return [];
  const { mail, bounce, complaint, delivery } = data;
  const details = [
    bounce?.bounceSubType,
    bounce?.bounceType,
    complaint?.complaintSubType,
    complaint?.complaintFeedbackType,
  ];
  const meaning = findMeaning(WORDS, ...details.map((one) => (one ? `${name}:${one}` : undefined)), name);
  const named = bounce?.bouncedRecipients ?? complaint?.complainedRecipients;
  const addresses =
    named?.map(({ emailAddress }) => emailAddress) ?? delivery?.recipients ?? mail.destination;
  // A mail has one receiver and copies; without a name in the event it is about all of them.
  const about = named || delivery || addresses?.length === 1 ? (addresses ?? []) : [undefined];
  return about.map((address, index) => ({
    id: `${snsId}:${index}`,
    name,
    meaning,
    occurredAtMs: mail.timestamp,
    notificationId: mail.tags?.notification_id?.[0],
    messageIds: mail.messageId === undefined ? [] : [mail.messageId],
    address,
  }));
}
