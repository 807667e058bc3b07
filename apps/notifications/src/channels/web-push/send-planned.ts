// Sends the plan of the web_push channel when the delivery is due: a broadcast in chunks; a user's
// devices, or the subscription of the request, at once.
import { z } from 'zod';
import { anyObject } from '@parley/envelopes';
import type { Delivery, Notice } from '../channel.ts';
import { isAutopush, toAutopushPayload } from './autopush.ts';
import { parseSubscription } from './check-subscription.ts';
import { chunkTable } from './chunk-table.ts';
import { computeTopic, URGENCIES, type PushResult } from '../../push-engine/push-sender.ts';
import {
  handOver,
  insertChunk,
  insertFanout,
  outcomeOrHandOver,
  reportSettled,
  toSettlement,
  type FanoutProgress,
  type Fanout,
} from './fanout.ts';
import { computeExpiresAtMs, remainingTtl } from './fanout.rules.ts';
import { buildPayload, buildWithdrawal } from './payload.rules.ts';
import { countDevices, isOpen, toRecordedDevices, findCause, recordUser } from './record-devices.ts';
import { DEVICES_PER_USER_MAX } from './registrations.ts';
import { prepareDevices, sendPrepared, type Device, type PushDeps } from './send-devices.ts';
import type { Outcome } from '../../outcomes/outcome.ts';
import { causeText, toCause } from '../../push-engine/push-outcome.rules.ts';

/** The stored target. A subscription is sealed separately. */
export const plannedPush = z.object({
  to: z.enum(['user', 'broadcast', 'subscription']),
  user_id: z.string().nullable(),
  site_id: z.string().optional(),
  site_only: z.boolean(),
  url: z.string().optional(),
  data: anyObject.optional(),
  ttl: z.int(),
  urgency: z.enum(URGENCIES),
  topic: z.string().nullable(),
  endpoint_host: z.string().optional(),
  key_id: z.string().optional(),
  receipt: z.string().optional(),
  beacon: z.string().optional(),
  /** Whether reading elsewhere withdraws it; `now`: this delivery is the withdrawal. */
  withdraw: z.enum(['when_read', 'now']).optional(),
});
export type PlannedPush = z.output<typeof plannedPush>;

export function buildPlannedPayload(
  notice: Notice,
  { url, data, site_id: siteId, receipt, beacon, withdraw }: PlannedPush,
): string {
  const { id: notificationId, subject: title, message: body } = notice;
  if (withdraw === 'now') return buildWithdrawal(notificationId);
  return buildPayload({ notificationId, title, body, url, data, siteId, receipt, beacon });
}

function toFanout(notice: Notice, delivery: Delivery, plan: PlannedPush): Fanout {
  // TTL and audience of a scheduled send count from its time, not the request's.
  const createdAtMs = (notice.sendAt ?? notice.createdAt).getTime();
  return {
    deliveryId: delivery.id,
    organizationId: notice.organizationId,
    notificationId: notice.id,
    userId: plan.user_id,
    siteId: plan.site_only ? (plan.site_id ?? null) : null,
    payload: buildPlannedPayload(notice, plan),
    contentId: notice.contentId ?? null,
    urgency: plan.urgency,
    topic: plan.topic,
    ttlSeconds: plan.ttl,
    createdAtMs,
    expiresAtMs: computeExpiresAtMs(createdAtMs, plan.ttl, notice.expiresAt?.getTime() ?? null),
  };
}

const OPEN_BROADCAST = `
  WITH ${insertFanout('$1')}, ${handOver('$2')}, ${insertChunk('batch', '$3', "''", '$4')}
  SELECT 1 AS one FROM batch`;

/** Hands over at once to the queue of chunks. */
export async function sendBroadcast(
  deps: PushDeps,
  notice: Notice,
  delivery: Delivery,
  plan: PlannedPush,
): Promise<Outcome> {
  const chunk = { id: deps.ids('pch'), rings: 0, dueAt: new Date(deps.clock()) };
  const begun: FanoutProgress = {
    ...countDevices([], 0),
    untried: 0,
    cause: null,
    chunksOpen: 1,
    settledAtMs: null,
  };
  const values = JSON.stringify({ ...toFanout(notice, delivery, plan), ...begun });
  const opened = await deps.sql(OPEN_BROADCAST, [values, delivery.attempt, chunk.id, chunk.dueAt]);
  if (opened.length === 0) return outcomeOrHandOver(deps, notice.organizationId, delivery);
  await chunkTable(deps).enqueue([chunk]);
  return { kind: 'handed_over' };
}

