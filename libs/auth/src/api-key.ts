// The text of a product API key: `<product>_<environment>_<32 random base62><6 base62 of CRC-32>`
// (docs/platform.md#credentials). Pure except for the random part. The checksum refuses mistyped or
// invented keys without a database read.
import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const PRODUCTS = ['fb', 'va', 'nt'] as const;
/** flow-builder, voice-api, notifications. */
export type Product = (typeof PRODUCTS)[number];
export type KeyEnvironment = 'live' | 'test';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 190 bits cannot be guessed. */
const RANDOM_CHARACTERS = 32;
/** 62^6 > 2^32. */
const CHECK_CHARACTERS = 6;
/**
 * Characters of a key that a list may show: enough to identify it, no help in guessing the rest.
 */
const DISPLAY_CHARACTERS = 12;

export function generateApiKey(product: Product, environment: KeyEnvironment): string {
  const random = Array.from({ length: RANDOM_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join(
    '',
  );
  const body = `${product}_${environment}_${random}`;
  return body + checksum(body);
}

/** Whether `text` is a well-formed key of `product`, issued or not. */
export function isApiKey(product: Product, text: string): boolean {
  const match = /^(fb|va|nt)_(live|test)_[0-9A-Za-z]{38,128}$/.exec(text);
  if (match?.[1] !== product) return false;
  return text.endsWith(checksum(text.slice(0, -CHECK_CHARACTERS)));
}

/** Stored instead of the key. Keys are random, so a plain hash suffices. */
export function computeHash(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** What a list shows of a key: `fb_live_3fa9…`. */
export function toDisplay(key: string): string {
  return `${key.slice(0, DISPLAY_CHARACTERS)}…`;
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < CHECK_CHARACTERS; i += 1) {
    text = ALPHABET[rest % ALPHABET.length]! + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
