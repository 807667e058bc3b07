// Parses and validates the keys of a PushSubscription, so that invalid ones are refused at
// registration instead of at sending.
import { createECDH } from 'node:crypto';
import { AUTH_BYTES_MAX, AUTH_BYTES_MIN, POINT_BYTES, type DeviceKeys } from './encrypt.ts';

export interface KeyProblem {
  readonly path: '/keys/p256dh' | '/keys/auth';
  readonly message: string;
}

export type ReadKeys =
  | { readonly ok: true; readonly keys: DeviceKeys }
  | { readonly ok: false; readonly problems: readonly KeyProblem[] };

/** Accepts base64url from browsers and plain base64 from some libraries. */
export function readDeviceKeys(given: { readonly p256dh: string; readonly auth: string }): ReadKeys {
  const p256dh = decodeBase64(given.p256dh);
  const auth = decodeBase64(given.auth);
  const problems: KeyProblem[] = [];
  if (p256dh === undefined || !isPublicKey(p256dh)) {
    problems.push({
      path: '/keys/p256dh',
      message: `must be a public key of the curve P-256: ${POINT_BYTES} bytes, uncompressed, in base64url`,
    });
  }
  if (auth === undefined || auth.length < AUTH_BYTES_MIN || auth.length > AUTH_BYTES_MAX) {
    problems.push({
      path: '/keys/auth',
      message: `must be ${AUTH_BYTES_MIN} to ${AUTH_BYTES_MAX} bytes in base64url`,
    });
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, keys: { p256dh: p256dh!, auth: auth! } };
}

/** Node's decoder skips invalid characters, which would turn a misprint into another key. */
function decodeBase64(text: string): Buffer | undefined {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64url') : undefined;
}

/** Tries a key agreement: OpenSSL checks that the point is on the curve. */
function isPublicKey(point: Buffer): boolean {
  if (point.length !== POINT_BYTES || point[0] !== 4) return false; // 4: uncompressed
  const trial = createECDH('prime256v1');
  trial.generateKeys();
  try {
    trial.computeSecret(point);
    return true;
  } catch {
    return false; // not on the curve
  }
}
