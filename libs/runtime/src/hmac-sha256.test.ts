// The HMAC against Node's own, and against RFC 4231.
import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { hmacSha256 } from './hmac-sha256.ts';

test.each([
  // RFC 4231 §4.2, §4.3, §4.7: a short key, one shorter than the digest, one longer than the block.
  ['0b'.repeat(20), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
  [
    '4a656665',
    'what do ya want for nothing?',
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
  [
    'aa'.repeat(131),
    'Test Using Larger Than Block-Size Key - Hash Key First',
    '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  ],
])('RFC 4231, key %s', (key, text, mac) => {
  expect(hmacSha256(Buffer.from(key, 'hex'), [Buffer.from(text)], 'hex')).toBe(mac);
});

const lengths = [0, 1, 31, 32, 63, 64, 65, 8_191, 8_192, 8_193, 40_000];
test.each(lengths)(
  'as createHmac says, for messages of %i bytes in parts and keys of every length',
  (bytes) => {
    const message = randomBytes(bytes);
    const parts = [message.subarray(0, bytes / 3), message.subarray(bytes / 3)];
    for (const keyBytes of [0, 1, 16, 32, 63, 64, 65, 200]) {
      const key = randomBytes(keyBytes);
      for (const encoding of ['hex', 'base64', 'binary'] as const) {
        const expected = createHmac('sha256', key).update(message).digest();
        expect(Buffer.from(hmacSha256(key, parts, encoding), encoding)).toEqual(expected);
      }
    }
  },
);
