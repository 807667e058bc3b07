import { expect, test } from '@jest/globals';
import { parseHeaders } from './headers.rules.ts';

test.each([
  [
    'Webhook-Id: msg_1\nWebhook-Signature: v1,abc=',
    { 'webhook-id': 'msg_1', 'webhook-signature': 'v1,abc=' },
  ],
  [
    '< x-signature-256: sha256=00\r\n< date: Sun, 22 Nov',
    { 'x-signature-256': 'sha256=00', date: 'Sun, 22 Nov' },
  ],
  [
    `  "webhook-id": "msg_1",\n  'webhook-timestamp': '17',`,
    { 'webhook-id': 'msg_1', 'webhook-timestamp': '17' },
  ],
  ['a: 1\na: 2\na: 3', { a: ['1', '2', '3'] }],
  ['POST /hook HTTP/1.1\n\n__proto__: x', {}],
  ['empty:', { empty: '' }],
])('%j', (text, headers) => {
  expect(parseHeaders(text)).toEqual(headers);
});
