// HMAC-SHA-256 (RFC 2104) from two one-shot hashes. `createHmac` makes an object with a finaliser for every message: three times the
// cost of hashing a short one on Node 20, and near twenty times on Node 24, which makes a key object of raw bytes for each (20 us). A
// push takes five of them and a webhook delivery three. Compared with `createHmac` in the tests. An entry of its own
// (@parley/runtime/hmac-sha256), so that the thread that encrypts pushes loads nothing else.
import { createHmac, hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
/** Longer messages are left to `createHmac`: beside hashing them its object is nothing, and they need not be copied. */
const SHORT_BYTES_MAX = 8 * 1024;

/** The key with ipad, then the message; the key with opad, then the first hash. Written anew by every call. */
const inner = Buffer.allocUnsafeSlow(BLOCK_BYTES + SHORT_BYTES_MAX);
const outer = Buffer.allocUnsafeSlow(BLOCK_BYTES + DIGEST_BYTES);

/** `binary`: a character a byte (Node's other name for latin1), which is the cheapest way out of the hash. */
export type HmacEncoding = 'hex' | 'base64' | 'binary';

/** The HMAC of the parts, one after the other. */
export function hmacSha256(key: Uint8Array, parts: readonly Uint8Array[], encoding: HmacEncoding): string {
  let end = BLOCK_BYTES;
  for (const part of parts) end += part.length;
  if (end > inner.length || key.length > BLOCK_BYTES) return long(key, parts, encoding);
  for (let at = 0; at < BLOCK_BYTES; at += 1) {
    const byte = at < key.length ? key[at]! : 0;
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  }
  let at = BLOCK_BYTES;
  for (const part of parts) {
    inner.set(part, at);
    at += part.length;
  }
  outer.write(hash('sha256', inner.subarray(0, end), 'binary'), BLOCK_BYTES, 'binary');
  return hash('sha256', outer, encoding);
}

function long(key: Uint8Array, parts: readonly Uint8Array[], encoding: HmacEncoding): string {
  const mac = createHmac('sha256', key);
  for (const part of parts) mac.update(part);
  return mac.digest(encoding);
}
