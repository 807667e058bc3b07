// Signatures, verified by the package of the specification.
import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { signStandardWebhook, parseWebhookKey } from './standard-webhooks.ts';

const secretOf = (bytes: number, fill: number) => `whsec_${Buffer.alloc(bytes, fill).toString('base64')}`;
const body = JSON.stringify({ text: 'Grüße 👋' });
const now = { id: 'evt_1', timestampSeconds: Math.floor(Date.now() / 1000), body };

test.each([24, 25, 32, 64, 100])('signs with a key of %i bytes, with or without padding', (bytes) => {
  const padded = secretOf(bytes, 0xfb);
  for (const secret of [padded, padded.replace(/=+$/, '')]) {
    const headers = signStandardWebhook({ ...now, keys: [parseWebhookKey(secret)!] });
    expect(new Webhook(padded).verify(body, headers)).toEqual(JSON.parse(body));
  }
});

test('a text and its bytes have the same signature', () => {
  const keys = [parseWebhookKey(secretOf(32, 1))!];
  expect(signStandardWebhook({ ...now, body: Buffer.from(body), keys })).toEqual(
    signStandardWebhook({ ...now, keys }),
  );
});

test('one signature for each key; another key refuses', () => {
  const [old, fresh, other] = [secretOf(32, 1), secretOf(24, 2), secretOf(32, 3)];
  const keys = [old, fresh].map((secret) => parseWebhookKey(secret)!);
  const headers = signStandardWebhook({ ...now, keys });
  expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
  for (const secret of [old, fresh]) expect(new Webhook(secret).verify(body, headers)).toBeDefined();
  expect(() => new Webhook(other).verify(body, headers)).toThrow();
});

test('a received time is signed as it is written', () => {
  const keys = [parseWebhookKey(secretOf(32, 1))!];
  const written = signStandardWebhook({ ...now, timestampSeconds: String(now.timestampSeconds), keys });
  expect(written).toEqual(signStandardWebhook({ ...now, keys }));
  const padded = signStandardWebhook({ ...now, timestampSeconds: `0${now.timestampSeconds}`, keys });
  expect(padded['webhook-signature']).not.toBe(written['webhook-signature']);
});

test.each([
  ['no prefix', secretOf(32, 1).slice('whsec_'.length)],
  ['too few bytes', secretOf(23, 1)],
  ['no base64', `whsec_${'!'.repeat(40)}`],
  ['base64url', `whsec_${Buffer.alloc(32, 0xfb).toString('base64url')}`],
  ['a length that base64 does not have', `whsec_${'A'.repeat(41)}`],
  ['nothing', 'whsec_'],
  ['two secrets', `${secretOf(32, 1)} ${secretOf(32, 2)}`],
])('is not a key: %s', (_what, secret) => {
  expect(parseWebhookKey(secret)).toBeUndefined();
});

test('no print of a key shows the secret', () => {
  const key = parseWebhookKey(secretOf(32, 1));
  expect(JSON.stringify({ key })).toBe('{"key":{}}');
});
