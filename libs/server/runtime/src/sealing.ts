// Authenticated encryption of stored values (docs/platform.md#secrets): AES-256-GCM under DATA_KEY
// at rest, under QUEUE_KEY in a queue. Sealed text names its key, so that keys can be rotated one
// after the other.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';
import { createSecretParser, type Secrets } from './secrets.ts';

const FORMAT = 's1';
const KEY_BYTES = 32;
const IV_BYTES = 12; // the size GCM is defined for (NIST SP 800-38D §8.2)
const TAG_BYTES = 16;

/**
 * Keys by id; the first one seals, all open. Stored as key objects: Node 24 takes 20 µs to convert
 * raw bytes for every use.
 */
export type Keyring = ReadonlyMap<string, KeyObject>;

/**
 * Parses `id:<base64 of 32 bytes>[,id:<base64>…]`.
 * @throws Error that names the entry's position, never its value.
 */
export function parseKeyring(text: string): Keyring {
  const keys = new Map<string, KeyObject>();
  for (const [index, entry] of text.split(',').entries()) {
    const [, id, encoded] = /^\s*([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/=_-]+)\s*$/.exec(entry) ?? [];
    const key = Buffer.from(encoded ?? '', 'base64');
    if (!id || key.length !== KEY_BYTES) {
      throw new Error(`entry ${index + 1} of the keyring must be "id:<base64 of ${KEY_BYTES} bytes>"`);
    }
    if (keys.has(id)) throw new Error(`entry ${index + 1} of the keyring repeats the id "${id}"`);
    keys.set(id, createSecretKey(key));
  }
  return keys;
}

/**
 * Seals `text`. `context` names its purpose and organisation (`idempotency:acme`). Opening needs
 * the same context, so sealed text that is copied into another row or organisation does not open.
 */
export function seal(keyring: Keyring, text: string, context: string): string {
  const [first] = keyring;
  if (!first) throw new Error('the keyring is empty');
  const [id, key] = first;
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(context, 'utf8'));
  const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${FORMAT}.${id}.${sealed.toString('base64url')}`;
}

/** @throws Error when the text was sealed under another key or context, or was changed. */
export function unseal(keyring: Keyring, sealedText: string, context: string): string {
  const [format, id = '', encoded = '', ...rest] = sealedText.split('.');
  const key = keyring.get(id);
  if (format !== FORMAT || rest.length > 0) throw new Error('not a sealed text');
  if (!key) throw new Error(`sealed under key "${id}", which the keyring lacks`);
  const sealed = Buffer.from(encoded, 'base64url');
  if (sealed.length < IV_BYTES + TAG_BYTES) throw new Error('the sealed text is cut short');
  // Node's decoder skips characters outside of base64url: different texts would open as the same
  // one.
  if (sealed.toString('base64url') !== encoded) throw new Error('the sealed text is not base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(context, 'utf8'));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  // complete: GCM holds nothing back
  const text = decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES));
  decipher.final();
  return text.toString('utf8');
}

/** Seals and opens under the keyring of a reference. A rotated key file applies immediately. */
export interface Sealer {
  seal(text: string, context: string): Promise<string>;
  unseal(sealedText: string, context: string): Promise<string>;
  /** Ids of the keys; the first one seals. */
  keyIds(): Promise<readonly string[]>;
  /**
   * A keyed hash of texts, 16 hexadecimal digits. Equal texts of one context have equal hashes, and
   * without the key nobody can try values. Uses the first key: a rotation changes the hashes.
   */
  hasher(context: string): Promise<(text: string) => string>;
  /**
   * Signs under the first key. Signatures under any key of the keyring are valid, so they survive a
   * rotation.
   */
  signer(context: string): Promise<Signer>;
}

export interface Signer {
  /** 43 characters of base64url. */
  sign(text: string): string;
  /** Compares the text of the signature: base64url has several spellings of the same bytes. */
  isSigned(text: string, signature: string): boolean;
}

const HASH_CHARACTERS = 16;

/** Derives a key for each purpose: encryption keys are used for nothing else. */
function deriveKey(key: KeyObject, use: string): KeyObject {
  return createSecretKey(createHmac('sha256', key).update(use).digest());
}

function createHasher(keyring: Keyring, context: string): (text: string) => string {
  const [first] = keyring;
  if (!first) throw new Error('the keyring is empty');
  const key = deriveKey(first[1], `hash\0${context}`);
  return (text) => createHmac('sha256', key).update(text).digest('hex').slice(0, HASH_CHARACTERS);
}

function createSigner(keyring: Keyring, context: string): Signer {
  const keys = [...keyring.values()].map((key) => deriveKey(key, `sign\0${context}`));
  const [first] = keys;
  if (!first) throw new Error('the keyring is empty');
  const signed = (key: KeyObject, text: string) => createHmac('sha256', key).update(text).digest('base64url');
  return {
    sign: (text) => signed(first, text),
    isSigned: (text, signature) => keys.some((key) => isSameText(signed(key, text), signature)),
  };
}

/** In constant time. */
export function isSameText(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}

/**
 * @throws when the reference cannot be read or holds no keyring: a service must not start without
 * its keys.
 */
export async function createSealer(secrets: Pick<Secrets, 'resolve'>, reference: string): Promise<Sealer> {
  const keyring = createSecretParser(secrets, reference, parseKeyring);
  await keyring();
  return {
    seal: async (text, context) => seal(await keyring(), text, context),
    unseal: async (sealedText, context) => unseal(await keyring(), sealedText, context),
    keyIds: async () => [...(await keyring()).keys()],
    hasher: async (context) => createHasher(await keyring(), context),
    signer: async (context) => createSigner(await keyring(), context),
  };
}
