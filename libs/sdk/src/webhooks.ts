// Whether a received webhook is from Parley (docs/voice-api.md#signatures): Standard Webhooks, which also stops replays, or one of the
// two signatures that the voice API makes beside it.
import { SignatureError } from './errors.ts';
import type { ReceivedHeaders, VerifyOptions } from './options.ts';
import type { WebhookEvent } from './webhook-events.ts';

const TOLERANCE_SECONDS = 300;
const SIGNATURE_MEMBER = /,"signature":"sha256=([0-9a-f]{64})"\}$/;
const encoder = new TextEncoder();

/**
 * The event in a received request. `body` is the request's body as it came, not parsed; `secrets` the webhook's secret, or several while
 * one takes the place of another. @throws SignatureError
 */
async function verify<Event = WebhookEvent>(
  body: string | Uint8Array,
  headers: ReceivedHeaders,
  secrets: string | readonly string[],
  { scheme = 'standard', toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<Event> {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const { signed, signatures } = claimOf(text, headers, scheme, toleranceSeconds);
  for (const secret of [secrets].flat()) {
    const key = await crypto.subtle.importKey(
      'raw',
      keyBytes(secret, scheme),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['verify'],
    );
    for (const signature of signatures)
      if (await crypto.subtle.verify('HMAC', key, signature, encoder.encode(signed)))
        return JSON.parse(text) as Event;
  }
  throw new SignatureError('No signature fits: another secret, or a body that was changed on the way.');
}

export const webhooks = { verify } as const;

/** What the request says was signed, and how. */
function claimOf(text: string, headers: ReceivedHeaders, scheme: string, toleranceSeconds: number) {
  if (scheme === 'body') {
    const cut = SIGNATURE_MEMBER.exec(text);
    if (!cut) throw new SignatureError('The last member of the body is no signature.');
    return { signed: `${text.slice(0, cut.index)}}`, signatures: [fromHex(cut[1]!)] };
  }
  if (scheme === 'header') {
    const hex = /^sha256=([0-9a-f]{64})$/.exec(headerOf(headers, 'x-signature-256'))?.[1];
    if (!hex) throw new SignatureError('X-Signature-256 is no signature.');
    return { signed: text, signatures: [fromHex(hex)] };
  }
  const seconds = headerOf(headers, 'webhook-timestamp');
  const apart = Math.abs(Date.now() / 1000 - Number(seconds));
  if (!/^\d{1,12}$/.test(seconds) || apart > toleranceSeconds)
    throw new SignatureError('webhook-timestamp is too far from now: a replay, or a clock that is wrong.');
  const signatures = headerOf(headers, 'webhook-signature')
    .split(' ', SIGNATURES_MAX)
    .flatMap((one) => (/^v1,[A-Za-z0-9+/]{43}=$/.test(one) ? [fromBase64(one.slice(3))] : []));
  return { signed: `${headerOf(headers, 'webhook-id')}.${seconds}.${text}`, signatures };
}

/** Two while a secret is rotated. */
const SIGNATURES_MAX = 8;

function headerOf(headers: ReceivedHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([other]) => other.toLowerCase() === name)?.[1];
  if (typeof value !== 'string') throw new SignatureError(`The header ${name} is missing.`);
  return value;
}

/** Behind `whsec_` stands the key of Standard Webhooks, where it has 24 to 64 bytes; else the text is the key. */
function keyBytes(secret: string, scheme: string): Uint8Array<ArrayBuffer> {
  const encoded = scheme === 'standard' ? /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1] : undefined;
  if (encoded !== undefined && encoded.replace(/=+$/, '').length % 4 !== 1) {
    const key = fromBase64(encoded);
    if (key.length >= 24 && key.length <= 64) return key;
  }
  return encoder.encode(secret);
}

const fromBase64 = (text: string) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
const fromHex = (text: string) => Uint8Array.from(text.match(/../g)!, (pair) => Number.parseInt(pair, 16));
