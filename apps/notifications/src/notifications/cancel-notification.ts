// Cancels what is not sent: waiting channels, further attempts of a channel in flight, and the rest
// of a channel's fan-out.
import { AppError } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import { inTransaction, type Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import { closeDigest } from '../deliver/render-digest.ts';
import { cancelRecurring } from '../recurring/read-recurring.ts';
import { cancelTopicSend } from '../topic-sends/topic-send-status.ts';
import { getNotification, unknownNotification } from './read-status.ts';
import { markCallbacks } from '../outcomes/settle-delivery.ts';

/** Idempotent. @throws AppError not_found; conflict when nothing is left to cancel. */
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
  // Channels first: their workers lock channel rows before the delivery's row.
  let ended = await cancelTopicSend(sql, organizationId, id);
  ended += await cancelRecurring(sql, organizationId, id);
  for (const channel of channels.values())
    ended += (await channel.cancel?.(sql, organizationId, id, now)) ?? 0;
  const canceled = await sql(
    `UPDATE deliveries SET status = 'canceled', next_attempt_at = NULL, next_ring_at = NULL, sealed = NULL
     WHERE notification_id = $1 AND organization_id = $2 AND status = 'queued' RETURNING 1 AS one`,
    [id, organizationId],
  );
  // An attempt in flight runs on, but there is no other: claims check canceled_at.
  const inFlight = await sql(
    `SELECT 1 AS one FROM deliveries
     WHERE notification_id = $1 AND organization_id = $2
       AND (status = 'queued' OR (status = 'sending' AND leased_until IS NOT NULL))`,
    [id, organizationId],
  );
  if (ended + canceled.length + inFlight.length === 0)
    throw new AppError('conflict', `notification "${id}": nothing is left to cancel`);
  await sql('UPDATE notifications SET canceled_at = $3 WHERE organization_id = $1 AND id = $2', [
    organizationId,
    id,
    now,
  ]);
  await markCallbacks(sql, now, [id]);
}
