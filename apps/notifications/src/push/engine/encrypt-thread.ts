// The thread in which a broadcast is encrypted; encryption-pool.ts starts some. A message in: one plaintext and the keys of
// some devices, packed. A message out: the bodies, one after the other in one buffer. An entry of its own in the bundle
// (libs/local-stack, bundle.ts), so it imports nothing but the encryption.
import { parentPort } from 'node:worker_threads';
import { createEncrypt, encryptedBytes, POINT_BYTES } from './encrypt.ts';

/** Bytes of one device in `keys`: its point, the length of its secret, and the secret in the space of the longest. */
export const PACKED_BYTES = POINT_BYTES + 1 + 64;

export interface EncryptOrder {
  readonly order: number;
  readonly plaintext: Uint8Array;
  /** PACKED_BYTES a device. */
  readonly keys: Uint8Array;
}

export interface Encrypted {
  readonly order: number;
  readonly bodies: Uint8Array;
  /** Which devices have keys that cannot be encrypted for; their bodies are left as they are. */
  readonly refused: readonly number[];
}

const encrypt = createEncrypt();

parentPort?.on('message', ({ order, plaintext, keys }: EncryptOrder) => {
  const packed = Buffer.from(keys.buffer, keys.byteOffset, keys.byteLength);
  const count = packed.length / PACKED_BYTES;
  const each = encryptedBytes(plaintext.length);
  // A buffer of its own, not a slice of Node's pool: it changes hands without being copied.
  const memory = new ArrayBuffer(each * count);
  const bodies = Buffer.from(memory);
  const refused: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const at = index * PACKED_BYTES;
    const authAt = at + POINT_BYTES + 1;
    const device = {
      p256dh: packed.subarray(at, at + POINT_BYTES),
      auth: packed.subarray(authAt, authAt + packed[authAt - 1]!),
    };
    try {
      encrypt(plaintext, device, bodies, index * each);
    } catch {
      refused.push(index); // keys were tried when they were registered: this row was changed by hand
    }
  }
  const done: Encrypted = { order, bodies: new Uint8Array(memory), refused };
  parentPort?.postMessage(done, [memory]);
});
