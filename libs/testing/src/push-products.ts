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
  // github.com/web-push-libs/pywebpush/issues/162
  wns: {
    path: '/w/',
    refuse: ({ ttl, headers }) => {
      const isCached = headers['x-wns-cache-policy'] !== 'no-cache';
      if (isCached === ttl > 0) return undefined;
      const dropped = { 'x-wns-status': 'dropped', 'x-wns-notificationstatus': 'dropped' };
      const error = { 'x-wns-error-description': 'Ttl value conflicts with X-WNS-Cache-Policy.' };
      return { status: 400, headers: { ...error, ...dropped }, body: '' };
    },
  },
};
