// Verifies received webhooks (docs/voice-api.md#signatures): Standard Webhooks, which also prevents
// replays, or one of the two other signatures of the voice API.
import { SignatureError } from './errors.ts';
import type { ReceivedHeaders, VerifyOptions } from './options.ts';
import type { WebhookEvent } from './webhook-events.ts';

const TOLERANCE_SECONDS = 300;
const SIGNATURE_MEMBER = /,"signature":"sha256=([0-9a-f]{64})"\}$/;
const encoder = new TextEncoder();

/**
 * Returns the event of a received request. `body` is the unparsed body; `secrets` is the webhook's
 * secret, or several during a rotation. @throws SignatureError
 */
async function verify<Event = WebhookEvent>(
  body: string | Uint8Array,
  headers: ReceivedHeaders,
  secrets: string | readonly string[],
  { scheme = 'standard', toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<Event> {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const { signed, signatures } = parseClaim(text, headers, scheme, toleranceSeconds);
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

/** Reads the signatures of the request, and the signed content. */
function parseClaim(text: string, headers: ReceivedHeaders, scheme: string, toleranceSeconds: number) {
  if (scheme === 'body') {
    const cut = SIGNATURE_MEMBER.exec(text);
    if (!cut) throw new SignatureError('The last member of the body is no signature.');
    return { signed: `${text.slice(0, cut.index)}}`, signatures: [fromHex(cut[1]!)] };
  }
  if (scheme === 'header') {
    const hex = /^sha256=([0-9a-f]{64})$/.exec(getHeader(headers, 'x-signature-256'))?.[1];
    if (!hex) throw new SignatureError('X-Signature-256 is no signature.');
    return { signed: text, signatures: [fromHex(hex)] };
  }
  const seconds = getHeader(headers, 'webhook-timestamp');
  const apart = Math.abs(Date.now() / 1000 - Number(seconds));
  if (!/^\d{1,12}$/.test(seconds) || apart > toleranceSeconds)
    throw new SignatureError('webhook-timestamp is too far from now: a replay, or a clock that is wrong.');
  const signatures = getHeader(headers, 'webhook-signature')
    .split(' ', SIGNATURES_MAX)
    .flatMap((one) => (/^v1,[A-Za-z0-9+/]{43}=$/.test(one) ? [fromBase64(one.slice(3))] : []));
  return { signed: `${getHeader(headers, 'webhook-id')}.${seconds}.${text}`, signatures };
}

/** A rotation needs two. */
const SIGNATURES_MAX = 8;

function getHeader(headers: ReceivedHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([other]) => other.toLowerCase() === name)?.[1];
  if (typeof value !== 'string') throw new SignatureError(`The header ${name} is missing.`);
  return value;
}

/**
 * After `whsec_` comes the key of Standard Webhooks, if it has 24 to 64 bytes; otherwise the text
 * is the key.
 */
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
