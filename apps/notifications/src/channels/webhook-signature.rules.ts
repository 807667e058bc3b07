// Signatures of the Standard Webhooks specification (standardwebhooks.com, v1: HMAC-SHA-256). Pure.
import { createHmac } from 'node:crypto';

export interface Signed {
  readonly id: string;
  /** Epoch seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/** The specification asks for 24 to 64 bytes; longer ones do no harm. */
const SECRET_BYTES_MIN = 24;

/**
 * The value of `webhook-signature`. `secrets` is one `whsec_<base64>`, or several with blanks between while one takes the
 * place of another: a signature each, and the receiver accepts whichever it knows. Undefined when one of them is unusable.
 */
export function signWebhook(secrets: string, { id, timestamp, body }: Signed): string | undefined {
  const keys = secrets.trim().split(/\s+/).map(keyOf);
  const signatures = keys.map(
    (key) => key && `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return signatures.includes(undefined) ? undefined : signatures.join(' ');
}

function keyOf(secret: string): Buffer | undefined {
  const encoded = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret;
  const key = Buffer.from(encoded, 'base64');
  const isBase64 = key.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '');
  return isBase64 && key.length >= SECRET_BYTES_MIN ? key : undefined;
}
