// Validates a subscription without sending to it, for registrations and direct sends.
import type { FieldProblem } from '@parley/envelopes';
import type { Outbound } from '@parley/outbound';
import { readDeviceKeys } from '../../push-engine/subscription-keys.ts';
import type { Subscription } from './schemas.ts';

export interface CheckedSubscription {
  /** Normalised by `URL`, without a fragment. */
  readonly endpoint: string;
  readonly host: string;
  /** JSON [endpoint, p256dh, auth], to be sealed. */
  readonly secret: string;
}

export type SubscriptionCheck =
  | { readonly ok: true; readonly subscription: CheckedSubscription }
  /** Paths are relative to the subscription: `/endpoint`, `/keys/p256dh`, `/keys/auth`. */
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

export function checkSubscription(
  outbound: Pick<Outbound, 'checkUrl'>,
  given: Subscription,
): SubscriptionCheck {
  const url = outbound.checkUrl(given.endpoint);
  const read = readDeviceKeys(given.keys);
  const problems: FieldProblem[] = [
    ...(url.ok ? [] : [{ path: '/endpoint', message: url.problem }]),
    ...(read.ok ? [] : read.problems),
  ];
  if (!url.ok || !read.ok) return { ok: false, problems };
  url.url.hash = '';
  const { href: endpoint, hostname: host } = url.url;
  const { p256dh, auth } = read.keys;
  const secret = JSON.stringify([endpoint, p256dh.toString('base64url'), auth.toString('base64url')]);
  return { ok: true, subscription: { endpoint, host, secret } };
}

/** The content of a sealed subscription. */
export interface UnsealedSubscription {
  readonly endpoint: string;
  readonly p256dh: Buffer;
  readonly auth: Buffer;
}

/** Parses what `checkSubscription` wrote. */
export function parseSubscription(secret: string): UnsealedSubscription {
  const [endpoint, p256dh, auth] = JSON.parse(secret) as [string, string, string];
  return { endpoint, p256dh: Buffer.from(p256dh, 'base64url'), auth: Buffer.from(auth, 'base64url') };
}
