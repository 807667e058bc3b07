// Pure: what the push service of Windows (WNS) wants beside the headers of RFC 8030, and the words
// of its answers, which have no body (docs/notifications.md#push-services).
import type { IncomingHttpHeaders } from 'node:http';

/** `https://wns2-par02p.notify.windows.com/w/?token=…` */
const WNS = /^https?:\/\/[^/?#]+\/w\/\?token=/;

const RAW = { 'x-wns-type': 'wns/raw' };
const STORED = { ...RAW, 'x-wns-cache-policy': 'cache' };
const NOT_STORED = { ...RAW, 'x-wns-cache-policy': 'no-cache' };
const NONE = {};

/**
 * Its type is required. The policy must agree with `TTL`, and a raw message is not stored by
 * default. Other push services get no header of WNS.
 */
export function buildWnsHeaders(endpoint: string, ttlSeconds: number): Readonly<Record<string, string>> {
  if (!WNS.test(endpoint)) return NONE;
  return ttlSeconds === 0 ? NOT_STORED : STORED;
}

/** The reason of a 410 that is about the sender, not about the subscription. */
export const DOMAIN_BLOCKED = 'DomainBlocked';

/** The reason is a word of a header, such as `dropped`. Its sentence is read and never shown. */
export function readWnsWord(headers: IncomingHttpHeaders | Readonly<Record<string, unknown>>): string {
  const sentence = headers['x-wns-error-description'];
  if (typeof sentence === 'string' && /\bblocked\b/i.test(sentence)) return DOMAIN_BLOCKED;
  const word = headers['x-wns-notificationstatus'] ?? headers['x-wns-status'];
  return typeof word === 'string' ? word : '';
}
