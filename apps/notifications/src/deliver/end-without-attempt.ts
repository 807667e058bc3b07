// What ends or postpones a delivery without an attempt: it was cancelled, the recipient opted out,
// it expired, its step is not needed, quiet hours.
import type { Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import type { Outcome } from '../outcomes/outcome.ts';
import type { Next } from '../outcomes/retry-schedule.rules.ts';
import { findAllowedTime } from '../timing/quiet-hours.ts';
import { findChannel, type ClaimedDelivery } from './delivery-table.ts';
import { readStoredSendOptions, type SendOptions } from './send-options.ts';

/**
 * A delivery waits a tenth of its age, within these limits, for a channel that this process does
 * not have. While replicas differ, another one soon claims it, even a push with a TTL of seconds.
 */
const CHANNEL_WAIT_MIN_MS = 1_000;
const CHANNEL_WAIT_MS_MAX = 60_000;
/** Then it has failed. */
const CHANNEL_GONE_MS = 30 * 24 * 60 * 60_000;

/** Undefined: attempt it now. */
export async function endWithoutAttempt(
  deps: Deps,
  claimed: ClaimedDelivery,
  nowMs: number,
): Promise<{ readonly outcome: Outcome; readonly next: Next } | undefined> {
  if (claimed.canceledAt) return toEnd('canceled', 'canceled', 'The notification was canceled.');
  if (claimed.switchedOff)
    return toEnd('suppressed', 'preference', 'The recipient has switched off its category on this channel.');
  const channel = findChannel(deps, claimed.channel);
  if (claimed.expiresAt && claimed.expiresAt.getTime() <= nowMs && channel?.endsExpired !== true)
    return toEnd('expired', 'expired', 'The notification expired before it was sent.');
  if (claimed.attempts > deps.config.DELIVERY_RETRY_WAITS_MS.length + 1)
    return toEnd('failed', 'interrupted', 'Every attempt was interrupted before its outcome was known.');
  return channel ? applyTiming(deps, claimed, nowMs) : waitForChannel(claimed, nowMs);
}

/** Postpones or cancels by the send's timing: a needless step, quiet hours. */
async function applyTiming({ sql }: Deps, claimed: ClaimedDelivery, nowMs: number) {
  const options = readStoredSendOptions(claimed.plan);
  if (!options.unless && !options.hours) return undefined;
  const instead = await checkTiming(sql, options, claimed, nowMs);
  if (!instead) return undefined;
  if (instead.kind === 'not_needed') return toEnd('canceled', 'not_needed', instead.message);
  const message = 'Waits for the end of quiet hours or for the send window.';
  const outcome = { kind: 'retry', errorClass: 'waits_for_hours', message } as const;
  return { outcome, next: { kind: 'again', atMs: instead.atMs } as const };
}

/** The channel may be off, or not yet known to every replica of a rolling deploy. */
function waitForChannel({ sendAt, createdAt }: ClaimedDelivery, nowMs: number) {
  const [errorClass, message] = ['unknown_channel', 'This deployment does not have the channel.'];
  const ageMs = nowMs - (sendAt ?? createdAt).getTime();
  if (ageMs >= CHANNEL_GONE_MS) return toEnd('failed', errorClass, message);
  const waitMs = Math.min(CHANNEL_WAIT_MS_MAX, Math.max(CHANNEL_WAIT_MIN_MS, ageMs / 10));
  const outcome = { kind: 'retry', errorClass, message } as const;
  return { outcome, next: { kind: 'again', atMs: nowMs + waitMs } as const };
}

export function toEnd(status: string, errorClass: string, message: string) {
  const outcome = { kind: 'final', status: 'failed', errorClass, message } as const;
  return { outcome, next: { kind: 'settled', status } as const };
}

type TimingDecision =
  | { readonly kind: 'not_needed'; readonly message: string }
  | { readonly kind: 'later'; readonly atMs: number };

interface DeliveryRef {
  readonly notificationId: string;
  readonly organizationId: string;
}

/** Undefined: attempt it. Queries the database only for a step. */
async function checkTiming(
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
