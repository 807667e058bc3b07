// The statements around one attempt: claim, renew, record, give back. Every one of them compares what it saw before it
// sets: of two workers one wins, and what a worker does after it lost its claim changes nothing. Called by
// deliver-channel.ts.
import type { Outcome } from '../channels/channel.ts';
import type { Deps } from '../deps.ts';
import type { Next } from './outcome.rules.ts';
import { ownFailureWaitMs, RING_AGAIN_AFTER_MS } from './ring.rules.ts';

/** A delivery that this worker holds, with its notification. */
export interface Claimed {
  readonly id: string;
  readonly channel: string;
  /** The attempt that is being made, from 1; with the status it is the claim. */
  readonly attempts: number;
  /** How often this attempt was rung for again. */
  readonly rings: number;
  readonly plan: string;
  readonly sealed: string | null;
  readonly notificationId: string;
  readonly organizationId: string;
  readonly subject: string;
  readonly subjectGiven: boolean;
  readonly message: string;
  readonly createdAt: Date;
  readonly sendAt: Date | null;
  readonly expiresAt: Date | null;
  readonly canceledAt: Date | null;
  readonly requestId: string | null;
  readonly traceparent: string | null;
}

type Store = Pick<Deps, 'sql' | 'clock' | 'config'>;

/**
 * Clocks of two replicas differ. A job that arrives at a worker whose clock is a little behind would otherwise find its row
 * not due yet, and wait for the sweeper.
 */
const CLOCKS_APART_MS = 2_000;

/** Undefined when the delivery is settled, not due, or in another worker's hand. */
export async function claimDelivery({ sql, clock, config }: Store, id: string): Promise<Claimed | undefined> {
  const nowMs = clock();
  const [claimed] = await sql<Claimed>(
    `UPDATE deliveries AS delivery
     SET status = 'sending', attempts = delivery.attempts + 1, leased_until = $3, next_ring_at = $3
     FROM notifications AS notification
     WHERE delivery.id = $1 AND notification.id = delivery.notification_id AND delivery.next_attempt_at <= $4
       AND (delivery.status = 'queued' OR (delivery.status = 'sending' AND delivery.leased_until <= $2))
     RETURNING delivery.id, channel, attempts, rings, plan, sealed, notification.id AS "notificationId",
       delivery.organization_id AS "organizationId", subject, subject_given AS "subjectGiven", message,
       created_at AS "createdAt", send_at AS "sendAt", expires_at AS "expiresAt", canceled_at AS "canceledAt",
       request_id AS "requestId", traceparent`,
    [id, new Date(nowMs), new Date(nowMs + config.DELIVERY_LEASE_MS), new Date(nowMs + CLOCKS_APART_MS)],
  );
  return claimed;
}

export async function renewLease({ sql, clock, config }: Store, { id, attempts }: Claimed): Promise<void> {
  await sql(
    `UPDATE deliveries SET leased_until = $3, next_ring_at = $3
     WHERE id = $1 AND attempts = $2 AND status = 'sending' AND leased_until IS NOT NULL`,
    [id, attempts, new Date(clock() + config.DELIVERY_LEASE_MS)],
  );
}

/**
 * After a failure of ours: the attempt was not theirs to fail, so it is not counted, and the job that comes again finds
 * the row free. Should it not come, the sweeper rings.
 */
export async function releaseClaim({ sql, clock }: Store, { id, attempts, rings }: Claimed): Promise<void> {
  await sql(
    `UPDATE deliveries SET status = 'queued', attempts = attempts - 1, leased_until = NULL, next_ring_at = $3
     WHERE id = $1 AND attempts = $2 AND status = 'sending'`,
    [id, attempts, new Date(clock() + ownFailureWaitMs(rings))],
  );
}

export interface Result {
  readonly outcome: Outcome;
  readonly next: Next;
  readonly startedAtMs: number;
  /** False when the delivery ended without an attempt: then none is logged or counted. */
  readonly made: boolean;
}

/** What is settled needs its secret no more; what is open is settled later by its channel. */
const RECORD = `
  WITH recorded AS (
    UPDATE deliveries SET status = $3, next_attempt_at = $4, next_ring_at = $5, leased_until = NULL, rings = 0,
      attempts = CASE WHEN $13 THEN attempts ELSE attempts - 1 END,
      last_error_class = COALESCE($6, last_error_class), last_error = COALESCE($7, last_error),
      sent_at = COALESCE($8, sent_at), counts = COALESCE($9, counts),
      sealed = CASE WHEN $4::timestamptz IS NULL AND $3 <> 'sending' THEN NULL ELSE sealed END
    WHERE id = $1 AND attempts = $2 AND status = 'sending' RETURNING id),
  logged AS (
    INSERT INTO delivery_attempts (delivery_id, attempt, organization_id, started_at, ms, outcome, http_status, error_class, error)
    SELECT $1, $2, $10, $11, $12, $14, $15, $6, $7 WHERE $13
    ON CONFLICT (delivery_id, attempt) DO NOTHING)
  SELECT 1 AS one FROM recorded`;

/** False when the claim was lost meanwhile: the attempt is in the log, the row is somebody else's. */
export async function recordOutcome(
  { sql, clock }: Store,
  claimed: Claimed,
  { outcome, next, startedAtMs, made }: Result,
): Promise<boolean> {
  const nowMs = clock();
  const status = next.kind === 'again' ? 'queued' : next.kind === 'settled' ? next.status : 'sending';
  const failure = 'errorClass' in outcome ? outcome : undefined;
  const againAt = next.kind === 'again' ? new Date(next.atMs) : null;
  const wasSent = made && (status === 'sent' || status === 'delivered' || status === 'partial');
  const recorded = await sql(RECORD, [
    claimed.id,
    claimed.attempts,
    status,
    againAt,
    againAt && new Date(againAt.getTime() + RING_AGAIN_AFTER_MS),
    failure?.errorClass ?? null,
    failure?.message ?? null,
    wasSent ? new Date(nowMs) : null,
    'counts' in outcome && outcome.counts ? JSON.stringify(outcome.counts) : null,
    claimed.organizationId,
    new Date(startedAtMs),
    Math.max(0, Math.round(nowMs - startedAtMs)),
    made,
    next.kind === 'again' ? 'retry' : next.kind === 'settled' ? next.status : outcome.kind,
    'httpStatus' in outcome ? (outcome.httpStatus ?? null) : null,
  ]);
  return recorded.length > 0;
}
