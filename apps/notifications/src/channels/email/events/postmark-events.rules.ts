// Pure: reads Postmark's webhooks (https://postmarkapp.com/developer/webhooks/webhooks-overview).
import { z } from 'zod';
import {
  digestEvent,
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
 * By `RecordType`, `Bounce:<Type>` (https://postmarkapp.com/developer/api/bounce-api#bounce-types)
 * and `SubscriptionChange:<SuppressionReason>[:<Origin>]`.
 */
const WORDS: EventWords = {
  Delivery: 'delivered',
  Open: 'delivered',
  Click: 'delivered',
  SpamComplaint: 'complained',
  'Bounce:HardBounce': 'bounced',
  'Bounce:BadEmailAddress': 'bounced',
  'Bounce:SpamComplaint': 'complained',
  'Bounce:Unsubscribe': 'unsubscribed',
  'Bounce:ManuallyDeactivated': 'dropped',
  'Bounce:Transient': 'accepted', // Postmark retries
  'Bounce:ChallengeVerification': 'accepted',
  'Bounce:AutoResponder': 'delivered', // the receiver is away
  'Bounce:SoftBounce': 'blocked',
  'Bounce:DnsError': 'blocked',
  'Bounce:SpamNotification': 'blocked',
  'Bounce:VirusNotification': 'blocked',
  'Bounce:DMARCPolicy': 'blocked',
  'Bounce:Blocked': 'blocked',
  'Bounce:Unknown': 'blocked',
  'Bounce:SMTPApiError': 'rejected',
  'Bounce:TemplateRenderingFailed': 'rejected',
  'Bounce:AddressChange': 'irrelevant',
  'Bounce:Subscribe': 'irrelevant',
  'Bounce:OpenRelayTest': 'irrelevant',
  'Bounce:Unconfirmed': 'irrelevant',
  'Bounce:InboundError': 'irrelevant',
  'SubscriptionChange:HardBounce': 'bounced',
  'SubscriptionChange:SpamComplaint': 'complained',
  'SubscriptionChange:ManualSuppression:Recipient': 'unsubscribed',
  'SubscriptionChange:ManualSuppression': 'irrelevant', // by the customer, on Postmark's list only
  'SubscriptionChange:reactivated': 'irrelevant',
};

const postmarkEvent = z.object({
  RecordType: word,
  MessageID: messageId,
  /** `Email` in bounces and complaints. */
  Recipient: receiver,
  Email: receiver,
  Type: word.optional(),
  SuppressSending: z.boolean().optional(),
  SuppressionReason: word.nullish(),
  Origin: word.nullish(),
  Metadata: z.object({ notification_id: ourId }).nullish().catch(undefined),
  DeliveredAt: moment.optional().catch(undefined),
  BouncedAt: moment.optional().catch(undefined),
  ReceivedAt: moment.optional().catch(undefined),
  ChangedAt: moment.optional().catch(undefined),
});

export function readPostmarkEvent(given: unknown, nowMs: number): MailEvent[] {
  const { data } = postmarkEvent.safeParse(given);
  if (!data) return [];
  const { RecordType: name } = data;
  const reason = data.SuppressSending === false ? 'reactivated' : data.SuppressionReason;
  const detail = name === 'SubscriptionChange' ? reason : data.Type;
  return [
    {
      id: digestEvent(given),
      name,
      meaning: findMeaning(WORDS, `${name}:${detail}:${data.Origin}`, `${name}:${detail}`, name),
      occurredAtMs: data.DeliveredAt ?? data.BouncedAt ?? data.ReceivedAt ?? data.ChangedAt ?? nowMs,
      notificationId: data.Metadata?.notification_id,
      messageIds: data.MessageID === undefined ? [] : [data.MessageID],
      address: data.Recipient ?? data.Email,
    },
  ];
}
