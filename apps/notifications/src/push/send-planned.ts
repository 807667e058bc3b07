// Sends what the web_push channel planned: to stored devices as a fan-out, to a subscription that the request brought along
// right here. Called by channels/web-push.ts, when the delivery's time has come.
import { z } from 'zod';
import type { Delivery, Notice, Outcome, SendContext } from '../channels/channel.ts';
import { openedSubscription } from './check-subscription.ts';
import { topicOf, URGENCIES } from './engine/push-sender.ts';
import { openFanout, outcomeOrHandOver } from './fanout.ts';
import { expiresAtMsOf, remainingTtl } from './fanout.rules.ts';
import { payloadOf } from './payload.rules.ts';
import { ringChunks } from './ring-chunks.ts';
import { sendChunk } from './send-chunk.ts';
import type { PushDeps } from './send-devices.ts';

/** What is kept of a target. A subscription is sealed beside it. */
export const plannedPush = z.object({
  to: z.enum(['user', 'broadcast', 'subscription']),
  user_id: z.string().nullable(),
  site_id: z.string().optional(),
  site_only: z.boolean(),
  url: z.string().optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  ttl: z.int(),
  urgency: z.enum(URGENCIES),
  topic: z.string().nullable(),
  endpoint_host: z.string().optional(),
  key_id: z.string().optional(),
});
export type PlannedPush = z.output<typeof plannedPush>;

export function payloadFor(notice: Notice, { url, data, site_id: siteId }: PlannedPush): string {
  const { id: notificationId, subject: title, message: body } = notice;
  return payloadOf({ notificationId, title, body, url, data, siteId });
}

function messageFor(notice: Notice, plan: PlannedPush) {
  // TTL and audience of a scheduled send are those of its time, not of the request.
  const createdAtMs = (notice.sendAt ?? notice.createdAt).getTime();
  return {
    organizationId: notice.organizationId,
    notificationId: notice.id,
    payload: payloadFor(notice, plan),
    urgency: plan.urgency,
    topic: plan.topic,
    ttlSeconds: plan.ttl,
    createdAtMs,
    expiresAtMs: expiresAtMsOf(createdAtMs, plan.ttl, notice.expiresAt?.getTime() ?? null),
  };
}

/**
 * To stored devices. A user's are at most fifty: sent right here, and only when some of them get another attempt is the
 * delivery handed over. A broadcast is handed over at once, chunk by chunk, to the queue of chunks.
 */
export async function sendStored(
  deps: PushDeps,
  notice: Notice,
  delivery: Delivery,
  plan: PlannedPush,
  { signal }: SendContext,
): Promise<Outcome> {
  const { organizationId } = notice;
  const open = await openFanout(deps, {
    ...messageFor(notice, plan),
    deliveryId: delivery.id,
    userId: plan.user_id,
    siteId: plan.site_only ? (plan.site_id ?? null) : null,
  });
  if (plan.to === 'broadcast') {
    await ringChunks(
      deps,
      open.map((id) => ({ id, rings: 0 })),
    );
  } else {
    for (const id of open) await sendChunk(deps, id, signal);
  }
  return outcomeOrHandOver(deps, organizationId, delivery);
}

/** To the subscription that the request brought along: one device, tried again like any delivery. */
export async function sendDirect(
  deps: PushDeps,
  notice: Notice,
  delivery: Delivery,
  plan: PlannedPush,
): Promise<Outcome> {
  const { push, clock } = deps;
  const message = messageFor(notice, plan);
  const nowMs = clock();
  if (nowMs >= message.expiresAtMs)
    return final('expired', 'expired', 'The message expired before a push service took it.');
  const key = (await push.vapidKeys()).byId.get(plan.key_id ?? '');
  if (!key) return final('failed', 'key_mismatch', KEY_MISMATCH);
  const device = openedSubscription(delivery.sealed?.reveal() ?? '');
  const [body] = await push.encryption.encryptAll(Buffer.from(message.payload), [device]);
  if (!body) return final('failed', 'invalid_keys', 'The keys of the subscription cannot be encrypted for.');
  const result = await push.sender.send(
    device.endpoint,
    body,
    key,
    plan.topic ?? topicOf(notice.id, delivery.id),
    {
      ttlSeconds: remainingTtl(message, nowMs),
      urgency: message.urgency,
    },
  );
  push.counted(result.kind, 1);
  switch (result.kind) {
    case 'sent':
      return { kind: 'sent' };
    case 'gone':
      return final('no_devices', 'gone', 'The push service does not know the subscription any more.');
    case 'key_mismatch':
      return final('failed', 'key_mismatch', KEY_MISMATCH);
    case 'rejected':
      return final('failed', result.errorClass, 'The push service refused the message.');
    case 'unavailable':
      return {
        kind: 'retry',
        errorClass: result.errorClass,
        message: 'The push service could not be reached.',
      };
    case 'throttled':
    case 'deferred':
      return {
        kind: 'retry',
        errorClass: 'throttled',
        message: 'The push service asked to be left alone for a while.',
        retryAfterMs: result.waitMs,
      };
  }
}

const KEY_MISMATCH = 'The subscription was made with another VAPID key: the browser has to subscribe again.';

function final(status: 'failed' | 'no_devices' | 'expired', errorClass: string, message: string): Outcome {
  return { kind: 'final', status, errorClass, message };
}
