// The row of a fan-out: made with the first thing that is known of it, settled by whoever records the last device.
import { inTransaction, type Sql } from '@parley/postgres';
import { REENQUEUE_AFTER_MS } from '@parley/queues';
import type { Delivery, Outcome } from '../channels/channel.ts';
import type { Deps } from '../deps.ts';
import { settleDelivery, type Settlement } from '../notify/settle-delivery.ts';
import { causeText, endOf, type DeviceCounts, type PushCause } from './fanout.rules.ts';
import type { Message } from './send-devices.ts';

/** A send to the devices of a user or of the organisation. */
export interface Fanout extends Message {
  readonly deliveryId: string;
  /** Null: every device of the organisation. */
  readonly userId: string | null;
  /** Null: whatever site they belong to. */
  readonly siteId: string | null;
  /** The shared content that has title, body, url and data; the stored payload leaves them out. */
  readonly contentId: string | null;
}

/** A select list that reads a `Fanout`. */
export const FANOUT_COLUMNS = `push_fanouts.delivery_id AS "deliveryId", push_fanouts.organization_id AS "organizationId",
  push_fanouts.notification_id AS "notificationId", user_id AS "userId", site_id AS "siteId", payload,
  content_id AS "contentId", urgency, topic,
  ttl_seconds AS "ttlSeconds", (extract(epoch FROM push_fanouts.created_at) * 1000)::float8 AS "createdAtMs",
  (extract(epoch FROM push_fanouts.expires_at) * 1000)::float8 AS "expiresAtMs"`;

/** How far a new one is. */
export interface Begun extends DeviceCounts {
  readonly untried: number;
  /** JSON of a `PushCause`. */
  readonly cause: string | null;
  readonly chunksOpen: number;
  readonly settledAtMs: number | null;
}

/**
 * Common table expressions that write a fan-out, once: `batch` is empty when there is one already. `values`: the parameter with
 * `{...Fanout, ...Begun}` as JSON. Whoever cancels the notification at the same moment comes before, and nothing is sent from then on,
 * or finds the fan-out.
 */
export const newFanout = (values: string) => `
  fanout AS (
    SELECT * FROM json_to_record(${values}::json) AS value ("deliveryId" text, "organizationId" text, "notificationId" text,
      "userId" text, "siteId" text, "contentId" text, payload text, urgency text, topic text, "ttlSeconds" int, "createdAtMs" float8,
      "expiresAtMs" float8, "chunksOpen" int, targeted int, sent int, gone int, failed int, expired int, untried int,
      cause text, "settledAtMs" float8)),
  notification AS (
    SELECT canceled_at FROM notifications, fanout WHERE organization_id = "organizationId" AND id = "notificationId"
    FOR KEY SHARE OF notifications),
  batch AS (
    INSERT INTO push_fanouts (delivery_id, organization_id, notification_id, user_id, site_id, content_id, payload, urgency, topic, ttl_seconds,
      created_at, expires_at, chunks_open, targeted, sent, gone, failed, expired, untried, cause, settled_at)
    SELECT "deliveryId", "organizationId", "notificationId", "userId", "siteId", "contentId", payload, urgency, topic, "ttlSeconds",
      to_timestamp("createdAtMs" / 1000), LEAST(to_timestamp("expiresAtMs" / 1000), canceled_at), "chunksOpen", targeted, sent,
      gone, failed, expired, untried, cause, to_timestamp("settledAtMs" / 1000)
    FROM fanout, notification ON CONFLICT (delivery_id) DO NOTHING RETURNING *)`;

/**
 * `attempt`: the parameter with its number. Out of the worker's hand with the same commit that makes devices wait: whoever records the
 * last of them finds a delivery that is free to be settled.
 */
export const handOver = (attempt: string) => `
  handed_over AS (
    UPDATE deliveries SET next_attempt_at = NULL, next_ring_at = NULL, lease = NULL, leased_until = NULL
    FROM batch WHERE deliveries.id = batch.delivery_id AND batch.settled_at IS NULL AND attempts = ${attempt}::int
      AND status = 'sending')`;

/** `id`: of a chunk of the devices behind `after`, due at `now`; none when it is null. Where it ends is found out by who has it in hand. */
export const newChunk = (from: string, id: string, after: string, now: string) => `
  opened AS (
    INSERT INTO push_chunks (id, delivery_id, organization_id, done_id, due_at, next_ring_at)
    SELECT ${id}::text, delivery_id, organization_id, ${after}::text, ${now}::timestamptz,
      ${now}::timestamptz + ${REENQUEUE_AFTER_MS} * interval '1 ms'
    FROM ${from} WHERE ${id}::text IS NOT NULL)`;

