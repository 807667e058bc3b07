// What SendGrid reports of a mail, and what that means for its delivery. Pure.
import { z } from 'zod';

/** The members of an event that are read; SendGrid sends many more, and what an account adds to its mails. */
export const sendGridEvent = z.object({
  event: z.string().max(64),
  sg_event_id: z.string().min(1).max(255),
  /** Epoch seconds. */
  timestamp: z.number().min(0).max(253_402_300_799),
  /** From `custom_args`: which mail it is about. Absent for mail that Parley did not send. */
  notification_id: z.string().min(1).max(255),
  /** Whom it is about, of a mail that several got. */
  email: z.string().max(320).optional().catch(undefined),
  /** Of a bounce: `bounce` (the address) or `blocked` (for now). */
  type: z.string().max(64).optional(),
});
export type SendGridEvent = z.output<typeof sendGridEvent>;

export type Reported =
  | { readonly kind: 'sent' | 'delivered' }
  | {
      readonly kind: 'final';
      readonly status: 'bounced' | 'failed';
      readonly errorClass: string;
      readonly message: string;
    };

/** Null for events that say nothing of the delivery (and for those that SendGrid may add). */
export function reportedBy({ event, type }: Pick<SendGridEvent, 'event' | 'type'>): Reported | null {
  switch (event) {
    case 'processed':
    case 'deferred': // SendGrid tries again by itself
      return { kind: 'sent' };
    case 'delivered':
    case 'open': // what follows a delivery proves it
    case 'click':
    case 'spamreport':
    case 'unsubscribe':
    case 'group_unsubscribe':
      return { kind: 'delivered' };
    case 'bounce':
    case 'blocked':
      return type === 'blocked' || event === 'blocked'
        ? ended('bounced', 'blocked', 'The receiving server did not take the mail.')
        : ended('bounced', 'bounced', 'The address does not take mail.');
    case 'dropped':
      return ended(
        'failed',
        'dropped',
        'SendGrid did not send the mail: the address is on a suppression list.',
      );
    default:
      return null;
  }
}

function ended(status: 'bounced' | 'failed', errorClass: string, message: string): Reported {
  return { kind: 'final', status, errorClass, message };
}

/** How much an event says: of several about one mail the last one counts, in whatever order they come. */
const WEIGHT: Readonly<Record<string, number>> = { sent: 1, delivered: 2, failed: 3, bounced: 4 };

export function heavier(one: Reported, other: Reported): Reported {
  return weightOf(other) > weightOf(one) ? other : one;
}

function weightOf(reported: Reported): number {
  return WEIGHT[reported.kind === 'final' ? reported.status : reported.kind] ?? 0;
}
