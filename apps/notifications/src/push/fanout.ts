// The row of a fan-out: made with the first thing that is known of it, settled by whoever records the last device.
import { inTransaction, type Sql } from '@parley/postgres';
import { RING_AGAIN_AFTER_MS } from '@parley/queues';
import type { Delivery, Outcome } from '../channels/channel.ts';
import type { Deps } from '../deps.ts';
import { settleDelivery, type Settlement } from '../notify/settle-delivery.ts';
import { chunkTable } from './chunk-table.ts';
import type { Urgency } from './engine/push-sender.ts';
import { endOf, type DeviceCounts } from './fanout.rules.ts';
import type { Message } from './send-devices.ts';

export interface NewFanout extends Message {
  readonly deliveryId: string;
  /** Null: every device of the organisation. */
  readonly userId: string | null;
  /** Null: whatever site they belong to. */
  readonly siteId: string | null;
}

/** Columns of a fan-out, as `messageOf` reads them. */
export const MESSAGE_COLUMNS = `push_fanouts.organization_id, notification_id, user_id, site_id, payload, urgency, topic, ttl_seconds,
  push_fanouts.created_at, push_fanouts.expires_at`;

export interface MessageRow {
  readonly organization_id: string;
  readonly notification_id: string;
  readonly user_id: string | null;
  readonly site_id: string | null;
  readonly payload: string;
  readonly urgency: string;
  readonly topic: string | null;
  readonly ttl_seconds: number;
  readonly created_at: Date;
  readonly expires_at: Date;
}

export function messageOf(row: MessageRow): Message {
  return {
    organizationId: row.organization_id,
    notificationId: row.notification_id,
    payload: row.payload,
    urgency: row.urgency as Urgency,
    topic: row.topic,
    ttlSeconds: row.ttl_seconds,
    createdAtMs: row.created_at.getTime(),
    expiresAtMs: row.expires_at.getTime(),
  };
}

const COLUMNS =
  'delivery_id, organization_id, notification_id, user_id, site_id, payload, urgency, topic, ttl_seconds, created_at, ' +
  'chunks_open, targeted, sent, gone, failed, expired, settled_at';

/**
 * Common table expressions that write a fan-out, once: `batch` is empty when there is one already. `row`: the parameter with
 * `fanoutRow`. Whoever cancels the notification at the same moment comes before, and nothing is sent from then on, or finds the fan-out.
 */
export const newFanout = (row: string) => `
  notification AS (
    SELECT canceled_at FROM notifications, json_to_record(${row}::json) AS fanout (organization_id text, notification_id text)
    WHERE notifications.organization_id = fanout.organization_id AND id = notification_id FOR KEY SHARE OF notifications),
  batch AS (
    INSERT INTO push_fanouts (${COLUMNS}, expires_at)
    SELECT ${COLUMNS}, LEAST(expires_at, canceled_at) FROM notification, json_populate_record(NULL::push_fanouts, ${row}::json)
    ON CONFLICT (delivery_id) DO NOTHING RETURNING *)`;

/**
 * `attempt`: the parameter with its number. Out of the worker's hand with the same commit that makes devices wait: whoever records the last of
 * them finds a delivery that is free to be settled.
 */
export const handOver = (attempt: string) => `
  handed_over AS (
    UPDATE deliveries SET next_attempt_at = NULL, next_ring_at = NULL, lease = NULL, leased_until = NULL
    FROM batch WHERE deliveries.id = batch.delivery_id AND batch.settled_at IS NULL AND attempts = ${attempt}::int
      AND status = 'sending')`;

/** The values of a new row. */
export function fanoutRow(
  { organizationId, notificationId, deliveryId, userId, siteId, ...message }: NewFanout,
  counts: DeviceCounts,
  { chunksOpen = 0, settledAt = null }: { chunksOpen?: number; settledAt?: Date | null },
): string {
  return JSON.stringify({
    delivery_id: deliveryId,
    organization_id: organizationId,
    notification_id: notificationId,
    user_id: userId,
    site_id: siteId,
    payload: message.payload,
    urgency: message.urgency,
    topic: message.topic,
    ttl_seconds: message.ttlSeconds,
    created_at: new Date(message.createdAtMs),
    expires_at: new Date(message.expiresAtMs),
    chunks_open: chunksOpen,
    ...counts,
    settled_at: settledAt,
  });
}

