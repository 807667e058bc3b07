// Decides before an attempt whether the delivery is still needed and may go out now.
import type { Sql } from '@parley/server/postgres';
import type { SendOptions } from './send-options.ts';
import { findAllowedTime } from '../timing/quiet-hours.ts';

export type TimingDecision =
  | { readonly kind: 'not_needed'; readonly message: string }
  | { readonly kind: 'later'; readonly atMs: number };

interface DeliveryRef {
  readonly notificationId: string;
  readonly organizationId: string;
}

/** Undefined: attempt it. Queries the database only for a step. */
export async function checkTiming(
  sql: Sql,
  { unless, hours }: SendOptions,
  delivery: DeliveryRef,
  nowMs: number,
): Promise<TimingDecision | undefined> {
  if (unless && (await isDone(sql, unless, delivery)))
    return { kind: 'not_needed', message: NOT_NEEDED[unless] };
  const atMs = hours ? (findAllowedTime(hours, nowMs) ?? nowMs) : nowMs;
  return atMs > nowMs ? { kind: 'later', atMs } : undefined;
}

async function isDone(
  sql: Sql,
  unless: keyof typeof DONE,
  { organizationId, notificationId }: DeliveryRef,
): Promise<boolean> {
  const [row] = await sql<{ done: boolean }>(DONE[unless], [organizationId, notificationId]);
  return row!.done;
}

const NOT_NEEDED = {
  read: 'It was read before this step was due.',
  delivered: 'Another channel was delivered before this step was due.',
  clicked: 'It was clicked before this step was due.',
} as const;

const DONE = {
  read: `SELECT EXISTS (
      SELECT FROM in_app_items AS item LEFT JOIN in_app_receipts AS receipt ON receipt.item_id = item.id
      WHERE item.organization_id = $1 AND item.notification_id = $2
        AND COALESCE(item.read_at, receipt.read_at) IS NOT NULL) AS done`,
  delivered: `SELECT EXISTS (
      SELECT FROM deliveries WHERE organization_id = $1 AND notification_id = $2 AND channel <> 'in_app'
        AND status IN ('sent', 'delivered', 'partial')) AS done`,
  clicked: `SELECT EXISTS (
      SELECT FROM engagements WHERE organization_id = $1 AND notification_id = $2 AND event = 'clicked') AS done`,
} as const;
