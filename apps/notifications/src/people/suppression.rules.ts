// Pure: which suppressions stop a mail (docs/notifications.md#suppressions).
import type { Category } from './opt-out.rules.ts';

/** In the order in which they are named to the caller. */
export const SUPPRESSION_REASONS = ['complaint', 'hard_bounce', 'unsubscribe'] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/** What added a suppression. `link`: the unsubscribe page; `api`: the organisation. */
export const SUPPRESSION_SOURCES = [
  'sendgrid',
  'smtp',
  'ses',
  'mailgun',
  'postmark',
  'resend',
  'link',
  'api',
] as const;
export type SuppressionSource = (typeof SUPPRESSION_SOURCES)[number];

export const SUPPRESSION_SENTENCES: Readonly<Record<SuppressionReason, string>> = {
  complaint: 'the address reported earlier mail as spam',
  hard_bounce: 'the address does not accept mail',
  unsubscribe: 'the address has unsubscribed from all mail',
};

/**
 * A required category reaches people who unsubscribed, as it ignores switches; it does not reach
 * an address that bounces or complains.
 */
export function findStoppingReason(
  reasons: ReadonlySet<SuppressionReason> | undefined,
  category: Pick<Category, 'required'> | undefined,
): SuppressionReason | undefined {
  if (!reasons) return undefined;
  return SUPPRESSION_REASONS.find(
    (reason) => reasons.has(reason) && !(reason === 'unsubscribe' && category?.required),
  );
}
