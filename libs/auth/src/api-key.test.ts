import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toDisplay, computeHash, isApiKey, generateApiKey, PRODUCTS } from './api-key.ts';

const ALPHABET = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];

describe.each(PRODUCTS)('a key of %s', (product) => {
  test.each(['live', 'test'] as const)('%s: its form identifies it', (environment) => {
    const key = generateApiKey(product, environment);
    expect(key).toMatch(new RegExp(`^${product}_${environment}_[0-9A-Za-z]{38}$`));
    expect(isApiKey(product, key)).toBe(true);
  });

  test('is not a key of another product', () => {
    const key = generateApiKey(product, 'live');
    for (const other of PRODUCTS) expect(isApiKey(other, key)).toBe(other === product);
  });

  test('one changed character is refused', () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(...ALPHABET, '_', '-', ' '), (place, character) => {
        const key = generateApiKey(product, 'live');
        const at = place % key.length;
        fc.pre(key[at] !== character);
        expect(isApiKey(product, key.slice(0, at) + character + key.slice(at + 1))).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  test('two swapped characters, a character less and one more are refused', () => {
    const key = generateApiKey(product, 'live');
    for (let at = 8; at < key.length - 1; at += 1) {
      const swapped = key.slice(0, at) + key[at + 1]! + key[at]! + key.slice(at + 2);
      if (swapped !== key) expect(isApiKey(product, swapped)).toBe(false);
      expect(isApiKey(product, key.slice(0, at) + key.slice(at + 1))).toBe(false);
      expect(isApiKey(product, `${key.slice(0, at)}0${key.slice(at)}`)).toBe(false);
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
])('not a key: %j', (text) => expect(isApiKey('fb', text)).toBe(false));

test('the checksum is CRC-32 in six base62 digits, so that other programs can compute it', () => {
  // Python: zlib.crc32(b'va_test_' + b'0' * 32) is 0xc376d3bc.
  expect(isApiKey('va', `va_test_${'0'.repeat(32)}3ZvnKO`)).toBe(true);
});

test('keys are never equal, and neither the stored nor the displayed form reveals them', () => {
  const keys = Array.from({ length: 200 }, () => generateApiKey('nt', 'live'));
  expect(new Set(keys).size).toBe(200);
  const key = keys[0]!;
  expect(computeHash(key)).toHaveLength(32);
  expect(computeHash(key)).not.toEqual(computeHash(keys[1]!));
  expect(toDisplay(key)).toBe(`${key.slice(0, 12)}…`);
});
