// What is asked before a delivery is attempted: whether it is still wanted, and whether its time is.
import type { Sql } from '@parley/postgres';
import type { OfSend } from '../notify/delivery-plan.ts';
import { allowedFrom } from './hours.ts';

export type Instead =
  | { readonly kind: 'not_needed'; readonly message: string }
  | { readonly kind: 'later'; readonly atMs: number };

interface Asked {
  readonly notificationId: string;
  readonly organizationId: string;
}

/** Undefined: it is attempted. Asks the database of a step alone. */
export async function insteadOf(
  sql: Sql,
  { unless, hours }: OfSend,
  delivery: Asked,
  nowMs: number,
): Promise<Instead | undefined> {
  if (unless && (await isDone(sql, unless, delivery)))
    return { kind: 'not_needed', message: NOT_NEEDED[unless] };
  const atMs = hours ? (allowedFrom(hours, nowMs) ?? nowMs) : nowMs;
  return atMs > nowMs ? { kind: 'later', atMs } : undefined;
}

async function isDone(
  sql: Sql,
  unless: keyof typeof DONE,
  { organizationId, notificationId }: Asked,
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
