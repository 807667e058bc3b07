import { expect, test } from '@jest/globals';
import { cutAnswer, maskExchange } from './mask-exchange.ts';

test.each<[string, string, number]>([
  ['a short one', 'ok', 2],
  ['ASCII of this length', 'x'.repeat(4_096), 4_096],
  ['longer ASCII', 'x'.repeat(4_097), 4_096],
  ['characters of two bytes', 'ü'.repeat(2_400), 4_096],
  ['characters of three bytes, cut before one that does not fit', '€'.repeat(1_600), 4_095],
  ['characters of four bytes', '😀'.repeat(1_200), 4_096],
])('the log keeps the first 4 KiB of an answer: %s', (_what, text, bytes) => {
  const cut = cutAnswer(text);
  expect(Buffer.byteLength(cut)).toBe(bytes);
  expect(text.startsWith(cut)).toBe(true);
});

const timings = { dnsMs: 1, connectMs: 2, tlsMs: null, firstByteMs: 4 };

test('possible credentials are masked in requests and answers', () => {
  const headers = {
    'content-type': 'application/json',
    'x-tenant': 'plain',
    authorization: 'secret://crm',
    'x-signature-256': `sha256=${'a'.repeat(64)}`,
    'webhook-signature': `v1,${'b'.repeat(43)}= v1a,${'c'.repeat(86)}==`,
    'webhook-id': 'evt_1',
  };
  const answered = { 'content-type': 'text/plain', 'set-cookie': 'a=b', 'x-api-key': 'k', server: 'nginx' };
  const text = maskExchange(
    { url: 'https://hooks.example.com/a', headers, own: ['x-tenant', 'authorization'] },
    { trace: { headers: answered, timings } },
  );
  expect(JSON.parse(text)).toEqual({
    url: 'https://hooks.example.com/a',
    request_headers: {
      ...headers,
      'x-tenant': '***',
      'x-signature-256': 'sha256=***',
      'webhook-signature': 'v1,*** v1a,***',
    },
    response_headers: { ...answered, 'set-cookie': '***', 'x-api-key': '***' },
    timings: { dns_ms: 1, connect_ms: 2, tls_ms: null, first_byte_ms: 4 },
  });
});

test('an attempt that was not sent has no answer and no timings', () => {
  const text = maskExchange({ url: 'https://10.0.0.1/', headers: {}, own: [] }, {});
  expect(JSON.parse(text)).toMatchObject({ response_headers: null, timings: null });
});
