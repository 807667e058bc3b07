// Withdraws notifications from a user's devices once they are read in the inbox
// (docs/notifications.md#one-read-everywhere). A withdrawal is another delivery of the
// notification, a silent push with its tag, hidden from the notification's channels.
import type { Deps } from '../deps.ts';
import { WITHDRAWAL, deliveryTable, isWithdrawal } from '../deliver/delivery-table.ts';

/** Only the newest of many items: older notifications are rarely still visible. */
const WITHDRAWN_MAX = 100;

interface PushedNotification {
  readonly notification_id: string;
  readonly plan: string;
}

/** Items that this user read at that time. */
export interface ReadItems {
  readonly organizationId: string;
  readonly userId: string;
  readonly readAt: Date;
}

/** Runs after the commit. A withdrawal lost with the process only leaves a notification visible. */
export async function withdrawPushes(
  deps: Pick<Deps, 'sql' | 'ids' | 'clock' | 'push' | 'channels' | 'pool' | 'queues' | 'leaseMs' | 'config'>,
  { organizationId, userId, readAt }: ReadItems,
): Promise<void> {
  if (deps.push === null) return;
  const pushed = await deps.sql<PushedNotification>(PUSHED, [organizationId, userId, readAt, WITHDRAWN_MAX]);
  if (pushed.length === 0) return;
  const dueAt = new Date(deps.clock());
  const rows = pushed.map(({ notification_id: notificationId, plan }) => ({
    id: deps.ids('dlv'),
    notificationId,
    plan: JSON.stringify({ ...(JSON.parse(plan) as object), withdraw: 'now' }),
  }));
  await deps.sql(WITHDRAW, [
    organizationId,
    dueAt,
    rows.map(({ id }) => id),
    rows.map((row) => row.notificationId),
    rows.map(({ plan }) => plan),
  ]);
  const waiting = { channel: WITHDRAWAL, status: 'queued', attempts: 0, rings: 0, dueAt };
  await deliveryTable(deps).enqueue(rows.map(({ id }) => ({ id, ...waiting })));
}

/** The withdrawal replaces an undelivered push at the push service, which has the same topic. */
const PUSHED = `
  SELECT notification_id, plan FROM (
    SELECT notification_id AS id FROM in_app_items
    WHERE organization_id = $1 AND user_id = $2 AND read_at = $3 ORDER BY created_at DESC, in_app_items.id DESC LIMIT $4::int) AS item
  JOIN deliveries ON notification_id = item.id
  WHERE channel = 'web_push' AND status IN ('sending', 'sent', 'partial') AND plan::jsonb ->> 'withdraw' = 'when_read'
    AND plan::jsonb ->> 'user_id' = $2
    AND NOT EXISTS (SELECT FROM deliveries AS other WHERE other.notification_id = item.id AND ${isWithdrawal('other')})`;

const WITHDRAW = `
  INSERT INTO deliveries (id, notification_id, organization_id, channel, status, plan, attempts, next_attempt_at, next_ring_at)
  SELECT id, notification_id, $1::text, '${WITHDRAWAL}', 'queued', plan, 0, $2::timestamptz, $2::timestamptz + interval '10 s'
  FROM unnest($3::text[], $4::text[], $5::text[]) AS withdrawal (id, notification_id, plan)`;
