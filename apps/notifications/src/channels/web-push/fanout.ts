// The row of a fan-out: created with its first fact, settled with its last recorded device.
import { inTransaction, type Sql } from '@parley/server/postgres';
import { REENQUEUE_AFTER_MS } from '@parley/jobs';
import type { Delivery } from '../channel.ts';
import type { BaseDeps } from '../../base-deps.ts';
import { settleDelivery } from '../../outcomes/settle-delivery.ts';
import { computeEnd, type DeviceCounts } from './fanout.rules.ts';
import type { Message } from './send-devices.ts';
import type { Outcome, Settlement } from '../../outcomes/outcome.ts';
import { type PushCause, causeText } from '../../push-engine/push-outcome.rules.ts';

/** A send to the devices of a user or of the organisation. */
export interface Fanout extends Message {
  readonly deliveryId: string;
  /** Null: every device of the organisation. */
  readonly userId: string | null;
  /** Null: any site. */
  readonly siteId: string | null;
  /** The shared content with title, body, url and data, which the stored payload then omits. */
  readonly contentId: string | null;
}

/** Select list of a `Fanout`. */
export const FANOUT_COLUMNS = `push_fanouts.delivery_id AS "deliveryId", push_fanouts.organization_id AS "organizationId",
  push_fanouts.notification_id AS "notificationId", user_id AS "userId", site_id AS "siteId", payload,
  content_id AS "contentId", urgency, topic,
  ttl_seconds AS "ttlSeconds", (extract(epoch FROM push_fanouts.created_at) * 1000)::float8 AS "createdAtMs",
  (extract(epoch FROM push_fanouts.expires_at) * 1000)::float8 AS "expiresAtMs"`;

/** Initial progress of a fan-out. */
export interface FanoutProgress extends DeviceCounts {
  readonly untried: number;
  /** JSON of a `PushCause`. */
  readonly cause: string | null;
  readonly chunksOpen: number;
  readonly settledAtMs: number | null;
}

/**
 * Common table expressions that insert a fan-out once; `batch` is empty when it exists. `values`:
 * the parameter with `{...Fanout, ...FanoutProgress}` as JSON. A concurrent cancellation either
 * commits first, so that nothing is sent, or finds the fan-out.
 */
export const insertFanout = (values: string) => `
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

/** Releases the delivery in the commit that lets devices wait. `attempt`: its parameter. */
export const handOver = (attempt: string) => `
  handed_over AS (
    UPDATE deliveries SET next_attempt_at = NULL, next_ring_at = NULL, lease = NULL, leased_until = NULL
    FROM batch WHERE deliveries.id = batch.delivery_id AND batch.settled_at IS NULL AND attempts = ${attempt}::int
      AND status = 'sending')`;

/** A chunk after `after`, due at `now`; none when the parameter `id` is null. */
export const insertChunk = (from: string, id: string, after: string, now: string) => `
  opened AS (
    INSERT INTO push_chunks (id, delivery_id, organization_id, done_id, due_at, next_ring_at)
    SELECT ${id}::text, delivery_id, organization_id, ${after}::text, ${now}::timestamptz,
      ${now}::timestamptz + ${REENQUEUE_AFTER_MS} * interval '1 ms'
    FROM ${from} WHERE ${id}::text IS NOT NULL)`;

/** The history row of a user. A broadcast writes its rows with its devices. */
export const insertHistory = (status: string) => `
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
 * The result of an attempt whose fan-out already exists, because a worker was killed after writing
 * it: its outcome, or `handed_over` in the same transaction while devices are open.
 */
export async function outcomeOrHandOver(
  { pool }: Pick<BaseDeps, 'pool'>,
  organizationId: string,
  { id, attempt }: Pick<Delivery, 'id' | 'attempt'>,
): Promise<Outcome> {
  return inTransaction(pool, async (sql) => {
    const [fanout] = await sql<FanoutRow>(
      'SELECT * FROM push_fanouts WHERE organization_id = $1 AND delivery_id = $2 FOR UPDATE',
      [organizationId, id],
    );
    if (fanout?.settled_at) return loadOutcome(sql, fanout);
    await sql(
      `UPDATE deliveries SET next_attempt_at = NULL, next_ring_at = NULL, lease = NULL, leased_until = NULL
       WHERE organization_id = $1 AND id = $2 AND attempts = $3 AND status = 'sending'`,
      [organizationId, id, attempt],
    );
    return { kind: 'handed_over' };
  });
}

