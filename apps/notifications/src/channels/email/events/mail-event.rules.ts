// Pure: what events of mail providers mean for a delivery and for the address. Each provider has a
// table of its words; this is the table of their meanings.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { SuppressionReason } from '../../../people/suppression.rules.ts';

export type ReportedOutcome =
  | { readonly kind: 'sent' | 'delivered' }
  | {
      readonly kind: 'final';
      readonly status: 'bounced' | 'failed';
      readonly errorClass: string;
      readonly message: string;
    };

export type Meaning =
  | 'accepted'
  | 'delivered'
  | 'complained'
  | 'unsubscribed'
  | 'bounced'
  | 'blocked'
  | 'dropped'
  | 'dropped_bounced'
  | 'dropped_complained'
  | 'dropped_unsubscribed'
  | 'rejected'
  | 'irrelevant';

interface Effect {
  /** Null: the event does not concern the delivery. */
  readonly outcome: ReportedOutcome | null;
  readonly suppresses?: SuppressionReason;
}

const DROPPED = toEnd(
  'failed',
  'dropped',
  'The provider did not send the mail: the address is on a suppression list.',
);

const EFFECTS: Readonly<Record<Meaning, Effect>> = {
  accepted: { outcome: { kind: 'sent' } },
  // opens, clicks, complaints and unsubscribes prove the delivery
  delivered: { outcome: { kind: 'delivered' } },
  complained: { outcome: { kind: 'delivered' }, suppresses: 'complaint' },
  unsubscribed: { outcome: { kind: 'delivered' }, suppresses: 'unsubscribe' },
  bounced: {
    outcome: toEnd('bounced', 'bounced', 'The address does not accept mail.'),
    suppresses: 'hard_bounce',
  },
  // the server refused it this time; the address stays open
  blocked: { outcome: toEnd('bounced', 'blocked', 'The receiving server did not accept the mail.') },
  dropped: { outcome: DROPPED },
  dropped_bounced: { outcome: DROPPED, suppresses: 'hard_bounce' },
  dropped_complained: { outcome: DROPPED, suppresses: 'complaint' },
  dropped_unsubscribed: { outcome: DROPPED, suppresses: 'unsubscribe' },
  rejected: { outcome: toEnd('failed', 'rejected', 'The provider accepted the mail and did not send it.') },
  irrelevant: { outcome: null },
};

export interface MailEvent {
  /** The provider's, so that a repetition changes nothing. */
  readonly id: string;
  /** The provider's word. */
  readonly name: string;
  /** Undefined: a word that the table of the provider does not have. */
  readonly meaning: Meaning | undefined;
  readonly occurredAtMs: number;
  /**
   * The id that the mail carried. Some events omit it; mail that Parley did not send has none.
   */
  readonly notificationId: string | undefined;
  /** What the provider's answer to the send may have named the mail. */
  readonly messageIds: readonly string[];
  /** The receiver that the event is about, if it names one. */
  readonly address: string | undefined;
}

/** Words of one provider. The first of `names` that the table has counts. */
export type EventWords = Readonly<Record<string, Meaning>>;

export function findMeaning(words: EventWords, ...names: (string | undefined)[]): Meaning | undefined {
  const name = names.find((one) => one !== undefined && Object.hasOwn(words, one));
  return name === undefined ? undefined : words[name];
}

/** The id of an event without one: it is the same when the provider repeats the event. */
export function digestEvent(given: unknown): string {
  return createHash('sha256').update(JSON.stringify(given)).digest('base64url');
}

/** Null for events that do not concern a delivery, and for unknown words. */
export function toReportedOutcome({ meaning }: Pick<MailEvent, 'meaning'>): ReportedOutcome | null {
  return meaning === undefined ? null : EFFECTS[meaning].outcome;
}

/** Undefined when the address stays open. */
export function findSuppressionReason({
  meaning,
}: Pick<MailEvent, 'meaning'>): SuppressionReason | undefined {
  return meaning === undefined ? undefined : EFFECTS[meaning].suppresses;
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

// Members that several providers have. What is optional and odd counts as absent.

/** Postgres stores no NUL. */
const stored = z.string().regex(/^[^\0]+$/);
export const word = stored.max(64);
export const ourId = stored.max(255).optional().catch(undefined);
export const messageId = stored.max(255).optional().catch(undefined);
export const receiver = z.string().max(320).optional().catch(undefined);
/** ISO 8601 with a zone, to epoch milliseconds. */
export const moment = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
