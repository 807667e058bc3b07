// The bytes that are sent, the bytes that are signed, and the keys (docs/voice-api.md#signatures). Pure.
//
//   signed bytes    {"id":…,"event":…,"timestamp":…,"data":{…}}          exactly JSON.stringify of the body without `signature`
//   sent bytes      the same with ,"signature":"sha256=<hex>" before the last brace
//   X-Signature-256 sha256=<hex> over the sent bytes
//   webhook-*       Standard Webhooks over the sent bytes
import {
  createHmac,
  createPrivateKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { standardWebhookHeaders, standardWebhookKey } from '@parley/outbound/standard-webhooks';

export interface EventBody {
  readonly id: string;
  readonly event: string;
  readonly timestamp: Date;
  readonly data: unknown;
}

/** The text that is signed, kept as it is for every attempt: the order of its members never changes. */
export function eventBody({ id, event, timestamp, data }: EventBody): string {
  return JSON.stringify({ id, event, timestamp: timestamp.toISOString(), data });
}

const SIGNATURE_MEMBER = ',"signature":"';

/** `signature` as the last member: a receiver cuts it off the raw body again, whatever the rest is. */
export function withSignature(body: Buffer, signature: string): Buffer {
  const kept = body.length - 1;
  const end = `${SIGNATURE_MEMBER}${signature}"}`;
  const raw = Buffer.allocUnsafe(kept + end.length); // every byte of it is written here
  body.copy(raw, 0, 0, kept);
  raw.write(end, kept, 'latin1');
  return raw;
}

/** A raw body as received, in the two parts of `withSignature`; null when its last member is no signature. */
export function splitSignature(raw: string): { readonly body: string; readonly signature: string } | null {
  const cut = /,"signature":"(sha256=[0-9a-f]{64})"\}$/.exec(raw);
  return cut?.[1] === undefined ? null : { body: `${raw.slice(0, cut.index)}}`, signature: cut[1] };
}

/** A secret as it signs. Key objects: made once when the secret is read, and nothing that prints them shows the secret. */
export interface SigningKeys {
  /** `signature` and X-Signature-256: the UTF-8 bytes of the secret as it was given or shown. */
  readonly plain: KeyObject;
  /** webhook-signature: the decoded part after `whsec_` where it is one, else the same bytes. */
  readonly standard: KeyObject;
  /** `v1a` of webhook-signature: an Ed25519 private key; null: none. */
  readonly asymmetric: KeyObject | null;
}

/** A key of Standard Webhooks has no more; what is longer behind `whsec_` was not meant as one. */
const STANDARD_KEY_BYTES_MAX = 64;

/** `signingKey`: as `newSigningKey` made it. */
export function signingKeys(secret: string, signingKey: string | null = null): SigningKeys {
  const plain = createSecretKey(secret, 'utf8');
  const standard = standardWebhookKey(secret);
  const fits = standard !== undefined && standard.symmetricKeySize! <= STANDARD_KEY_BYTES_MAX;
  const asymmetric =
    signingKey === null
      ? null
      : createPrivateKey({ key: Buffer.from(signingKey, 'base64'), format: 'der', type: 'pkcs8' });
  return { plain, standard: fits ? standard : plain, asymmetric };
}

const PUBLIC_KEY_PREFIX = 'whpk_';

/** An Ed25519 pair: `secret` to be sealed, `public` as Standard Webhooks writes it. */
export function newSigningKey(): { readonly secret: string; readonly public: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x } = publicKey.export({ format: 'jwk' });
  return {
    secret: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    public: `${PUBLIC_KEY_PREFIX}${Buffer.from(x!, 'base64url').toString('base64')}`,
  };
}

/** A `whpk_…` as a JSON Web Key. */
export function publicJwk(publicKey: string) {
  const x = Buffer.from(publicKey.slice(PUBLIC_KEY_PREFIX.length), 'base64').toString('base64url');
  return { kty: 'OKP', crv: 'Ed25519', x, kid: publicKey, alg: 'EdDSA', use: 'sig' };
}

/** `sha256=<hex>` over the body's bytes. */
export function hexSignature(key: KeyObject, body: string | Buffer): string {
  return `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
}

/**
 * The secrets that sign at a moment: during the grace of a rotation the old one is still the one of `signature` and
 * X-Signature-256, so that receivers that have not changed yet go on, and webhook-signature lists both.
 */
export interface SecretsInForce {
  readonly body: SigningKeys;
  readonly standard: readonly SigningKeys[];
}

export function secretsInForce(
  current: SigningKeys,
  previous: { readonly keys: SigningKeys; readonly untilMs: number } | null,
  nowMs: number,
): SecretsInForce {
  if (previous === null || previous.untilMs <= nowMs) return { body: current, standard: [current] };
  return { body: previous.keys, standard: [current, previous.keys] };
}

export interface SignedRequest {
  readonly body: Buffer;
  readonly headers: Record<string, string>;
}

/** One attempt's request. `body` is an `eventBody` in UTF-8; `attempt` counts from 1; `nowMs` is the time of the attempt. */
export function signedRequest(
  event: { readonly id: string; readonly body: Buffer },
  secrets: SecretsInForce,
  attempt: number,
  nowMs: number,
): SignedRequest {
  const timestampSeconds = Math.floor(nowMs / 1000);
  const keys = secrets.standard.flatMap(({ standard, asymmetric }) =>
    asymmetric === null ? standard : [standard, asymmetric],
  );
  const raw = withSignature(event.body, hexSignature(secrets.body.plain, event.body));
  return {
    body: raw,
    headers: {
      'content-type': 'application/json',
      'x-signature-256': hexSignature(secrets.body.plain, raw),
      'x-delivery-attempt': String(attempt),
      ...standardWebhookHeaders({ id: event.id, timestampSeconds, body: raw, keys }),
    },
  };
}
