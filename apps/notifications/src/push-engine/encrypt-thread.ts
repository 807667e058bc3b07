// The thread that encrypts broadcasts, started by encryption-pool.ts. A message in holds one
// plaintext and packed device keys, a message out all bodies in one buffer. A separate entry of the
// bundle (apps/dev/src/stack, bundle.ts) that imports only the encryption.
import { parentPort } from 'node:worker_threads';
import { createEncrypt, encryptedBytes, POINT_BYTES } from './encrypt.ts';

/** Of one device in `keys`: point, length of its secret, secret padded to the longest. */
export const PACKED_BYTES = POINT_BYTES + 1 + 64;

export interface EncryptOrder {
  readonly order: number;
  readonly plaintext: Uint8Array;
  /** PACKED_BYTES for each device. */
  readonly keys: Uint8Array;
}

export interface EncryptResult {
  readonly order: number;
  readonly bodies: Uint8Array;
  /** Indexes of devices with invalid keys. Their bodies are undefined. */
  readonly refused: readonly number[];
}

const encrypt = createEncrypt();

parentPort?.on('message', ({ order, plaintext, keys }: EncryptOrder) => {
  const packed = Buffer.from(keys.buffer, keys.byteOffset, keys.byteLength);
  const count = packed.length / PACKED_BYTES;
  const each = encryptedBytes(plaintext.length);
  // Its own buffer instead of a slice of Node's pool, so that it is transferred without a copy.
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
      refused.push(index); // registration checks keys: the row was changed by hand
    }
  }
  const done: EncryptResult = { order, bodies: new Uint8Array(memory), refused };
  parentPort?.postMessage(done, [memory]);
});