/** Records all devices together; a worker killed before that repeats them. */
export async function sendToUser(
  deps: PushDeps,
  notice: Notice,
  delivery: Delivery,
  plan: PlannedPush,
): Promise<Outcome> {
  const fanout = toFanout(notice, delivery, plan);
  const { organizationId } = notice;
  const rows = await deps.sql<Device & { readonly begun: boolean }>(DEVICES_OF_USER, [
    organizationId,
    fanout.userId,
    new Date(fanout.createdAtMs),
    fanout.siteId,
    delivery.id,
    DEVICES_PER_USER_MAX,
    plan.withdraw === 'now' ? NO_SILENT_PUSH : null,
  ]);
  if (rows[0]?.begun) return outcomeOrHandOver(deps, organizationId, delivery);
  const devices = rows.filter(({ id }) => id !== null);
  const tried = await sendPrepared(deps, fanout, await prepareDevices(deps, fanout, devices));
  const recorded = toRecordedDevices(deps, fanout, tried);
  if (!(await recordUser(deps, fanout, delivery.attempt, recorded)))
    return outcomeOrHandOver(deps, organizationId, delivery);
  if (isOpen(recorded)) return { kind: 'handed_over' };
  const counts = countDevices(recorded, recorded.length);
  const cause = findCause(recorded);
  reportSettled(deps, fanout, counts, cause);
  return toSettlement(counts, cause);
}

/** Safari revokes subscriptions that receive silent pushes. */
const NO_SILENT_PUSH = '%.push.apple.com';

/** At least one row, which shows whether the fan-out exists; then no devices. */
const DEVICES_OF_USER = `
  SELECT fanout.delivery_id IS NOT NULL AS begun, device.id, device.user_id AS "userId", device.key_id AS "keyId", device.sealed
  FROM (SELECT $5::text AS id) AS delivery
  LEFT JOIN push_fanouts AS fanout ON fanout.delivery_id = delivery.id
  LEFT JOIN LATERAL (
    SELECT * FROM push_subscriptions
    WHERE organization_id = $1 AND user_id = $2 AND gone_at IS NULL AND created_at <= $3 AND ($4::text IS NULL OR site_id = $4)
      AND ($7::text IS NULL OR endpoint_host NOT LIKE $7)
    ORDER BY id LIMIT $6
  ) AS device ON fanout.delivery_id IS NULL
  ORDER BY device.id`;

/** Sends to the subscription of the request: one device, retried like any delivery. */
export async function sendDirect(
  deps: PushDeps,
  notice: Notice,
  delivery: Delivery,
  plan: PlannedPush,
): Promise<Outcome> {
  const { push, clock } = deps;
  const message = toFanout(notice, delivery, plan);
  const nowMs = clock();
  if (nowMs >= message.expiresAtMs)
    return final('expired', 'expired', 'The message expired before a push service accepted it.');
  const key = (await push.vapidKeys()).byId.get(plan.key_id ?? '');
  if (!key) return final('failed', 'key_mismatch', KEY_MISMATCH);
  const device = parseSubscription(delivery.sealed?.reveal() ?? '');
  const payload = isAutopush(device.endpoint) ? toAutopushPayload(message.payload) : message.payload;
  const [body] = await push.encryption.encryptAll(Buffer.from(payload), [device]);
  if (!body)
    return final('failed', 'invalid_keys', 'The keys of the subscription are not usable for encryption.');
  const result = await push.sender.send(
    device.endpoint,
    body,
    key,
    computeTopic(...(plan.topic === null ? [notice.id, delivery.id] : [plan.topic])),
    {
      ttlSeconds: remainingTtl(message, nowMs),
      urgency: message.urgency,
    },
  );
  push.countAttempt(result);
  return toDirectOutcome(result);
}

function toDirectOutcome(result: PushResult): Outcome {
  const cause = toCause(result);
  const why = cause === null ? '' : `: ${causeText(cause)}`;
  const httpStatus = cause?.httpStatus;
  switch (result.kind) {
    case 'sent':
      return { kind: 'sent' };
    case 'gone':
      return final('no_devices', 'gone', 'The push service no longer knows the subscription.');
    case 'key_mismatch':
      return final('failed', 'key_mismatch', KEY_MISMATCH, httpStatus);
    case 'rejected':
      return final('failed', result.errorClass, `The push service refused the message${why}.`, httpStatus);
    case 'unavailable':
      return {
        kind: 'retry',
        errorClass: result.errorClass,
        message: `The push service could not be reached${why}.`,
        httpStatus,
      };
    case 'throttled':
    case 'deferred':
      return {
        kind: 'retry',
        errorClass: 'throttled',
        message: 'The push service limits the rate of messages.',
        httpStatus,
        retryAfterMs: result.waitMs,
      };
  }
}

const KEY_MISMATCH = 'The subscription was made with another VAPID key: the browser must subscribe again.';

function final(
  status: 'failed' | 'no_devices' | 'expired',
  errorClass: string,
  message: string,
  httpStatus?: number,
): Outcome {
  return { kind: 'final', status, errorClass, message, httpStatus };
}
