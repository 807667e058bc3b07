// Records the end of a delivery that was reported later, by a provider's event or a finished
// fan-out.
import type { Sql } from '@parley/server/postgres';
import type { BaseDeps } from '../base-deps.ts';
import { mayBecome, SENT_STATUSES, toColumns, type Settlement } from './outcome.ts';

/** Late, duplicate and unordered reports change nothing. @returns whether the row changed. */
export async function settleDelivery(
  deps: Pick<BaseDeps, 'clock' | 'count' | 'log'>,
  sql: Sql,
  deliveryId: string,
  outcome: Settlement,
): Promise<boolean> {
  const status = outcome.kind === 'final' ? outcome.status : outcome.kind;
  const [row] = await sql<{
    status: string;
    channel: string;
    notification_id: string;
    organization_id: string;
  }>(
    'SELECT status, channel, notification_id, organization_id FROM deliveries WHERE id = $1::text FOR UPDATE',
    [deliveryId],
  );
  if (!row || !mayBecome(row.status, status)) return false;
  const { errorClass, error, httpStatus, counts } = toColumns(outcome);
  const now = new Date(deps.clock());
  await sql(
    `UPDATE deliveries SET status = $2::text, next_attempt_at = NULL, next_ring_at = NULL, lease = NULL,
       leased_until = NULL, sealed = NULL, last_error_class = COALESCE($3::text, last_error_class), last_error = COALESCE($4::text, last_error),
       last_http_status = COALESCE($7::int, last_http_status), sent_at = COALESCE(sent_at, $5::timestamptz), counts = COALESCE($6::text, counts)
     WHERE id = $1::text`,
    [deliveryId, status, errorClass, error, SENT_STATUSES.has(status) ? now : null, counts, httpStatus],
  );
  await markCallbacks(sql, now, [row.notification_id]);
  deps.count.attempted(row.channel, status);
  deps.log.info(
    {
      delivery_id: deliveryId,
      notification_id: row.notification_id,
      organization_id: row.organization_id,
      channel: row.channel,
      was: row.status,
      outcome: status,
      error_class: errorClass ?? undefined,
      http_status: httpStatus ?? undefined,
      error: error ?? undefined,
    },
    'delivery.settled',
  );
  return true;
}

/** Call in the transaction that settles channels, after it wrote their rows. */
export async function markCallbacks(sql: Sql, now: Date, notificationIds: readonly string[]): Promise<void> {
  await sql(
    'UPDATE notification_callbacks SET look_at = $1 WHERE id = ANY($2::text[]) AND settled_told_at IS NULL',
    [now, notificationIds],
  );
}
