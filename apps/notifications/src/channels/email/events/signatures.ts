// How Mailgun, Postmark and Resend prove that an event is theirs.
import { createHmac, timingSafeEqual, createHash } from 'node:crypto';
import { parseWebhookKey, signStandardWebhook } from '@parley/outbound/standard-webhooks';
import { isFresh, type Presented } from './event-credential.ts';
import { mailgunSignature } from './mailgun-events.rules.ts';

/**
 * HMAC-SHA-256 over time stamp and token; not over the event, so the token counts once
 * (`readMailgunEvent`).
 * https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks
 */
export function isFromMailgun(key: string, { body, nowMs }: Presented): boolean {
  const { signature } = (parseObject(body) ?? {}) as { signature?: unknown };
  const { data } = mailgunSignature.safeParse(signature);
  if (!data || !isFresh(Number(data.timestamp) * 1_000, nowMs)) return false;
  const expected = createHmac('sha256', key)
    .update(data.timestamp + data.token)
    .digest('hex');
  return isEqual(expected, data.signature);
}

/**
 * Postmark signs nothing: its documentation says to set a user and a password in the URL, which it
 * sends by basic authentication. The user may be any.
 * https://postmarkapp.com/developer/webhooks/webhooks-overview#protecting-your-webhook
 */
export function isFromPostmark(password: string, { header }: Presented): boolean {
  const [, encoded = ''] = /^Basic ([A-Za-z0-9+/]{1,1024}={0,2})$/i.exec(header('authorization') ?? '') ?? [];
  const [, given] = /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  return given !== undefined && isEqual(password, given);
}

/** The tolerance of Svix's libraries: each repetition is signed again. */
const SVIX_AGE_MS_MAX = 5 * 60_000;
const SVIX_SIGNATURES_MAX = 10;

/**
 * Svix signs for Resend as Standard Webhooks do, with headers of other names
 * (https://docs.svix.com/receiving/verifying-payloads/how-manual).
 */
export function isFromResend(secret: string, { header, body, nowMs }: Presented): boolean {
  const key = parseWebhookKey(secret);
  const id = header('svix-id') ?? '';
  const timestampSeconds = header('svix-timestamp') ?? '';
  if (!key || !SVIX_ID.test(id) || !/^\d{1,16}$/.test(timestampSeconds)) return false;
  if (!isFresh(Number(timestampSeconds) * 1_000, nowMs, SVIX_AGE_MS_MAX)) return false;
  const signed = signStandardWebhook({ id, timestampSeconds, body, keys: [key] });
  const given = (header('svix-signature') ?? '').split(' ').slice(0, SVIX_SIGNATURES_MAX);
  return given.some((one) => isEqual(signed['webhook-signature'], one));
}

const SVIX_ID = /^[\w.-]{1,255}$/;

/** Null for other bodies. */
export function parseObject(body: Buffer): object | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** In constant time for texts of every length. */
function isEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
