// The sent bytes, the signed bytes and the keys of deliveries (docs/voice-api.md#signatures). Pure.
//
//   signed bytes    {"id":…,"event":…,"timestamp":…,"data":{…}} without `signature`
//   sent bytes      the same with ,"signature":"sha256=<hex>" before the last brace
//   X-Signature-256 sha256=<hex> of the sent bytes
//   webhook-*       Standard Webhooks over the sent bytes
import {
  createHmac,
  createPrivateKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { signStandardWebhook, parseWebhookKey } from '@parley/outbound/standard-webhooks';

export interface EventBody {
  readonly id: string;
  readonly event: string;
  readonly timestamp: Date;
  readonly data: unknown;
}

/** The signed text. Every attempt sends it unchanged, with its members in this order. */
export function formatEventBody({ id, event, timestamp, data }: EventBody): string {
  return JSON.stringify({ id, event, timestamp: timestamp.toISOString(), data });
}

const SIGNATURE_MEMBER = ',"signature":"';

/** Appends `signature` as the last member, so that receivers can cut it off the raw body. */
export function appendSignature(body: Buffer, signature: string): Buffer {
  const kept = body.length - 1;
  const end = `${SIGNATURE_MEMBER}${signature}"}`;
  const raw = Buffer.allocUnsafe(kept + end.length); // every byte is written below
  body.copy(raw, 0, 0, kept);
  raw.write(end, kept, 'latin1');
  return raw;
}

/** Splits a raw body into the parts of `appendSignature`; null without a signature. */
export function splitSignature(raw: string): { readonly body: string; readonly signature: string } | null {
  const cut = /,"signature":"(sha256=[0-9a-f]{64})"\}$/.exec(raw);
  return cut?.[1] === undefined ? null : { body: `${raw.slice(0, cut.index)}}`, signature: cut[1] };
}

/** The keys of a secret. Key objects are created once and do not reveal the secret when printed. */
export interface SigningKeys {
  /** For `signature` and X-Signature-256: the UTF-8 bytes of the secret text. */
  readonly plain: KeyObject;
  /** For webhook-signature: the decoded part after `whsec_`, or else the same bytes. */
  readonly standard: KeyObject;
  /** For `v1a` of webhook-signature: an Ed25519 private key; null: none. */
  readonly asymmetric: KeyObject | null;
}

/** The longest key of Standard Webhooks. A longer `whsec_` counts as plain text. */
const STANDARD_KEY_BYTES_MAX = 64;

/** `signingKey` is a `secret` of `createKeyPair`. */
export function createSigningKeys(secret: string, signingKey: string | null = null): SigningKeys {
  const plain = createSecretKey(secret, 'utf8');
  const standard = parseWebhookKey(secret);
  const fits = standard !== undefined && standard.symmetricKeySize! <= STANDARD_KEY_BYTES_MAX;
  const asymmetric =
    signingKey === null
      ? null
      : createPrivateKey({ key: Buffer.from(signingKey, 'base64'), format: 'der', type: 'pkcs8' });
  return { plain, standard: fits ? standard : plain, asymmetric };
}

const PUBLIC_KEY_PREFIX = 'whpk_';

/** An Ed25519 key pair: `secret` must be sealed, `public` is spelt as in Standard Webhooks. */
export function createKeyPair(): { readonly secret: string; readonly public: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x } = publicKey.export({ format: 'jwk' });
  return {
    secret: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    public: `${PUBLIC_KEY_PREFIX}${Buffer.from(x!, 'base64url').toString('base64')}`,
  };
}

/** Converts a `whpk_…` to a JSON Web Key. */
export function toPublicJwk(publicKey: string) {
  const x = Buffer.from(publicKey.slice(PUBLIC_KEY_PREFIX.length), 'base64').toString('base64url');
  return { kty: 'OKP', crv: 'Ed25519', x, kid: publicKey, alg: 'EdDSA', use: 'sig' };
}

/** `sha256=<hex>` of the body's bytes. */
export function computeHexSignature(key: KeyObject, body: string | Buffer): string {
  return `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
}

/**
 * The secrets that sign at a time. In the grace period of a rotation the old secret still makes
 * `signature` and X-Signature-256, so old receivers continue; webhook-signature lists both.
 */
export interface ActiveSecrets {
  readonly body: SigningKeys;
  readonly standard: readonly SigningKeys[];
}

export function selectActiveSecrets(
  current: SigningKeys,
  previous: { readonly keys: SigningKeys; readonly untilMs: number } | null,
  nowMs: number,
): ActiveSecrets {
  if (previous === null || previous.untilMs <= nowMs) return { body: current, standard: [current] };
  return { body: previous.keys, standard: [current, previous.keys] };
}

export interface SignedRequest {
  readonly body: Buffer;
  readonly headers: Record<string, string>;
}

/** The request of an attempt. `body` is an `EventBody` in UTF-8; `attempt` counts from 1. */
export function signRequest(
  event: { readonly id: string; readonly body: Buffer },
  secrets: ActiveSecrets,
  attempt: number,
  nowMs: number,
): SignedRequest {
  const timestampSeconds = Math.floor(nowMs / 1000);
  const keys = secrets.standard.flatMap(({ standard, asymmetric }) =>
    asymmetric === null ? standard : [standard, asymmetric],
  );
  const raw = appendSignature(event.body, computeHexSignature(secrets.body.plain, event.body));
  return {
    body: raw,
    headers: {
      'content-type': 'application/json',
      'x-signature-256': computeHexSignature(secrets.body.plain, raw),
      'x-delivery-attempt': String(attempt),
      ...signStandardWebhook({ id: event.id, timestampSeconds, body: raw, keys }),
    },
  };
}
