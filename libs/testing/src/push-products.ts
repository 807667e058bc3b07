// What push services refuse beyond the RFCs, with the answers that they document or that were
// reported of them. pushService() plays one for each subscription that names a product.
import type { IncomingHttpHeaders } from 'node:http';

export type PushProduct = 'apple' | 'fcm' | 'autopush' | 'firefox_android' | 'wns';

/** A message that follows the RFCs. */
export type PushFacts = {
  headers: IncomingHttpHeaders;
  ttl: number;
  topic: string | undefined;
  body: Buffer;
  vapidSubject: string;
};

export type PushRefusal = { status: number; headers?: Record<string, string>; body: string };

type ProductRow = {
  /** What precedes the device in the path of an endpoint. */
  path: string;
  refuse(facts: PushFacts): PushRefusal | undefined;
};

const FOUR_WEEKS_SECONDS = 2_419_200;
const THIRTY_DAYS_SECONDS = 2_592_000;
const LOCAL_SUBJECT = /[/@.](localhost|local|invalid)(:\d+)?(\/|$)/i;

/** mozilla-services.github.io/autopush-rs/errors.html */
function refuseAutopush(errno: number, status: number, message: string): PushRefusal {
  return { status, body: JSON.stringify({ code: status, errno, error: 'refused', message }) };
}

function refuseByAutopush({ ttl, topic = 'x' }: PushFacts): PushRefusal | undefined {
  if (ttl > THIRTY_DAYS_SECONDS) return refuseAutopush(112, 400, 'Invalid TTL header value');
  if (!/^[A-Za-z0-9]{1,32}$/.test(topic)) return refuseAutopush(113, 400, 'Invalid Topic header value');
  return undefined;
}

/** The data of its FCM message may have 4,096 bytes (autopush-rs, routers/common.rs). */
function refuseByBridge({ body }: PushFacts): PushRefusal | undefined {
  const chid = '01234567-abcd-abcd-abcd-0123456789ab';
  const data = JSON.stringify({ chid, body: body.toString('base64url'), con: 'aes128gcm' });
  if (data.length <= 4_096) return undefined;
  const message = `This message is intended for a constrained device and is limited in size. Converted buffer is too long by ${data.length - 4_096} bytes`;
  return refuseAutopush(104, 413, message);
}

/**
 * learn.microsoft.com, "Push notification service request and response headers"; the conflict:
 * github.com/web-push-libs/pywebpush/issues/162
 */
function refuseByWns({ ttl, headers, body }: PushFacts): PushRefusal | undefined {
  const problem = findWnsProblem(ttl, headers, body);
  if (problem === undefined) return undefined;
  const dropped = { 'x-wns-status': 'dropped', 'x-wns-notificationstatus': 'dropped' };
  return { status: 400, headers: { 'x-wns-error-description': problem, ...dropped }, body: '' };
}

function findWnsProblem(ttl: number, headers: IncomingHttpHeaders, body: Buffer): string | undefined {
  const type = headers['x-wns-type'];
  const policy = headers['x-wns-cache-policy'];
  if (Number(headers['content-length']) !== body.length) return 'Content-Length is required.';
  if (type !== 'wns/raw') return 'X-WNS-Type is required: no XML of a toast, tile or badge.';
  if (headers['content-type'] !== 'application/octet-stream')
    return 'Content-Type conflicts with X-WNS-Type.';
  if (policy !== undefined && policy !== 'cache' && policy !== 'no-cache') return 'X-WNS-Cache-Policy.';
  for (const name of ['x-wns-tag', 'x-wns-group', 'x-wns-suppresspopup', 'x-wns-match'])
    if (headers[name] !== undefined) return `${name} is not for raw notifications of Windows.`;
  // A raw notification is not stored by default.
  return (policy === 'cache') === ttl > 0 ? undefined : 'Ttl value conflicts with X-WNS-Cache-Policy.';
}

/** Not standard, and others may refuse them (github.com/web-push-libs/pywebpush, Windows). */
const hasWnsHeaders = ({ headers }: PushFacts) =>
  Object.keys(headers).some((name) => name.startsWith('x-wns-'));

/** The refusal of the product, if it has one. */
export function refusePush(product: PushProduct, facts: PushFacts): PushRefusal | undefined {
  if (product !== 'wns' && hasWnsHeaders(facts)) return { status: 400, body: 'Unknown header' };
  return PUSH_PRODUCTS[product].refuse(facts);
}

export const PUSH_PRODUCTS: Readonly<Record<PushProduct, ProductRow>> = {
  // developer.apple.com/documentation/usernotifications, "Sending web push notifications"
  apple: {
    path: '/',
    refuse: ({ topic, vapidSubject }) => {
      // github.com/AltanS/collie/pull/90: decoded as base64, which has no length of 1 mod 4
      if (topic !== undefined && topic.length % 4 === 1)
        return { status: 400, body: '{"reason":"BadWebPushTopic"}' };
      // github.com/web-push-libs/web-push/issues/947
      if (LOCAL_SUBJECT.test(vapidSubject)) return { status: 403, body: '{"reason":"BadJwtToken"}' };
      return undefined;
    },
  },
  // firebase.google.com/docs/cloud-messaging/customize-messages/setting-message-lifespan
  fcm: {
    path: '/fcm/send/',
    refuse: ({ ttl }) => (ttl > FOUR_WEEKS_SECONDS ? { status: 400, body: 'Invalid TTL' } : undefined),
  },
  autopush: { path: '/wpush/v2/', refuse: refuseByAutopush },
  firefox_android: {
    path: '/wpush/v2/',
    refuse: (facts) => refuseByAutopush(facts) ?? refuseByBridge(facts),
  },
  wns: { path: '/w/?token=', refuse: refuseByWns },
};
