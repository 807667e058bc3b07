// The web_push channel: to the devices of a user, of the whole organisation, or to one subscription
// in the request. Plans here; send-planned.ts sends.
import { z } from 'zod';
import { freeForm, link, type FieldProblem } from '@parley/envelopes';
import type { Sql } from '@parley/server/postgres';
import { callerId, storedId } from '../../callers/caller-id.ts';
import { NOT_TRACKED, createTokens } from '../../engagements/tracking-token.ts';
import { checkSubscription } from './check-subscription.ts';
import { encryptedBytes, PLAINTEXT_BYTES_MAX } from '../../push-engine/encrypt.ts';
import { URGENCIES } from '../../push-engine/push-sender.ts';
import { cancelFanouts } from './fanout.ts';
import { payloadBytes } from './payload.rules.ts';
import { createReceipt } from './push-receipt.ts';
import type { Push } from '../../push-engine/push.ts';
import { keyId, subscription } from './schemas.ts';
import {
  buildPlannedPayload,
  plannedPush,
  sendBroadcast,
  sendDirect,
  sendToUser,
  type PlannedPush,
} from './send-planned.ts';
import { createMessageLinks, writeLinks } from '../../people/message-links.ts';
import type { BaseDeps } from '../../base-deps.ts';
import type { Channel, Notice } from '../channel.ts';

/** Four weeks: the longest that push services store a message, and the default. */
const TTL_SECONDS_MAX = 28 * 24 * 60 * 60;

const target = z
  .strictObject({
    user_id: callerId.optional().describe('Sends to the devices of this user'),
    broadcast: z.boolean().optional().describe('true: sends to every device of the organisation'),
    subscription: subscription.optional().describe('Sends to this subscription without storing it'),
    key_id: keyId.optional().describe('With `subscription`: its VAPID key. Default: the current one'),
    site_id: storedId.optional().describe('Part of the payload'),
    site_only: z.boolean().optional().describe('true: sends only to devices registered with this site_id'),
    url: link
      .optional()
      .describe('Opened when the notification is clicked: a path of your page, or an https address'),
    data: freeForm().optional().describe('Any data for your service worker'),
    ttl: z
      .int()
      .min(0)
      .max(TTL_SECONDS_MAX)
      .default(TTL_SECONDS_MAX)
      .describe('Seconds that a push service stores it for an offline device; 0: only if it is online now'),
    urgency: z.enum(URGENCIES).default('normal').describe('How urgent it is to wake the device'),
    topic: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,32}$/, 'must be 1 to 32 characters of A–Z, a–z, 0–9, _ and -')
      .optional()
      .describe(
        'Replaces an undelivered message of the same topic. Default: one per notification and device',
      ),
    withdraw: z
      .boolean()
      .optional()
      .describe(
        'true, with in_app to the same user: reading the item removes it from the devices. Your service worker must support it',
      ),
  })
  .superRefine((given, context) => {
    const selectors = [given.user_id, given.broadcast || undefined, given.subscription];
    if (selectors.filter((selector) => selector !== undefined).length !== 1) {
      context.addIssue({
        code: 'custom',
        message: 'must have exactly one of user_id, broadcast: true and subscription',
      });
    }
    const problem = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    if (given.key_id !== undefined && !given.subscription) problem('key_id', 'needs a subscription');
    if (given.withdraw && given.user_id === undefined) problem('withdraw', 'needs a user_id');
    if (given.site_only && given.site_id === undefined) problem('site_only', 'needs a site_id');
    if (given.site_only && given.subscription) problem('site_only', 'is not allowed with a subscription');
  })
  .describe('Web push: exactly one of user_id, broadcast and subscription');
type Target = z.output<typeof target>;

