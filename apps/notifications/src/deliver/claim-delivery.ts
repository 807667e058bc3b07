// The two statements around an attempt: the claim and its outcome. The outcome compares the attempt
// number, so a worker that lost its claim changes nothing.
import { REENQUEUE_AFTER_MS, type WorkTable } from '@parley/jobs';
import type { Notice } from '../channels/channel.ts';
import type { Deps } from '../deps.ts';
import type { DueDelivery } from './delivery-table.ts';
import type { Next } from '../outcomes/retry-schedule.rules.ts';
import type { Outcome } from '../outcomes/outcome.ts';

/** A delivery that this worker holds, with its notification. */
export interface ClaimedDelivery extends Omit<Notice, 'id'> {
  readonly id: string;
  readonly channel: string;
  /** The attempt in progress, from 1. The outcome is recorded only for this attempt. */
  readonly attempts: number;
  /** How often this attempt ended in a failure of ours. */
  readonly ownFailures: number;
  readonly plan: string;
  readonly sealed: string | null;
  readonly notificationId: string;
  /** Plan and secret that the members of a topic share. */
  readonly sharedPlan: Readonly<Record<string, unknown>> | null;
  readonly sharedSealed: string | null;
  readonly canceledAt: Date | null;
  /** The recipient switched the category off after the send was accepted. */
  readonly switchedOff: boolean;
}

/** Cancelling a send to a topic cancels its members' notifications. */
const CANCELED_AT = `CASE WHEN notification.parent_id IS NULL THEN notification.canceled_at ELSE COALESCE(notification.canceled_at,
    (SELECT parent.canceled_at FROM notifications AS parent WHERE parent.id = notification.parent_id)) END`;

/** Without a category, CASE skips the query. */
const SWITCHED_OFF = `CASE WHEN notification.category IS NULL THEN false ELSE EXISTS (
    SELECT FROM recipients JOIN categories ON categories.organization_id = recipients.organization_id
      AND categories.id = notification.category
    WHERE recipients.organization_id = claimed.organization_id AND user_id = claimed.plan::jsonb ->> 'user_id'
      AND NOT required AND switched_off -> notification.category ? claimed.channel) END`;

export function createDeliveryClaim(table: WorkTable<DueDelivery>) {
  return table.prepareClaim<ClaimedDelivery>({
    set: "status = 'sending', attempts = attempts + 1",
    select: `SELECT claimed.id, channel, attempts, own_failures AS "ownFailures", plan, claimed.sealed,
        notification.id AS "notificationId", claimed.organization_id AS "organizationId", content_id AS "contentId",
        COALESCE(shared.subject, notification.subject) AS subject, subject_given AS "subjectGiven",
        COALESCE(shared.message, notification.message) AS message, shared.plans -> channel AS "sharedPlan",
        shared.sealed AS "sharedSealed", created_at AS "createdAt", send_at AS "sendAt", expires_at AS "expiresAt",
        ${CANCELED_AT} AS "canceledAt", ${SWITCHED_OFF} AS "switchedOff", request_id AS "requestId", traceparent
      FROM claimed JOIN notifications AS notification ON notification.id = claimed.notification_id
      LEFT JOIN shared_contents AS shared ON shared.id = content_id`,
  });
}

export interface AttemptResult {
  readonly outcome: Outcome;
  readonly next: Next;
  readonly startedAtMs: number;
  /** False when the delivery ended without an attempt, which is neither logged nor counted. */
  readonly isAttempted: boolean;
}

/** Drops the secret once the delivery is settled. */
const RECORD = `
  WITH recorded AS (
    UPDATE deliveries SET status = $3, next_attempt_at = $4, next_ring_at = $5, lease = NULL, leased_until = NULL,
      rings = 0, own_failures = 0, deaths = 0, attempts = CASE WHEN $13 THEN attempts ELSE attempts - 1 END,
      last_error_class = COALESCE($6, last_error_class), last_error = COALESCE($7, last_error),
      sent_at = COALESCE($8, sent_at), counts = COALESCE($9, counts),
      sealed = CASE WHEN $4::timestamptz IS NULL AND $3 <> 'sending' THEN NULL ELSE sealed END
    WHERE id = $1 AND attempts = $2 AND status = 'sending' RETURNING notification_id),
  called_back AS (
    UPDATE notification_callbacks SET look_at = $16 WHERE id = (SELECT notification_id FROM recorded) AND $3 <> 'sending'),
  logged AS (
    INSERT INTO delivery_attempts (delivery_id, attempt, organization_id, started_at, ms, outcome, http_status, error_class, error)
    SELECT $1, $2, $10, $11, $12, $14, $15, $6, $7 WHERE $13
    ON CONFLICT (delivery_id, attempt) DO NOTHING)
  SELECT 1 AS one FROM recorded`;

/** False when the claim was lost: the attempt is logged, the row is another worker's. */
export async function recordOutcome(
  { sql, clock }: Pick<Deps, 'sql' | 'clock'>,
  claimed: ClaimedDelivery,
  { outcome, next, startedAtMs, isAttempted }: AttemptResult,
): Promise<boolean> {
  const nowMs = clock();
  const status = next.kind === 'again' ? 'queued' : next.kind === 'settled' ? next.status : 'sending';
  const failure = 'errorClass' in outcome ? outcome : undefined;
  const againAt = next.kind === 'again' ? new Date(next.atMs) : null;
  const wasSent = isAttempted && (status === 'sent' || status === 'delivered' || status === 'partial');
  const recorded = await sql(RECORD, [
    claimed.id,
    claimed.attempts,
    status,
    againAt,
    againAt && new Date(againAt.getTime() + REENQUEUE_AFTER_MS),
    failure?.errorClass ?? null,
    failure?.message ?? null,
    wasSent ? new Date(nowMs) : null,
    'counts' in outcome && outcome.counts ? JSON.stringify(outcome.counts) : null,
    claimed.organizationId,
    new Date(startedAtMs),
    Math.max(0, Math.round(nowMs - startedAtMs)),
    isAttempted,
    next.kind === 'again' ? 'retry' : next.kind === 'settled' ? next.status : outcome.kind,
    'httpStatus' in outcome ? (outcome.httpStatus ?? null) : null,
    new Date(nowMs),
  ]);
  return recorded.length > 0;
}