const OPEN = `
  WITH ${newFanout('$1')}, ${handOver('$2')},
  opened AS (
    INSERT INTO push_chunks (id, delivery_id, organization_id, done_id, due_at, next_ring_at)
    SELECT $3::text, delivery_id, organization_id, '', $4::timestamptz, $5::timestamptz FROM batch)
  SELECT 1 AS one FROM batch`;

/** A broadcast: its first chunk, and the delivery handed over to the queue of chunks. */
export async function openFanout(
  deps: Pick<Deps, 'pool' | 'sql' | 'ids' | 'clock' | 'queues' | 'config'>,
  fanout: NewFanout,
  delivery: Pick<Delivery, 'id' | 'attempt'>,
): Promise<Outcome> {
  const now = new Date(deps.clock());
  const chunk = { id: deps.ids('pch'), rings: 0, dueAt: now };
  const none = { targeted: 0, sent: 0, gone: 0, failed: 0, expired: 0 };
  const opened = await deps.sql(OPEN, [
    fanoutRow(fanout, none, { chunksOpen: 1 }),
    delivery.attempt,
    chunk.id,
    now,
    new Date(now.getTime() + RING_AGAIN_AFTER_MS),
  ]);
  if (opened.length === 0) return outcomeOrHandOver(deps, fanout.organizationId, delivery);
  await chunkTable(deps).ring([chunk]);
  return { kind: 'handed_over' };
}

interface FanoutRow extends DeviceCounts {
  readonly organization_id: string;
  readonly notification_id: string;
  readonly user_id: string | null;
  readonly created_at: Date;
  readonly chunks_open: number;
  readonly settled_at: Date | null;
}

/**
 * What an attempt ends with whose delivery has a fan-out already (a worker was killed after it wrote it): its outcome, or, while devices
 * are open, `handed_over`, in the same transaction.
 */
export async function outcomeOrHandOver(
  { pool }: Pick<Deps, 'pool'>,
  organizationId: string,
  { id, attempt }: Pick<Delivery, 'id' | 'attempt'>,
): Promise<Outcome> {
  return inTransaction(pool, async (sql) => {
    const [fanout] = await sql<FanoutRow>(
      'SELECT * FROM push_fanouts WHERE organization_id = $1 AND delivery_id = $2 FOR UPDATE',
      [organizationId, id],
    );
    if (fanout?.settled_at) return outcomeOf(sql, fanout);
    await sql(
      `UPDATE deliveries SET next_attempt_at = NULL, next_ring_at = NULL, lease = NULL, leased_until = NULL
       WHERE organization_id = $1 AND id = $2 AND attempts = $3 AND status = 'sending'`,
      [organizationId, id, attempt],
    );
    return { kind: 'handed_over' };
  });
}

/**
 * Ends the fan-outs of a notification that are not settled: to what was not sent it has expired. Retries come to their end with
 * the next look for them; of a broadcast the chunks in hand, up to 500 devices each, still go out.
 * @returns how many there were.
 */
export async function cancelFanouts(
  sql: Sql,
  organizationId: string,
  notificationId: string,
  now: Date,
): Promise<number> {
  // The retries before their fan-outs, the order in which outcomes are recorded. One that is being tried right now is recorded as
  // expired whatever it comes to: there is no waiting for it.
  await sql(
    `UPDATE push_retries SET next_attempt_at = LEAST(next_attempt_at, $3) FROM push_fanouts AS fanout
     WHERE fanout.organization_id = $1 AND fanout.notification_id = $2 AND fanout.settled_at IS NULL
       AND push_retries.delivery_id = fanout.delivery_id`,
    [organizationId, notificationId, now],
  );
  const canceled = await sql(
    `UPDATE push_fanouts SET expires_at = LEAST(expires_at, $3)
     WHERE organization_id = $1 AND notification_id = $2 AND settled_at IS NULL RETURNING 1 AS one`,
    [organizationId, notificationId, now],
  );
  return canceled.length;
}

