import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { displayOf, hashOf, isApiKeyOf, newApiKey, PRODUCTS } from './api-key.ts';

const ALPHABET = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];

describe.each(PRODUCTS)('a key of %s', (product) => {
  test.each(['live', 'test'] as const)('%s: its form says what it is', (environment) => {
    const key = newApiKey(product, environment);
    expect(key).toMatch(new RegExp(`^${product}_${environment}_[0-9A-Za-z]{38}$`));
    expect(isApiKeyOf(product, key)).toBe(true);
  });

  test('is no key of another product', () => {
    const key = newApiKey(product, 'live');
    for (const other of PRODUCTS) expect(isApiKeyOf(other, key)).toBe(other === product);
  });

  test('one changed character is refused', () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(...ALPHABET, '_', '-', ' '), (place, character) => {
        const key = newApiKey(product, 'live');
        const at = place % key.length;
        fc.pre(key[at] !== character);
        expect(isApiKeyOf(product, key.slice(0, at) + character + key.slice(at + 1))).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  test('two neighbours in each other’s place, a character less and one more are refused', () => {
    const key = newApiKey(product, 'live');
    for (let at = 8; at < key.length - 1; at += 1) {
      const swapped = key.slice(0, at) + key[at + 1]! + key[at]! + key.slice(at + 2);
      if (swapped !== key) expect(isApiKeyOf(product, swapped)).toBe(false);
      expect(isApiKeyOf(product, key.slice(0, at) + key.slice(at + 1))).toBe(false);
      expect(isApiKeyOf(product, `${key.slice(0, at)}0${key.slice(at)}`)).toBe(false);
    }
  });
});

test.each([
  '',
  'fb',
  'fb_live_',
  'fb_live_short',
  `fb_prod_${'a'.repeat(38)}`,
  `xx_live_${'a'.repeat(38)}`,
  `fb_live_${'a'.repeat(5_000)}`,
])('not a key: %j', (text) => expect(isApiKeyOf('fb', text)).toBe(false));

test('the checksum is CRC-32 in six base62 digits: a key that any other program makes is one', () => {
  // Python: zlib.crc32(b'va_test_' + b'0' * 32) is 0xc376d3bc.
  expect(isApiKeyOf('va', `va_test_${'0'.repeat(32)}3ZvnKO`)).toBe(true);
});

test('keys are never equal, and what is stored and shown does not give them away', () => {
  const keys = Array.from({ length: 200 }, () => newApiKey('nt', 'live'));
  expect(new Set(keys).size).toBe(200);
  const key = keys[0]!;
  expect(hashOf(key)).toHaveLength(32);
  expect(hashOf(key)).not.toEqual(hashOf(keys[1]!));
  expect(displayOf(key)).toBe(`${key.slice(0, 12)}…`);
});
