// New VAPID keys for tests.
import { createECDH } from 'node:crypto';

/** A private key in base64url, in the form of the secret VAPID_KEYS. */
export function newVapidKey(): string {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  return pair.getPrivateKey().toString('base64url').padStart(43, 'A');
}
