// Encrypts one plaintext for many devices: on worker threads if the machine has cores for them,
// else here in short slices. Created once per process. The first broadcast starts the threads, and
// the service closes them.
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { shippedPath, createThread } from '@parley/server/runtime';
import { createEncrypt, encryptedBytes, encryptOne, POINT_BYTES, type DeviceKeys } from './encrypt.ts';
import type { EncryptResult, EncryptOrder } from './encrypt-thread.ts';

export interface EncryptionPool {
  /** One body per device, in order; null where the keys are invalid. */
  encryptAll(plaintext: Uint8Array, devices: readonly DeviceKeys[]): Promise<(Buffer | null)[]>;
  close(): Promise<void>;
}

/** Fewer devices do not justify the way to a thread (about 50 us) or its start. */
const THREADS_FROM_DEVICES = 8;
/** A slice of about a millisecond, so that other work of the process is not delayed. */
const SLICE_DEVICES = 10;
const PACKED_BYTES = POINT_BYTES + 1 + 64; // encrypt-thread.ts; importing it would run it

/** `threads` 0: encrypts in this thread. */
export function createEncryptionPool({ threads }: { readonly threads: number }): EncryptionPool {
  const encrypt = createEncrypt();
  const pool: Thread[] = [];
  let closed = false;

  async function encryptHere(plaintext: Uint8Array, devices: readonly DeviceKeys[]) {
    const bodies: (Buffer | null)[] = [];
    for (const [index, device] of devices.entries()) {
      if (index > 0 && index % SLICE_DEVICES === 0) await breathe();
      bodies.push(encryptOrNull(plaintext, device));
    }
    return bodies;
  }

  function encryptOrNull(plaintext: Uint8Array, device: DeviceKeys): Buffer | null {
    try {
      return encryptOne(encrypt, plaintext, device);
    } catch {
      return null; // invalid keys: the caller knows the device
    }
  }

  /** Running threads. Replaces dead ones. */
  function startThreads(): Thread[] {
    if (closed) throw new Error('the encryption pool is closed');
    for (let index = 0; index < threads; index += 1) {
      if (pool[index]?.dead !== false) pool[index] = startThread();
    }
    return pool;
  }

  async function encryptOnThreads(plaintext: Uint8Array, devices: readonly DeviceKeys[]) {
    const workers = startThreads();
    const share = Math.ceil(devices.length / workers.length);
    // The least busy first: else the same thread would get the rest of uneven broadcasts.
    const byLoad = [...workers].sort((a, b) => a.waiting - b.waiting);
    const parts = byLoad.flatMap((worker, index) => {
      const part = devices.slice(index * share, (index + 1) * share);
      return part.length === 0 ? [] : [worker.encrypt(plaintext, part)];
    });
    return (await Promise.all(parts)).flat();
  }

  return {
    encryptAll: (plaintext, devices) =>
      threads === 0 || devices.length < THREADS_FROM_DEVICES
        ? encryptHere(plaintext, devices)
        : encryptOnThreads(plaintext, devices),
    close: async () => {
      closed = true;
      await Promise.all(pool.map((thread) => thread.close()));
    },
  };
}

interface Thread {
  readonly dead: boolean;
  /** Orders without an answer. */
  readonly waiting: number;
  encrypt(plaintext: Uint8Array, devices: readonly DeviceKeys[]): Promise<(Buffer | null)[]>;
  close(): Promise<void>;
}

function startThread(): Thread {
  const waiting = new Map<number, { resolve(done: EncryptResult): void; reject(error: Error): void }>();
  const worker = createThread(
    shippedPath('encrypt-thread.mjs', () => join(import.meta.dirname, 'encrypt-thread.ts')),
  );
  worker.unref(); // pending orders keep the process alive, an idle thread does not
  let orders = 0;
  let dead = false;

  function die(error: Error): void {
    dead = true;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }
  worker.on('error', die);
  worker.on('exit', (code) => die(new Error(`an encryption thread ended with ${code}`)));
  worker.on('message', (done: EncryptResult) => {
    waiting.get(done.order)?.resolve(done);
    waiting.delete(done.order);
    if (waiting.size === 0) worker.unref();
  });

  async function encrypt(plaintext: Uint8Array, devices: readonly DeviceKeys[]) {
    const order: EncryptOrder = { order: (orders += 1), plaintext, keys: packDevices(devices) };
    const done = await new Promise<EncryptResult>((resolve, reject) => {
      waiting.set(order.order, { resolve, reject });
      worker.ref();
      worker.postMessage(order, [order.keys.buffer as ArrayBuffer]);
    });
    const each = encryptedBytes(plaintext.length);
    const bodies = Buffer.from(done.bodies.buffer, done.bodies.byteOffset, done.bodies.byteLength);
    const refused = new Set(done.refused);
    return devices.map((_, index) =>
      refused.has(index) ? null : bodies.subarray(index * each, (index + 1) * each),
    );
  }

  return {
    get dead() {
      return dead;
    },
    get waiting() {
      return waiting.size;
    },
    encrypt,
    close: async () => void (await worker.terminate()),
  };
}

function packDevices(devices: readonly DeviceKeys[]): Uint8Array {
  const bytes = Buffer.from(new ArrayBuffer(devices.length * PACKED_BYTES));
  for (const [index, { p256dh, auth }] of devices.entries()) {
    const at = index * PACKED_BYTES;
    p256dh.copy(bytes, at);
    bytes[at + POINT_BYTES] = auth.length;
    auth.copy(bytes, at + POINT_BYTES + 1);
  }
  return bytes;
}
