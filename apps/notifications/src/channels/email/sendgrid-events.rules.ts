// Pure: what SendGrid's events mean for a delivery, and for the address
// (https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event).
import { z } from 'zod';
import type { SuppressionReason } from '../../people/suppression.rules.ts';

/** The members that are read; SendGrid and its accounts add many more. */
export const sendGridEvent = z.object({
  event: z.string().max(64),
  sg_event_id: z.string().min(1).max(255),
  /** Epoch seconds. */
  timestamp: z.number().min(0).max(253_402_300_799),
  /** The mail, from `custom_args`. Absent in some events, and for mail that Parley did not send. */
  notification_id: z.string().min(1).max(255).optional().catch(undefined),
  /** Begins with the X-Message-Id of the send. Absent from delayed bounces. */
  sg_message_id: z.string().max(255).optional().catch(undefined),
  /** The receiver that the event is about. */
  email: z.string().max(320).optional().catch(undefined),
  /** Of a bounce: `bounce` (the address) or `blocked` (temporarily). */
  type: z.string().max(64).optional(),
  /** Of a drop: one of the sentences of DROPPED. */
  reason: z.string().optional().catch(undefined),
});
export type SendGridEvent = z.output<typeof sendGridEvent>;

export type ReportedOutcome =
  | { readonly kind: 'sent' | 'delivered' }
  | {
      readonly kind: 'final';
      readonly status: 'bounced' | 'failed';
      readonly errorClass: string;
      readonly message: string;
    };

/** Null for events that do not concern the delivery, and unknown ones. */
export function toReportedOutcome({
  event,
  type,
}: Pick<SendGridEvent, 'event' | 'type'>): ReportedOutcome | null {
  switch (event) {
    case 'processed':
    case 'deferred': // SendGrid retries
      return { kind: 'sent' };
    case 'delivered':
    case 'open': // later events prove the delivery
    case 'click':
    case 'spamreport':
    case 'unsubscribe':
    case 'group_unsubscribe':
      return { kind: 'delivered' };
    case 'bounce':
    case 'blocked':
      return type === 'blocked' || event === 'blocked'
        ? toEnd('bounced', 'blocked', 'The receiving server did not accept the mail.')
        : toEnd('bounced', 'bounced', 'The address does not accept mail.');
    case 'dropped':
      return toEnd(
        'failed',
        'dropped',
        'SendGrid did not send the mail: the address is on a suppression list.',
      );
    default:
      return null;
  }
}

/** Reasons of `dropped` that concern the address. Others are about the mail or the account. */
const DROPPED: Readonly<Record<string, SuppressionReason>> = {
  'Bounced Address': 'hard_bounce',
  Invalid: 'hard_bounce',
  'Spam Reporting Address': 'complaint',
  'Unsubscribed Address': 'unsubscribe',
};

/** Undefined when the address stays open, as after an unsubscribe from one group. */
export function findSuppressionReason({
  event,
  type,
  reason = '',
}: Pick<SendGridEvent, 'event' | 'type' | 'reason'>): SuppressionReason | undefined {
  if (event === 'bounce' && type !== 'blocked') return 'hard_bounce';
  if (event === 'spamreport') return 'complaint';
  if (event === 'unsubscribe') return 'unsubscribe';
  return event === 'dropped' && Object.hasOwn(DROPPED, reason) ? DROPPED[reason] : undefined;
}

const ID_PARTS_MAX = 8;

/**
 * What X-Message-Id may have been: `sg_message_id` continues it after a dot
 * (`14c5d75ce93.dfd.64b469.filter0001…`), and it may have dots of its own.
 */
export function listMessageIds(sgMessageId: string | undefined): string[] {
  if (sgMessageId === undefined) return [];
  const parts = sgMessageId.split('.').slice(0, ID_PARTS_MAX);
  return parts.map((_, index) => parts.slice(0, index + 1).join('.'));
}

function toEnd(status: 'bounced' | 'failed', errorClass: string, message: string): ReportedOutcome {
  return { kind: 'final', status, errorClass, message };
}

/** Order of events of one mail: the heaviest counts, in any order of arrival. */
const WEIGHT: Readonly<Record<string, number>> = { sent: 1, delivered: 2, failed: 3, bounced: 4 };

export function chooseHeavier(one: ReportedOutcome, other: ReportedOutcome): ReportedOutcome {
  return getWeight(other) > getWeight(one) ? other : one;
}

function getWeight(reported: ReportedOutcome): number {
  return WEIGHT[reported.kind === 'final' ? reported.status : reported.kind] ?? 0;
}
