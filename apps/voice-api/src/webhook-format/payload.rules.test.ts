import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import {
  formatEventBody,
  selectActiveSecrets,
  signRequest,
  createSigningKeys,
  splitSignature,
  appendSignature,
} from './payload.rules.ts';

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const hex = (secret: string, text: string) =>
  `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
const NOW_MS = Date.now();

const request = (data: unknown, secret = SECRET, attempt = 1) => {
  const body = formatEventBody({ id: 'evt_1', event: 'bot.message', timestamp: new Date(0), data });
  return signRequest(
    { id: 'evt_1', body: Buffer.from(body) },
    selectActiveSecrets(createSigningKeys(secret), null, NOW_MS),
    attempt,
    NOW_MS,
  );
};

/** Values that careless senders and receivers mishandle. */
const awkward = {
  '10': 1,
  '2': 2,
  tiny: 1e-7,
  emoji: '😀',
  line: '\u2028',
  quote: '"',
  fake: `","signature":"sha256=${'0'.repeat(64)}"}`,
};

describe('a receiver recovers the signed bytes', () => {
  test.each<[string, unknown]>([
    ['awkward values', awkward],
    ['null', null],
    ['a text that ends like a body', `x,"signature":"sha256=${'a'.repeat(64)}"}`],
  ])('by cutting off the signature: %s', (_what, data) => {
    const raw = request(data).body.toString();
    const split = splitSignature(raw);
    expect(split).not.toBeNull();
    expect(split!.signature).toBe(hex(SECRET, split!.body));
    expect(JSON.parse(split!.body)).toEqual(
      JSON.parse(JSON.stringify({ ...JSON.parse(raw), signature: undefined })),
    );
  });

  test('by parsing and serializing any JSON in JavaScript', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (data) => {
        const raw = request(data).body.toString();
        const { signature, ...rest } = JSON.parse(raw) as Record<string, unknown>;
        expect(signature).toBe(hex(SECRET, JSON.stringify(rest)));
        expect(Object.keys(JSON.parse(raw) as object).at(-1)).toBe('signature');
      }),
    );
  });

  test('only if the signature is the last member', () => {
    expect(splitSignature('{}')).toBeNull();
    const raw = appendSignature(Buffer.from('{"a":1}'), `sha256=${'0'.repeat(64)}`).toString();
    expect(splitSignature(raw)).not.toBeNull();
    expect(splitSignature(`${raw} `)).toBeNull();
  });
});

describe('headers', () => {
  test('of an attempt carry its id, number and signatures', () => {
    const { headers, body } = request({ a: 1 }, SECRET, 3);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(NOW_MS / 1000)),
      'x-delivery-attempt': '3',
      'x-signature-256': hex(SECRET, body.toString()),
    });
    expect(new Webhook(SECRET).verify(body.toString(), headers)).toMatchObject({ id: 'evt_1' });
  });

  test.each<[string, string, string]>([
    ['whsec_ with 32 bytes', SECRET, SECRET],
    [
      'the text of a whsec_ with too few bytes',
      'whsec_c2hvcnQ=',
      `whsec_${Buffer.from('whsec_c2hvcnQ=').toString('base64')}`,
    ],
    [
      'the text of a whsec_ with more than 64 bytes',
      `whsec_${Buffer.alloc(65, 9).toString('base64')}`,
      `whsec_${Buffer.from(`whsec_${Buffer.alloc(65, 9).toString('base64')}`).toString('base64')}`,
    ],
    [
      'the text of a whsec_ without valid base64',
      `whsec_${'!'.repeat(40)}`,
      `whsec_${Buffer.from(`whsec_${'!'.repeat(40)}`).toString('base64')}`,
    ],
    ['any other text', 'correct-horse', `whsec_${Buffer.from('correct-horse').toString('base64')}`],
  ])('follow Standard Webhooks, keyed by %s', (_what, secret, key) => {
    const { headers, body } = request({ a: 1 }, secret);
    expect(new Webhook(key).verify(body.toString(), headers)).toMatchObject({ id: 'evt_1' });
    expect(headers['x-signature-256']).toBe(hex(secret, body.toString()));
  });
});

describe('in the grace period of a rotation', () => {
  const [fresh, old] = ['the-new-secret', 'the-old-secret'] as const;
  const at = (nowMs: number) => {
    const body = formatEventBody({ id: 'evt_1', event: 'bot.message', timestamp: new Date(0), data: {} });
    const previous = { keys: createSigningKeys(old), untilMs: NOW_MS };
    return signRequest(
      { id: 'evt_1', body: Buffer.from(body) },
      selectActiveSecrets(createSigningKeys(fresh), previous, nowMs),
      1,
      nowMs,
    );
  };
  test('the old secret signs the body, both sign in webhook-signature', () => {
    const { headers, body } = at(NOW_MS - 1);
    expect(headers['x-signature-256']).toBe(hex(old, body.toString()));
    expect(headers['webhook-signature']!.split(' ')).toHaveLength(2);
  });
  test('after its end only the new secret signs', () => {
    const { headers, body } = at(NOW_MS);
    expect(headers['x-signature-256']).toBe(hex(fresh, body.toString()));
    expect(headers['webhook-signature']!.split(' ')).toHaveLength(1);
  });
});
