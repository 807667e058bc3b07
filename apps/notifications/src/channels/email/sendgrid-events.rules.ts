// Pure: what SendGrid's events mean for a delivery.
import { z } from 'zod';

/** The members that are read; SendGrid and its accounts add many more. */
export const sendGridEvent = z.object({
  event: z.string().max(64),
  sg_event_id: z.string().min(1).max(255),
  /** Epoch seconds. */
  timestamp: z.number().min(0).max(253_402_300_799),
  /** The mail, from `custom_args`. Absent for mail that Parley did not send. */
  notification_id: z.string().min(1).max(255),
  /** The receiver that the event is about. */
  email: z.string().max(320).optional().catch(undefined),
  /** Of a bounce: `bounce` (the address) or `blocked` (temporarily). */
  type: z.string().max(64).optional(),
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
