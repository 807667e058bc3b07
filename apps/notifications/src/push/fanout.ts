// The row of a fan-out and its chunks: made when the delivery is first attempted, claimed chunk by chunk, settled by whoever
// records the last device. Called by the channel, send-chunk.ts and retry-devices.ts.
import { inTransaction, type Sql } from '@parley/postgres';
import type { Delivery, Outcome } from '../channels/channel.ts';
import type { Deps } from '../deps.ts';
import { RING_AGAIN_AFTER_MS } from '../notify/ring.rules.ts';
import { settleDelivery, type Settlement } from '../notify/settle-delivery.ts';
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

/**
 * Writes the fan-out with its first chunk, once: a delivery that is attempted again finds what the first attempt wrote.
 * @returns the chunks that are open.
 */
export async function openFanout(
  deps: Pick<Deps, 'pool' | 'ids' | 'clock'>,
  fanout: NewFanout,
): Promise<string[]> {
  return inTransaction(deps.pool, async (sql) => {
    const made = await sql(
      `INSERT INTO push_fanouts (delivery_id, organization_id, notification_id, user_id, site_id, payload, urgency, topic,
         ttl_seconds, created_at, expires_at, chunks_open)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1) ON CONFLICT (delivery_id) DO NOTHING RETURNING 1 AS one`,
      [
        fanout.deliveryId,
        fanout.organizationId,
        fanout.notificationId,
        fanout.userId,
        fanout.siteId,
        fanout.payload,
        fanout.urgency,
        fanout.topic,
        fanout.ttlSeconds,
        new Date(fanout.createdAtMs),
        new Date(fanout.expiresAtMs),
      ],
    );
    if (made.length > 0) return [await addChunk(deps, sql, fanout, '')];
    const open = await sql<{ id: string }>(
      'SELECT id FROM push_chunks WHERE organization_id = $1 AND delivery_id = $2',
      [fanout.organizationId, fanout.deliveryId],
    );
    return open.map(({ id }) => id);
  });
}

/** A chunk of the devices behind `afterId`; where it ends is found out by the worker that first has it in hand. */
export async function addChunk(
  { ids, clock }: Pick<Deps, 'ids' | 'clock'>,
  sql: Sql,
  { deliveryId, organizationId }: { readonly deliveryId: string; readonly organizationId: string },
  afterId: string,
): Promise<string> {
  const id = ids('pch');
  await sql(
    `INSERT INTO push_chunks (id, delivery_id, organization_id, done_id, next_ring_at) VALUES ($1, $2, $3, $4, $5)`,
    [id, deliveryId, organizationId, afterId, new Date(clock() + RING_AGAIN_AFTER_MS)],
  );
  return id;
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
 * What an attempt of a delivery ends with: the outcome of its fan-out, or, while devices are open, `handed_over`. Handed over
 * means out of the worker's hand in the same transaction: whoever records the last device then finds either a delivery in hand
 * and leaves its outcome here to be found, or one that is free to be settled. There is no moment in between.
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
      `UPDATE deliveries SET next_attempt_at = NULL, next_ring_at = NULL, leased_until = NULL
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
  const { targeted, sent, gone, failed, expired } = fanout;
  deps.log.info(
    {
      delivery_id: deliveryId,
      notification_id: fanout.notification_id,
      organization_id: fanout.organization_id,
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

/** As the delivery's row has it: what expired is a failure in the aggregate, whose members are fixed (spec notifications §4). */
async function outcomeOf(sql: Sql, fanout: FanoutRow): Promise<Settlement> {
  const { targeted, sent, gone, failed, expired } = fanout;
  const counts = { targeted, sent, gone, failed: failed + expired };
  const end = endOf(fanout);
  if (end === 'delivered') return { kind: 'sent', counts };
  const status = end === 'expired' && (await isCanceled(sql, fanout)) ? 'canceled' : end;
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
