// Sends one encrypted message to one device: headers, token, transport, and what the answer means. Called for every device by
// send-devices.ts; the transport below it is shared by the whole process.
import { hash } from 'node:crypto';
import { outcomeOf, type PushOutcome } from './push-outcome.rules.ts';
import type { Posted, PushOrigins } from './push-origins.ts';
import type { VapidKey, VapidTokens } from './vapid-keys.ts';

/** What holds for all devices of a send (RFC 8030 §5). */
export interface PushOptions {
  /** How long the push service keeps the message for a device that is away. */
  readonly ttlSeconds: number;
  readonly urgency: Urgency;
}

export const URGENCIES = ['very-low', 'low', 'normal', 'high'] as const;
export type Urgency = (typeof URGENCIES)[number];

/** An outcome, or `deferred`: nothing was sent, since the origin is paused for so long. */
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
  ): Promise<Posted> {
    const headers = {
      authorization,
      ttl: String(ttlSeconds),
      urgency,
      topic,
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
    };
    return origins.post(endpoint, headers, body);
  }

  function resultOf(endpoint: string, posted: Posted, freshToken: boolean): PushResult {
    if (posted.kind === 'paused') return { kind: 'deferred', waitMs: posted.waitMs };
    if (posted.kind === 'failure') {
      // Refused by the address policy or unsendable: the same every time.
      const { errorClass } = posted;
      const final = errorClass === 'blocked_address' || errorClass === 'invalid_request';
      return { kind: final ? 'rejected' : 'unavailable', errorClass };
    }
    const outcome = outcomeOf(posted, freshToken);
    if (outcome.kind !== 'throttled') return outcome;
    // Not before the pause of its origin is over: an attempt within it would be none.
    return { kind: 'throttled', waitMs: origins.throttled(endpoint, outcome.waitMs) };
  }

  return {
    send: async (endpoint, body, key, topic, options) => {
      const origin = endpoint.slice(0, endpoint.indexOf('/', endpoint.indexOf('://') + 3));
      const authorization = tokens.authorization(origin, key);
      const posted = await post(endpoint, body, authorization, topic, options);
      if (posted.kind !== 'answer' || posted.status !== 401) return resultOf(endpoint, posted, false);
      // The token may have expired by the service's clock, or its memory of it: once more with a new one tells.
      tokens.refused(origin, key, authorization);
      const again = await post(endpoint, body, tokens.authorization(origin, key), topic, options);
      return resultOf(endpoint, again, true);
    },
  };
}

/** At most 32 of these characters (RFC 8030 §5.4). */
const TOPIC_CHARACTERS = 32;

/**
 * The Topic of a send to a device: the same for every attempt, so that a repeat replaces a copy that is still undelivered,
 * and of no use to whoever reads it on the way.
 */
export function topicOf(notificationId: string, device: string): string {
  return hash('sha256', `${notificationId} ${device}`, 'base64url').slice(0, TOPIC_CHARACTERS);
}