/**
 * Settles the fan-out if no device is open any more: its history row and the delivery, in the caller's transaction. A
 * delivery whose attempt is still in a worker's hand gets its outcome from there.
 */
export async function settleIfDone(deps: Deps, sql: Sql, deliveryId: string): Promise<void> {
  // Locked first, looked at second: of two that record the last devices at once, the later one sees both.
  const [fanout] = await sql<FanoutRow>('SELECT * FROM push_fanouts WHERE delivery_id = $1 FOR UPDATE', [
    deliveryId,
  ]);
  if (!fanout || fanout.settled_at || fanout.chunks_open > 0) return;
  const retries = await sql('SELECT 1 AS one FROM push_retries WHERE delivery_id = $1 LIMIT 1', [deliveryId]);
  if (retries.length > 0) return;
  await sql('UPDATE push_fanouts SET settled_at = $2 WHERE delivery_id = $1', [
    deliveryId,
    new Date(deps.clock()),
  ]);
  if (fanout.user_id !== null) {
    await sql(
      `INSERT INTO push_history (organization_id, user_id, notification_id, delivery_id, status, delivered_count, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
      [
        fanout.organization_id,
        fanout.user_id,
        fanout.notification_id,
        deliveryId,
        endOf(fanout),
        fanout.sent,
        fanout.created_at,
      ],
    );
  }
  const [inHand] = await sql(
    'SELECT 1 AS one FROM deliveries WHERE id = $1 AND leased_until IS NOT NULL FOR UPDATE',
    [deliveryId],
  );
  if (!inHand) await settleDelivery(deps, sql, deliveryId, await outcomeOf(sql, fanout));
  reportSettled(deps, deliveryId, fanout.notification_id, fanout.organization_id, fanout);
}

export function reportSettled(
  { log }: Pick<Deps, 'log'>,
  deliveryId: string,
  notificationId: string,
  organizationId: string,
  { targeted, sent, gone, failed, expired }: DeviceCounts,
): void {
  log.info(
    {
      delivery_id: deliveryId,
      notification_id: notificationId,
      organization_id: organizationId,
      targeted,
      sent,
      gone,
      failed,
      expired,
    },
    'push.fanout_settled',
  );
}

const MESSAGES = {
  partial: 'Some devices could not be reached.',
  failed: 'No device could be reached.',
  no_devices: 'There is no device to send to.',
  expired: 'The message expired before a push service took it.',
  canceled: 'The notification was canceled.',
} as const;

async function outcomeOf(sql: Sql, fanout: FanoutRow): Promise<Settlement> {
  return settlementOf(fanout, endOf(fanout) === 'expired' && (await isCanceled(sql, fanout)));
}

/** As the delivery's row has it: what expired is a failure in the aggregate, whose members are fixed (docs/notifications.md#web-push). */
export function settlementOf(devices: DeviceCounts, canceled = false): Settlement {
  const { targeted, sent, gone, failed, expired } = devices;
  const counts = { targeted, sent, gone, failed: failed + expired };
  const end = endOf(devices);
  if (end === 'delivered') return { kind: 'sent', counts };
  const status = canceled ? 'canceled' : end;
  return { kind: 'final', status, errorClass: status, message: MESSAGES[status], counts };
}

/** Canceling lets a fan-out expire (`cancelFanouts`); the delivery says why. */
async function isCanceled(sql: Sql, fanout: FanoutRow): Promise<boolean> {
  const [row] = await sql<{ canceled: boolean }>(
    'SELECT canceled_at IS NOT NULL AS canceled FROM notifications WHERE organization_id = $1 AND id = $2',
    [fanout.organization_id, fanout.notification_id],
  );
  return row?.canceled === true;
}
