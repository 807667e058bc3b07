// Wire schemas of web push, including those that the channel shares.
import { z } from 'zod';
import { anyObject, notificationsDialect, pageQuery } from '@parley/envelopes';
import { callerId, storedId } from '../../callers/caller-id.ts';

const { timeSchema, pageSchema } = notificationsDialect;

/** No push service creates longer endpoints (docs/notifications.md#registrations). */
export const ENDPOINT_CHARS_MAX = 2_048;
/** 65 bytes are 87 characters of base64url or 88 of base64. */
const KEY_CHARS_MAX = 200;

/** The W3C form: `JSON.stringify(subscription)` in a browser. */
export const subscription = z
  .strictObject({
    endpoint: z.string().min(1).max(ENDPOINT_CHARS_MAX).describe('Public https address'),
    expirationTime: z.number().nullish().describe('Part of the browser’s form. Ignored'),
    keys: z.strictObject({
      p256dh: z.string().max(KEY_CHARS_MAX).describe('Public key of the browser, base64url'),
      auth: z.string().max(KEY_CHARS_MAX).describe('Authentication secret, base64url, at least 16 bytes'),
    }),
  })
  .meta({ id: 'PushSubscription', description: 'A PushSubscription of the W3C Push API in its JSON form.' });
export type Subscription = z.output<typeof subscription>;

export const keyId = z.string().min(1).max(32);

export const registerRequest = z
  .strictObject({
    subscription,
    user_id: callerId
      .optional()
      .describe('End user of the device. Default with an identity token: its `sub`'),
    site_id: storedId.optional().describe('Site or brand in the organisation'),
    platform: z
      .enum(['web', 'fcm', 'apns'])
      .default('web')
      .refine((platform) => platform === 'web', 'is reserved: only web is accepted'),
    key_id: keyId
      .optional()
      .describe('VAPID key of the subscription, from `vapid-public-key`. Default: the current one'),
  })
  .meta({ id: 'PushSubscriptionRegister' });
export type RegisterRequest = z.output<typeof registerRequest>;

export const registration = z
  .strictObject({
    sub_id: z.string(),
    user_id: z.string().nullable(),
    site_id: z.string().nullable(),
    platform: z.literal('web'),
    endpoint_host: z.string(),
    created_at: timeSchema,
    updated_at: timeSchema,
  })
  .meta({
    id: 'PushRegistration',
    description: 'A stored subscription, without its keys and its full endpoint.',
  });

export const registrationPage = pageSchema(registration);

export const registrationQuery = z.strictObject({
  user_id: storedId.optional(),
  site_id: storedId.optional(),
  ...pageQuery(),
});

export const registrationParams = z.strictObject({ sub_id: z.string().min(1).max(64) });

export const publicKey = z
  .strictObject({
    public_key: z.string().describe('`applicationServerKey` for `pushManager.subscribe`, base64url'),
    key_id: z.string(),
  })
  .meta({ id: 'VapidPublicKey' });

export const HISTORY_STATUSES = [
  'delivered',
  'partial',
  'failed',
  'no_devices',
  'expired',
  'broadcast',
] as const;

export const historyItem = z
  .strictObject({
    notification_id: z.string(),
    user_id: z.string(),
    title: z.string(),
    body: z.string(),
    url: z.string().nullable(),
    data: anyObject.nullable(),
    site_id: z.string().nullable(),
    status: z.enum(HISTORY_STATUSES),
    delivered_count: z.int().describe('Devices whose push service accepted it; 0 on rows of a broadcast'),
    created_at: timeSchema,
  })
  .meta({ id: 'PushHistoryItem', description: 'A web push that was sent to a user.' });

export const historyPage = pageSchema(historyItem);

export const historyQuery = z.strictObject({ user_id: storedId.optional(), ...pageQuery() });

export const receiptQuery = z.strictObject({ receipt: z.string().max(64) });