export const webPush: Channel<Target> = {
  name: 'web_push',
  target,
  addresses: [['subscription', 'endpoint']],
  targetOptional: false,
  queue: 'push-sends',
  isOn: (config) => config.NOTIFICATIONS_WEB_PUSH_ENABLED,
  receiver: (plain) => {
    const { user_id: user, endpoint_host: host } = receivers.safeParse(plain).data ?? {};
    return user ?? host ?? null;
  },

  plan: async (deps, _sql, notice, given, { inboxUser, track, recipient, category }) => {
    const push = requirePush(deps);
    const base = deps.config.PUBLIC_URL;
    if (track?.clicks && base === undefined) return { ok: false, kind: 'unconfigured', reason: NOT_TRACKED };
    const problems: FieldProblem[] = [];
    const checked = given.subscription && checkSubscription(deps.outbound, given.subscription);
    if (checked?.ok === false)
      problems.push(
        ...checked.problems.map(({ path, message }) => ({ path: `/subscription${path}`, message })),
      );
    const { current, byId } = await push.vapidKeys();
    if (given.key_id !== undefined && !byId.has(given.key_id))
      problems.push({ path: '/key_id', message: 'is not a VAPID key of this installation' });
    const plain: PlannedPush = {
      ...toPlanned(given),
      ...(given.user_id !== undefined && given.user_id === inboxUser
        ? { receipt: await createReceipt(deps, notice, inboxUser) }
        : {}),
      ...(track?.clicks ? { beacon: await createBeacon(deps, notice, base!) } : {}),
      ...(checked?.ok
        ? { endpoint_host: checked.subscription.host, key_id: given.key_id ?? current.id }
        : {}),
    };
    const links =
      recipient && base !== undefined
        ? createMessageLinks(base, recipient, category?.id ?? null, 'web_push')
        : undefined;
    const message = links ? writeLinks(notice.message, links) : notice.message;
    const bytes = payloadBytes(buildPlannedPayload({ ...notice, message }, plain));
    if (bytes > PLAINTEXT_BYTES_MAX) {
      problems.push({
        path: '',
        message: `the push payload (subject, message, url, data, site_id) takes ${bytes} bytes of at most ${PLAINTEXT_BYTES_MAX}`,
      });
    }
    if (problems.length > 0) return { ok: false, kind: 'invalid', fields: problems };
    return { ok: true, plain, ...(checked?.ok ? { sealed: checked.subscription.secret } : {}) };
  },

  fits: (notice, plain) =>
    payloadBytes(buildPlannedPayload(notice, plannedPush.parse(plain))) <= PLAINTEXT_BYTES_MAX,

  preview: async (deps, sql, notice, { plain }) => {
    const plan = plannedPush.parse(plain);
    const payload = buildPlannedPayload(notice, plan);
    const bytes = payloadBytes(payload);
    return {
      payload: JSON.parse(payload) as unknown,
      payload_bytes: bytes,
      payload_bytes_left: PLAINTEXT_BYTES_MAX - bytes,
      body_bytes: encryptedBytes(bytes),
      devices: plan.to === 'subscription' ? 1 : await countDevices(sql, notice, plan),
      ttl: plan.ttl,
      urgency: plan.urgency,
      topic: plan.topic,
      ...(plan.endpoint_host === undefined ? {} : { endpoint_host: plan.endpoint_host, key_id: plan.key_id }),
      secret_reference: deps.config.VAPID_KEYS,
    };
  },

  common: { plain: ['url', 'data'] },
  cancel: cancelFanouts,
  endsExpired: true,

  send: async (deps, notice, delivery) => {
    const plan = plannedPush.parse(delivery.plain);
    return SENDERS[plan.to]({ ...deps, push: requirePush(deps) }, notice, delivery, plan);
  },
};

function toPlanned(given: Target): PlannedPush {
  return {
    to: given.subscription ? 'subscription' : given.user_id === undefined ? 'broadcast' : 'user',
    user_id: given.user_id ?? null,
    site_id: given.site_id,
    site_only: given.site_only === true,
    url: given.url,
    data: given.data,
    ttl: given.ttl,
    urgency: given.urgency,
    topic: given.topic ?? null,
    ...(given.withdraw ? { withdraw: 'when_read' } : {}),
  };
}

const SENDERS = { user: sendToUser, broadcast: sendBroadcast, subscription: sendDirect } as const;
const receivers = plannedPush.pick({ user_id: true, endpoint_host: true });

/** The channel is in the table only where web push is on. */
function requirePush({ push }: BaseDeps): Push {
  if (push === null) throw new Error('web push is off');
  return push;
}

async function createBeacon(deps: BaseDeps, notice: Notice, base: string): Promise<string> {
  const { id: notificationId, organizationId, createdAt, sendAt } = notice;
  const make = await createTokens(deps, { organizationId, notificationId, sentAt: sendAt ?? createdAt });
  return `${base}/v1/push/beacon?token=${make('push')}`;
}

async function countDevices(sql: Sql, notice: Notice, plan: PlannedPush): Promise<number> {
  const [row] = await sql<{ count: number | bigint }>(
    `SELECT count(*) AS count FROM push_subscriptions
     WHERE organization_id = $1::text AND gone_at IS NULL AND created_at <= $2::timestamptz
       AND ($3::text IS NULL OR user_id = $3::text) AND ($4::text IS NULL OR site_id = $4::text)`,
    [notice.organizationId, notice.createdAt, plan.user_id, plan.site_only ? plan.site_id : null],
  );
  return Number(row!.count);
}
