// The work table `deliveries`, one row for each channel of a notification: the job that wakes a
// worker for a row (docs/platform.md#leases-and-rings), the claim, and the outcome. The outcome
// compares the attempt number, so a worker that lost its claim changes nothing.
import {
  REENQUEUE_AFTER_MS,
  createWorkTable,
  toRowJob,
  type ChannelName,
  type JobKind,
  type QueueName,
  type WorkRow,
  type WorkTable,
  type WorkTableOptions,
} from '@parley/jobs';
import { z } from 'zod';
import type { Channel, Notice } from '../channels/channel.ts';
import { SENT_STATUSES, toColumns, type Outcome } from '../outcomes/outcome.ts';
import type { Next } from '../outcomes/retry-schedule.rules.ts';
import type { Deps } from '../deps.ts';
import { CLOCKS_APART_MS } from '../config/delivery.ts';

export interface DueDelivery extends WorkRow {
  readonly channel: string;
  readonly status: string;
  /** Attempts begun, including the one in flight. */
  readonly attempts: number;
}

/** Half a minute of retries without Postgres; after that the sweeper re-enqueues. */
const ATTEMPTS = 6;
const TIMEOUT_MS = 60_000;

export function deliveryJob(queue: QueueName): JobKind<{ id: string }> {
  const payload = z.strictObject({ id: z.string() });
  return { name: 'delivery.send', queue, payload, attempts: ATTEMPTS, timeoutMs: TIMEOUT_MS };
}

/** Stands for a channel name: a notification has one delivery of each name. */
export const WITHDRAWAL = 'web_push.withdraw';

/** SQL condition for a delivery that is a withdrawal. */
export function isWithdrawal(table: string): string {
  return `${table}.channel = '${WITHDRAWAL}'`;
}

/** A suffix after a dot marks a special delivery of the channel. */
export function findChannel({ channels }: Pick<Deps, 'channels'>, name: string): Channel | undefined {
  return channels.get(name.split('.')[0] as ChannelName);
}

/** Message and subject in the widest characters; the rest is counted from the row. */
export const NOTICE_BYTES = 41_000;
const CLAIM_BYTES = {
  of: `${NOTICE_BYTES} + octet_length(plan) + COALESCE(octet_length(sealed), 0) + COALESCE(shared_bytes, 0)`,
  max: 4 * 1024 * 1024,
};

export function deliveryTable(
  deps: Pick<Deps, 'channels' | 'pool' | 'queues' | 'leaseMs' | 'clock' | 'config'>,
  more: Pick<WorkTableOptions<DueDelivery>, 'onQuarantine'> = {},
): WorkTable<DueDelivery> {
  return createWorkTable<DueDelivery>({
    ...deps,
    ...more,
    claimBytes: CLAIM_BYTES,
    table: 'deliveries',
    columns: { dueAt: 'next_attempt_at' },
    select: 'channel, status, attempts',
    setOnRelease: "status = 'queued', attempts = attempts - 1",
    leaseMs: deps.leaseMs,
    earlyMs: CLOCKS_APART_MS,
    toJobs: (rows) =>
      rows.flatMap((row) => {
        const queue = findChannel(deps, row.channel)?.queue;
        if (!queue) return [];
        const attempt = row.status === 'sending' ? row.attempts : row.attempts + 1;
        return [toRowJob(deliveryJob(queue), row, attempt)];
      }),
  });
}

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
      AND NOT required AND (switched_off -> '*' ?| ARRAY['*', claimed.channel]
        OR switched_off -> notification.category ? claimed.channel
        OR opt_in AND NOT COALESCE(switched_on -> notification.category ? claimed.channel, false))) END`;

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
  const { errorClass, error, httpStatus, counts } = toColumns(outcome);
  const againAt = next.kind === 'again' ? new Date(next.atMs) : null;
  const wasSent = isAttempted && SENT_STATUSES.has(status);
  const recorded = await sql(RECORD, [
    claimed.id,
    claimed.attempts,
    status,
    againAt,
    againAt && new Date(againAt.getTime() + REENQUEUE_AFTER_MS),
    errorClass,
    error,
    wasSent ? new Date(nowMs) : null,
    counts,
    claimed.organizationId,
    new Date(startedAtMs),
    Math.max(0, Math.round(nowMs - startedAtMs)),
    isAttempted,
    next.kind === 'again' ? 'retry' : next.kind === 'settled' ? next.status : outcome.kind,
    httpStatus,
    new Date(nowMs),
  ]);
  return recorded.length > 0;
}
