// The application server's keys (VAPID, RFC 8292), read from the secret in VAPID_KEYS, and their
// tokens for push services. A subscription belongs permanently to its key, so several keys stay
// active; new subscriptions use the first one.
import { createECDH } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import webPush from 'web-push';
import type { Clock } from '@parley/server/runtime';

export interface VapidKey {
  readonly id: string;
  /** The uncompressed point in base64url that browsers subscribe with. */
  readonly publicKey: string;
  readonly privateKey: string;
}

export interface VapidKeys {
  /** The key of new subscriptions. */
  readonly current: VapidKey;
  readonly byId: ReadonlyMap<string, VapidKey>;
}

const PRIVATE_KEY_BYTES = 32;

/** `id:<base64url>[,id:…]`, the first one current. @throws Error that shows no value. */
export function parseVapidKeys(text: string): VapidKeys {
  const byId = new Map<string, VapidKey>();
  for (const [index, entry] of text.split(',').entries()) {
    const [, id, privateKey = ''] = /^\s*([A-Za-z0-9_-]{1,32}):([A-Za-z0-9_-]+)={0,2}\s*$/.exec(entry) ?? [];
    const publicKey = derivePublicKey(Buffer.from(privateKey, 'base64url'));
    if (!id || publicKey === undefined) {
      throw new Error(`entry ${index + 1} of the VAPID keys is not "id:<base64url of a P-256 private key>"`);
    }
    if (byId.has(id)) throw new Error(`entry ${index + 1} of the VAPID keys repeats the id "${id}"`);
    byId.set(id, { id, publicKey, privateKey });
  }
  const [current] = byId.values();
  // split() yields at least one entry, and invalid ones have thrown
  return { current: current!, byId };
}

function derivePublicKey(privateKey: Buffer): string | undefined {
  if (privateKey.length !== PRIVATE_KEY_BYTES) return undefined;
  const pair = createECDH('prime256v1');
  try {
    pair.setPrivateKey(privateKey);
    return pair.getPublicKey('base64url');
  } catch {
    return undefined; // zero, or beyond the order of the curve
  }
}

export interface VapidTokens {
  /** The Authorization header for one push service. */
  authorization(origin: string, key: VapidKey): string;
  /** Drops a refused header unless it was replaced, so that the next one is new. */
  discard(origin: string, key: VapidKey, header: string): void;
}

/** RFC 8292 §2 allows a day. */
const TOKEN_SECONDS = 12 * 60 * 60;
/** Half the lifetime tolerates clocks that are wrong by hours. */
const RENEW_AFTER_MS = (TOKEN_SECONDS / 2) * 1000;
/** Push services times keys; four services matter. */
const TOKENS_MAX = 1_000;

/** RFC 8292 §5 encourages reuse, and a signature costs as much as three encryptions. */
export function createVapidTokens(options: { readonly subject: string; readonly clock: Clock }): VapidTokens {
  const { subject, clock } = options;
  const tokens = new LRUCache<string, { readonly header: string; readonly madeAtMs: number }>({
    max: TOKENS_MAX,
  });
  const toCacheKey = (origin: string, key: VapidKey): string => `${key.publicKey} ${origin}`;
  return {
    authorization: (origin, key) => {
      const nowMs = clock();
      const known = tokens.get(toCacheKey(origin, key));
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
      tokens.set(toCacheKey(origin, key), { header, madeAtMs: nowMs });
      return header;
    },
    discard: (origin, key, header) => {
      if (tokens.get(toCacheKey(origin, key))?.header === header) tokens.delete(toCacheKey(origin, key));
    },
  };
}
