// The credential of SendGrid's event webhook: an ECDSA signature over time stamp and raw body,
// verified with the organisation's `sendgrid_event_key`.
// Verified with node:crypto in 0.09 ms. @sendgrid/eventwebhook would take 5 ms of CPU for every
// request, forged ones included; it supplies the header names and the tests' reference.
import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { EventWebhookHeader } from '@sendgrid/eventwebhook';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { AppError } from '@parley/envelopes';
import type { OwnCredential } from '@parley/server/http';
import { SecretUnavailable } from '@parley/server/runtime';
import type { BaseDeps } from '../../base-deps.ts';

/** Per minute, address and organisation: organisations share SendGrid's addresses. */
const REFUSED_PER_MINUTE_MAX = 300;
const SIGNATURE_HEADER = EventWebhookHeader.SIGNATURE().toLowerCase();
const TIMESTAMP_HEADER = EventWebhookHeader.TIMESTAMP().toLowerCase();
const SIGNATURE = /^[A-Za-z0-9+/]{8,256}={0,2}$/;
const TIMESTAMP = /^\d{1,16}$/;
const ORGANIZATION_CHARACTERS_MAX = 255;

/** Verified with when an organisation has no key, so that both answers take the same time. */
const PLACEHOLDER_KEY =
  'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAElqr1S49ajAIstTEBLwNYBzhAuY5Yb/V5NvWnUvqj8ZqQC7JZgiuYQDiQps8gb14qDz6tzdJWeNkU385ZaAsCxg==';

export function sendGridSignature(deps: Pick<BaseDeps, 'settings' | 'clock'>): OwnCredential {
  const refused = new RateLimiterMemory({ points: REFUSED_PER_MINUTE_MAX, duration: 60 });
  return {
    scheme: {
      name: 'sendgridSignature',
      in: 'header',
      parameter: EventWebhookHeader.SIGNATURE(),
      description: 'ECDSA signature of SendGrid’s event webhook over its time stamp header and the raw body.',
    },
    orBearer: false,
    verify: async ({ params, header, address, rawBody }) => {
      const organizationId = String(params['organization_id']);
      const counted = `${address} ${organizationId}`;
      const spent = await refused.get(counted);
      if (spent && spent.consumedPoints >= REFUSED_PER_MINUTE_MAX) {
        throw new AppError('rate_limited', 'too many requests without a valid signature from this address', {
          headers: { 'retry-after': String(Math.max(1, Math.ceil(spent.msBeforeNext / 1000))) },
        });
      }
      const body = await rawBody();
      const key = await loadKey(deps, organizationId);
      const signature = header(SIGNATURE_HEADER) ?? '';
      const timestamp = header(TIMESTAMP_HEADER) ?? '';
      const valid =
        isFresh(timestamp, deps.clock()) &&
        isSigned(key ?? parsePublicKey(PLACEHOLDER_KEY)!, body, signature, timestamp);
      if (!valid || key === null) {
        // counts only existing organisations, since a caller can invent names
        if (key !== null) await refused.penalty(counted);
        throw new AppError('unauthorized', 'a valid signature of SendGrid is required');
      }
      return {
        organizationId,
        kind: 'signature',
        principal: 'sendgrid',
        scopes: new Set(['write'] as const),
      };
    },
  };
}

/** Null when the organisation has no key or an invalid one. @throws AppError unavailable */
async function loadKey(deps: Pick<BaseDeps, 'settings'>, organizationId: string): Promise<KeyObject | null> {
  if (organizationId.length > ORGANIZATION_CHARACTERS_MAX || organizationId.includes('\0')) return null;
  try {
    const secret = await deps.settings.get(organizationId, 'sendgrid_event_key');
    return secret ? parsePublicKey(secret.reveal()) : null;
  } catch (error) {
    if (!(error instanceof SecretUnavailable)) throw error;
    throw new AppError('unavailable', 'the key cannot be read at the moment', {
      headers: { 'retry-after': '60' },
      cause: error,
    });
  }
}

/** In base64 as SendGrid shows it, or as PEM. */
export function parsePublicKey(text: string): KeyObject | null {
  try {
    return text.includes('-----BEGIN')
      ? createPublicKey(text)
      : createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
  } catch {
    return null; // not a key
  }
}

/** SendGrid repeats unanswered events for 24 hours; its clock may be ahead of ours. */
const REPEATS_MS = 24 * 60 * 60_000;
const AHEAD_MS = 5 * 60_000;

/** A replay in this time changes nothing, since event ids are stored for longer. */
export function isFresh(timestamp: string, nowMs: number): boolean {
  const ageMs = nowMs - Number(timestamp) * 1_000;
  return TIMESTAMP.test(timestamp) && ageMs <= REPEATS_MS && ageMs >= -AHEAD_MS;
}

export function isSigned(key: KeyObject, body: Buffer, signature: string, timestamp: string): boolean {
  if (!SIGNATURE.test(signature) || !TIMESTAMP.test(timestamp)) return false;
  try {
    return verify(
      'sha256',
      Buffer.concat([Buffer.from(timestamp), body]),
      key,
      Buffer.from(signature, 'base64'),
    );
  } catch {
    return false; // a key of another kind
  }
}
