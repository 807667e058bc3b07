import { expect, test } from '@jest/globals';
import { firstKiB } from './attempt-delivery.ts';

test.each<[string, string, number]>([
  ['short', 'ok', 2],
  ['ASCII, exactly', 'x'.repeat(1_024), 1_024],
  ['ASCII, longer', 'x'.repeat(1_025), 1_024],
  ['characters of two bytes', 'ü'.repeat(600), 1_024],
  ['characters of three bytes, cut before one that does not fit', '€'.repeat(400), 1_023],
  ['characters of four bytes', '😀'.repeat(300), 1_024],
])('the first KiB: %s', (_what, text, bytes) => {
  const cut = firstKiB(text);
  expect(Buffer.byteLength(cut)).toBe(bytes);
  expect(text.startsWith(cut)).toBe(true);
});
