// Cancels what has not been sent: waiting channels at once, further attempts of a channel that is being tried right now, and what a
// channel that was handed the delivery has still to send. What has gone out stays as it is.
import { AppError } from '@parley/envelopes';
import type { Caller } from '@parley/http';
import { inTransaction, type Sql } from '@parley/postgres';
import { markCallbacks } from '../callbacks/callback-rows.ts';
import type { Deps } from '../deps.ts';
import { closeDigest } from '../timing/digest.ts';
import { cancelTopicSend } from '../topics/topic-sends.ts';
import { getNotification, unknownNotification } from './read-status.ts';

/**
 * Idempotent: the second call answers like the first.
 * @throws AppError not_found; conflict when there is nothing left to cancel.
 */
export async function cancelNotification(
  deps: Pick<Deps, 'pool' | 'sql' | 'clock' | 'channels'>,
  caller: Caller,
  id: string,
) {
  await inTransaction(deps.pool, (sql) => cancel(deps, sql, caller.organizationId, id));
  return getNotification(deps, caller, id);
}

async function cancel(
  { channels, clock }: Pick<Deps, 'channels' | 'clock'>,
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<void> {
  const now = new Date(clock());
  const [notification] = await sql<{ canceled_at: Date | null }>(
    'SELECT canceled_at FROM notifications WHERE organization_id = $1 AND id = $2 FOR UPDATE',
    [organizationId, id],
  );
  if (!notification) throw unknownNotification(id);
  if (notification.canceled_at) return;
  await closeDigest(sql, organizationId, id);
  // First what channels still have to do: who records there takes its rows before the delivery's.
  let ended = await cancelTopicSend(sql, organizationId, id);
  for (const channel of channels.values())
    ended += (await channel.cancel?.(sql, organizationId, id, now)) ?? 0;
  const canceled = await sql(
    `UPDATE deliveries SET status = 'canceled', next_attempt_at = NULL, next_ring_at = NULL, sealed = NULL
     WHERE notification_id = $1 AND organization_id = $2 AND status = 'queued' RETURNING 1 AS one`,
    [id, organizationId],
  );
  // In a worker's hand: the attempt is not called back, but there will be no other (claims look at canceled_at).
  const underWay = await sql(
    `SELECT 1 AS one FROM deliveries
     WHERE notification_id = $1 AND organization_id = $2
       AND (status = 'queued' OR (status = 'sending' AND leased_until IS NOT NULL))`,
    [id, organizationId],
  );
  if (ended + canceled.length + underWay.length === 0)
    throw new AppError('conflict', `notification "${id}": everything has been sent or has ended`);
  await sql('UPDATE notifications SET canceled_at = $3 WHERE organization_id = $1 AND id = $2', [
    organizationId,
    id,
    now,
  ]);
  await markCallbacks(sql, now, [id]);
}
