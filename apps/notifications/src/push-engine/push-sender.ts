// Sends one encrypted message to one device: headers, token, transport and the meaning of the
// answer. send-devices.ts calls it for every device; the process shares its transport.
import { hash } from 'node:crypto';
import { toPushOutcome, type PushOutcome } from './push-outcome.rules.ts';
import type { PostOutcome, PushOrigins } from './push-origins.ts';
import type { VapidKey, VapidTokens } from './vapid-keys.ts';
import { buildWnsHeaders } from './wns.rules.ts';

/** Options that all devices of a send share (RFC 8030 §5). */
export interface PushOptions {
  /** How long the push service stores the message for an offline device. */
  readonly ttlSeconds: number;
  readonly urgency: Urgency;
}

export const URGENCIES = ['very-low', 'low', 'normal', 'high'] as const;
export type Urgency = (typeof URGENCIES)[number];

/** An outcome, or `deferred`: nothing was sent because the origin is paused. */
export type PushResult = PushOutcome | { readonly kind: 'deferred'; readonly waitMs: number };

export interface PushSender {
  send(
    endpoint: string,
    body: Buffer,
    key: VapidKey,
    topic: string,
    options: PushOptions,
  ): Promise<PushResult>;
}

export function createPushSender(parts: {
  readonly origins: PushOrigins;
  readonly tokens: VapidTokens;
}): PushSender {
  const { origins, tokens } = parts;

  function post(
    endpoint: string,
    body: Buffer,
    authorization: string,
    topic: string,
    { ttlSeconds, urgency }: PushOptions,
  ): Promise<PostOutcome> {
    const headers = {
      authorization,
      ttl: String(ttlSeconds),
      urgency,
      topic,
      ...buildWnsHeaders(endpoint, ttlSeconds),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
    };
    return origins.post(endpoint, headers, body);
  }

  function toPushResult(endpoint: string, posted: PostOutcome, freshToken: boolean): PushResult {
    if (posted.kind === 'paused') return { kind: 'deferred', waitMs: posted.waitMs };
    if (posted.kind === 'failure') {
      // Refused by the address policy, or unsendable: permanent.
      const { errorClass } = posted;
      const final = errorClass === 'blocked_address' || errorClass === 'invalid_request';
      return { kind: final ? 'rejected' : 'unavailable', errorClass };
    }
    const outcome = toPushOutcome(posted, freshToken);
    if (outcome.kind !== 'throttled') return outcome;
    // Waits for the whole pause of the origin, since an earlier attempt would not be sent.
    return { kind: 'throttled', waitMs: origins.recordThrottle(endpoint, outcome.waitMs) };
  }

  return {
    send: async (endpoint, body, key, topic, options) => {
      const origin = endpoint.slice(0, endpoint.indexOf('/', endpoint.indexOf('://') + 3));
      const authorization = tokens.authorization(origin, key);
      const posted = await post(endpoint, body, authorization, topic, options);
      if (posted.kind !== 'answer' || posted.status !== 401) return toPushResult(endpoint, posted, false);
      // The service may regard the token as expired: a second try with a new one tells.
      tokens.discard(origin, key, authorization);
      const again = await post(endpoint, body, tokens.authorization(origin, key), topic, options);
      return toPushResult(endpoint, again, true);
    },
  };
}

/** At most 32 characters (RFC 8030 §5.4). */
const TOPIC_CHARACTERS = 32;

/**
 * A `Topic` that every push service accepts: Apple decodes it as base64, and autopush documents
 * letters and digits only (docs/notifications.md#push-services). Equal in every attempt, so that a
 * repeat replaces an undelivered copy. Reveals nothing.
 */
export function computeTopic(...parts: readonly string[]): string {
  return hash('sha256', parts.join(' '), 'hex').slice(0, TOPIC_CHARACTERS);
}