/**
 * Ends the unsettled fan-outs of a notification by expiring them. Retries end with their next
 * round. Chunks in flight, up to 500 devices each, still go out.
 * @returns the number of ended fan-outs.
 */
export async function cancelFanouts(
  sql: Sql,
  organizationId: string,
  notificationId: string,
  now: Date,
): Promise<number> {
  // Retries before fan-outs, the lock order of recording. A retry in flight is recorded as expired;
  // waiting for it is not possible.
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
 * Settles the fan-out if no device is open: its history row and its delivery, in the caller's
 * transaction. A delivery that a worker still holds gets its outcome from that worker.
 */
export async function settleIfDone(deps: BaseDeps, sql: Sql, deliveryId: string): Promise<void> {
  // Lock first, then read: of two workers that record the last devices, the later one sees both.
  const [fanout] = await sql<FanoutRow>('SELECT * FROM push_fanouts WHERE delivery_id = $1 FOR UPDATE', [
    deliveryId,
  ]);
  if (!fanout) return;
  const settled = await sql(
    `WITH batch AS (
       UPDATE push_fanouts SET settled_at = $2 WHERE delivery_id = $1 AND settled_at IS NULL AND chunks_open = 0
         AND NOT EXISTS (SELECT FROM push_retries WHERE push_retries.delivery_id = $1) RETURNING *),
     ${insertHistory('$3')}
     SELECT 1 AS one FROM batch`,
    [deliveryId, new Date(deps.clock()), computeEnd(fanout)],
  );
  if (settled.length === 0) return;
  const [held] = await sql(
    'SELECT 1 AS one FROM deliveries WHERE id = $1 AND leased_until IS NOT NULL FOR UPDATE',
    [deliveryId],
  );
  if (!held) await settleDelivery(deps, sql, deliveryId, await loadOutcome(sql, fanout));
  const { organization_id: organizationId, notification_id: notificationId, cause } = fanout;
  reportSettled(deps, { deliveryId, organizationId, notificationId }, fanout, parseCause(cause));
}

type FanoutIds = Pick<Fanout, 'deliveryId' | 'organizationId' | 'notificationId'>;

export function reportSettled(
  { log }: Pick<BaseDeps, 'log'>,
  { deliveryId, organizationId, notificationId }: FanoutIds,
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
  expired: 'The message expired before a push service accepted it',
  canceled: 'The notification was canceled',
} as const;

async function loadOutcome(sql: Sql, fanout: FanoutRow): Promise<Settlement> {
  const canceled = fanout.expired > 0 && (await isCanceled(sql, fanout));
  return toSettlement(fanout, parseCause(fanout.cause), canceled ? { untried: fanout.untried } : undefined);
}

const parseCause = (text: string | null) => (text === null ? null : (JSON.parse(text) as PushCause));

/** Fixed counts (docs/notifications.md#web-push): expired devices are failed, untried are not. */
export function toSettlement(
  devices: DeviceCounts,
  cause: PushCause | null,
  canceled?: { readonly untried: number },
): Settlement {
  const { targeted, sent, gone, failed, expired } = devices;
  const counts = { targeted, sent, gone, failed: failed + expired - (canceled?.untried ?? 0) };
  const end = computeEnd(devices);
  if (end === 'delivered') return { kind: 'sent', counts };
  const status = canceled && end === 'expired' ? 'canceled' : end;
  if (status === 'canceled' || status === 'no_devices' || cause === null)
    return { kind: 'final', status, errorClass: status, message: `${MESSAGES[status]}.`, counts };
  const message = `${MESSAGES[status]}: ${causeText(cause)}.`;
  const errorClass = status === 'expired' ? status : cause.errorClass;
  return { kind: 'final', status, errorClass, message, httpStatus: cause.httpStatus, counts };
}

/** Cancelling expires a fan-out (`cancelFanouts`); the delivery shows the reason. */
async function isCanceled(sql: Sql, fanout: FanoutRow): Promise<boolean> {
  const [row] = await sql<{ canceled: boolean }>(
    'SELECT canceled_at IS NOT NULL AS canceled FROM notifications WHERE organization_id = $1 AND id = $2',
    [fanout.organization_id, fanout.notification_id],
  );
  return row?.canceled === true;
}
