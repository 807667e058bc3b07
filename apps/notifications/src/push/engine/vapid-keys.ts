// The application server's keys (VAPID, RFC 8292): read from the secret that VAPID_KEYS names, and the token each push service
// is shown. A subscription belongs for ever to the key it was made with, so several keys stay live; new subscriptions are
// made with the first one.
import { createECDH } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import webPush from 'web-push';
import type { Clock } from '@parley/runtime';

export interface VapidKey {
  readonly id: string;
  /** What browsers subscribe with: an uncompressed point in base64url. */
  readonly publicKey: string;
  readonly privateKey: string;
}

export interface VapidKeys {
  /** The one that new subscriptions are made with. */
  readonly current: VapidKey;
  readonly byId: ReadonlyMap<string, VapidKey>;
}

const PRIVATE_KEY_BYTES = 32;

/**
 * Reads `id:<base64url of the private key>[,id:…]`, the first one current; the public keys follow from the private ones.
 * @throws Error that names the entry's position, never its value.
 */
export function parseVapidKeys(text: string): VapidKeys {
  const byId = new Map<string, VapidKey>();
  for (const [index, entry] of text.split(',').entries()) {
    const [, id, privateKey = ''] = /^\s*([A-Za-z0-9_-]{1,32}):([A-Za-z0-9_-]+)={0,2}\s*$/.exec(entry) ?? [];
    const publicKey = publicKeyOf(Buffer.from(privateKey, 'base64url'));
    if (!id || publicKey === undefined) {
      throw new Error(`entry ${index + 1} of the VAPID keys is not "id:<base64url of a P-256 private key>"`);
    }
    if (byId.has(id)) throw new Error(`entry ${index + 1} of the VAPID keys repeats the id "${id}"`);
    byId.set(id, { id, publicKey, privateKey });
  }
  const [current] = byId.values();
  return { current: current!, byId }; // split() gives at least one entry, and a bad one has thrown
}

function publicKeyOf(privateKey: Buffer): string | undefined {
  if (privateKey.length !== PRIVATE_KEY_BYTES) return undefined;
  const pair = createECDH('prime256v1');
  try {
    pair.setPrivateKey(privateKey);
    return pair.getPublicKey('base64url');
  } catch {
    return undefined; // zero, or beyond the order of the curve
  }
}

/** What is wrong with a `sub`, if anything. As strict as the strictest push service (Apple: 403 BadJwtToken). */
export function subjectProblem(subject: string): string | undefined {
  const wrong = 'must be a mailto: address or an https: URL that push services can reach you at';
  if (/[\s<>"]/.test(subject) || !URL.canParse(subject)) return wrong;
  const { protocol, hostname, pathname } = new URL(subject);
  if (protocol === 'mailto:') return /^[^@]+@[^@]+\.[^@.]+$/.test(pathname) ? undefined : wrong;
  return protocol === 'https:' && hostname.includes('.') ? undefined : wrong;
}

export interface VapidTokens {
  /** The Authorization header for one push service. */
  authorization(origin: string, key: VapidKey): string;
  /** Forgets a header that was refused, unless it has been replaced already: the next one is fresh. */
  refused(origin: string, key: VapidKey, header: string): void;
}

/** RFC 8292 §2 allows a day. */
const TOKEN_SECONDS = 12 * 60 * 60;
/** At half its time: a clock that is hours wrong is still believed. */
const RENEW_AFTER_MS = (TOKEN_SECONDS / 2) * 1000;
/** Push services times keys; there are four services that matter. */
const TOKENS_MAX = 1_000;

/** Tokens by origin and key: RFC 8292 §5 encourages their reuse, and signing one costs as much as three encryptions. */
export function createVapidTokens(options: { readonly subject: string; readonly clock: Clock }): VapidTokens {
  const { subject, clock } = options;
  const tokens = new LRUCache<string, { readonly header: string; readonly madeAtMs: number }>({
    max: TOKENS_MAX,
  });
  const nameOf = (origin: string, key: VapidKey): string => `${key.publicKey} ${origin}`;
  return {
    authorization: (origin, key) => {
      const nowMs = clock();
      const known = tokens.get(nameOf(origin, key));
      if (known && nowMs - known.madeAtMs < RENEW_AFTER_MS && nowMs >= known.madeAtMs) return known.header;
      const expires = Math.floor(nowMs / 1000) + TOKEN_SECONDS;
      const { Authorization: header } = webPush.getVapidHeaders(
        origin,
        subject,
        key.publicKey,
        key.privateKey,
        'aes128gcm',
        expires,
      );
      tokens.set(nameOf(origin, key), { header, madeAtMs: nowMs });
      return header;
    },
    refused: (origin, key, header) => {
      if (tokens.get(nameOf(origin, key))?.header === header) tokens.delete(nameOf(origin, key));
    },
  };
}