/** The row of a user's history, once the fan-out is settled; those of a broadcast are written with its devices. */
export const newHistory = (status: string) => `
  history AS (
    INSERT INTO push_history (organization_id, user_id, notification_id, delivery_id, status, delivered_count, created_at)
    SELECT organization_id, user_id, notification_id, delivery_id, ${status}::text, sent, created_at
    FROM batch WHERE settled_at IS NOT NULL AND user_id IS NOT NULL ON CONFLICT DO NOTHING)`;

interface FanoutRow extends DeviceCounts {
  readonly organization_id: string;
  readonly notification_id: string;
  readonly settled_at: Date | null;
  readonly untried: number;
  readonly cause: string | null;
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
       AND push_retries.delivery_id = fanout.delivery_id AND quarantined_at IS NULL`,
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
  if (!fanout) return;
  const settled = await sql(
    `WITH batch AS (
       UPDATE push_fanouts SET settled_at = $2 WHERE delivery_id = $1 AND settled_at IS NULL AND chunks_open = 0
         AND NOT EXISTS (SELECT FROM push_retries WHERE push_retries.delivery_id = $1) RETURNING *),
     ${newHistory('$3')}
     SELECT 1 AS one FROM batch`,
    [deliveryId, new Date(deps.clock()), endOf(fanout)],
  );
  if (settled.length === 0) return;
  const [inHand] = await sql(
    'SELECT 1 AS one FROM deliveries WHERE id = $1 AND leased_until IS NOT NULL FOR UPDATE',
    [deliveryId],
  );
  if (!inHand) await settleDelivery(deps, sql, deliveryId, await outcomeOf(sql, fanout));
  reportSettled(
    deps,
    deliveryId,
    fanout.organization_id,
    fanout.notification_id,
    fanout,
    causeIn(fanout.cause),
  );
}

export function reportSettled(
  { log }: Pick<Deps, 'log'>,
  deliveryId: string,
  organizationId: string,
  notificationId: string,
  { targeted, sent, gone, failed, expired }: DeviceCounts,
  cause: PushCause | null,
): void {
  const ids = { delivery_id: deliveryId, notification_id: notificationId, organization_id: organizationId };
  const why = cause ? { error_class: cause.errorClass, cause: causeText(cause) } : {};
  log.info({ ...ids, targeted, sent, gone, failed, expired, ...why }, 'push.fanout_settled');
}

const MESSAGES = {
  partial: 'Some devices could not be reached',
  failed: 'No device could be reached',
  no_devices: 'There is no device to send to',
  expired: 'The message expired before a push service took it',
  canceled: 'The notification was canceled',
} as const;

async function outcomeOf(sql: Sql, fanout: FanoutRow): Promise<Settlement> {
  const canceled = fanout.expired > 0 && (await isCanceled(sql, fanout));
  return settlementOf(fanout, causeIn(fanout.cause), canceled ? { untried: fanout.untried } : undefined);
}

const causeIn = (text: string | null) => (text === null ? null : (JSON.parse(text) as PushCause));

/**
 * As the delivery's row has it: what expired is a failure in the aggregate, whose members are fixed (docs/notifications.md#web-push),
 * but for devices that were never tried because the notification was canceled.
 */
export function settlementOf(
  devices: DeviceCounts,
  cause: PushCause | null,
  canceled?: { readonly untried: number },
): Settlement {
  const { targeted, sent, gone, failed, expired } = devices;
  const counts = { targeted, sent, gone, failed: failed + expired - (canceled?.untried ?? 0) };
  const end = endOf(devices);
  if (end === 'delivered') return { kind: 'sent', counts };
  const status = canceled && end === 'expired' ? 'canceled' : end;
  if (status === 'canceled' || status === 'no_devices' || cause === null)
    return { kind: 'final', status, errorClass: status, message: `${MESSAGES[status]}.`, counts };
  const message = `${MESSAGES[status]}: ${causeText(cause)}.`;
  const errorClass = status === 'expired' ? status : cause.errorClass;
  return { kind: 'final', status, errorClass, message, httpStatus: cause.httpStatus, counts };
}

/** Canceling lets a fan-out expire (`cancelFanouts`); the delivery says why. */
async function isCanceled(sql: Sql, fanout: FanoutRow): Promise<boolean> {
  const [row] = await sql<{ canceled: boolean }>(
    'SELECT canceled_at IS NOT NULL AS canceled FROM notifications WHERE organization_id = $1 AND id = $2',
    [fanout.organization_id, fanout.notification_id],
  );
  return row?.canceled === true;
}
