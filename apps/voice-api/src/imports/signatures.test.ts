// Signatures as the vendors' own SDKs make them.
import { createHash, createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { SignJWT } from 'jose';
import { VERIFIERS } from './signatures.ts';

const nowMs = 1_760_000_000_000;
const body = Buffer.from('{"event":"call_ended","text":"ü"}');
const secret = 'key_of_the_organisation';
const hmac = (text: string) => createHmac('sha256', secret).update(text).digest('hex');
const verify = (vendor: keyof typeof VERIFIERS, headers: Record<string, string>, sent = body) =>
  VERIFIERS[vendor]({ body: sent, header: (name) => headers[name], secret, nowMs });
const jwt = (claims: object, key = secret, validMs = 60_000) =>
  new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('APIkey')
    .setExpirationTime(new Date(nowMs + validMs))
    .sign(Buffer.from(key));

describe('of Retell', () => {
  const signed = (ms: number) => ({ 'x-retell-signature': `v=${ms},d=${hmac(`${body.toString()}${ms}`)}` });
  test.each([
    [0, true],
    [-299_000, true],
    [-301_000, false],
    [301_000, false],
  ])('made %s ms from now', async (offsetMs, expected) => {
    expect(await verify('retell', signed(nowMs + offsetMs))).toBe(expected);
  });
  test.each([
    [{}],
    [{ 'x-retell-signature': `v=${nowMs},d=${hmac(`other${nowMs}`)}` }],
    [{ 'x-retell-signature': `d=${hmac(String(body))}` }],
  ])('is invalid: %j', async (headers) => {
    expect(await verify('retell', headers as Record<string, string>)).toBe(false);
  });
});

describe('of ElevenLabs', () => {
  const signed = (seconds: number) => ({
    'elevenlabs-signature': `t=${seconds},v0=${hmac(`${seconds}.${body.toString()}`)}`,
  });
  test.each([
    [0, true],
    [-1_799, true],
    [-1_801, false],
  ])('made %s s from now', async (offset, expected) => {
    expect(await verify('elevenlabs', signed(nowMs / 1000 + offset))).toBe(expected);
  });
  test('of another body is invalid', async () => {
    expect(await verify('elevenlabs', signed(nowMs / 1000), Buffer.from('{}'))).toBe(false);
    expect(await verify('elevenlabs', { 'elevenlabs-signature': 't=1,v0=' })).toBe(false);
  });
});

describe('of LiveKit', () => {
  const sha256 = createHash('sha256').update(body).digest('base64');
  test('is a token with the digest of the body', async () => {
    expect(await verify('livekit', { authorization: await jwt({ sha256 }) })).toBe(true);
    expect(await verify('livekit', { authorization: `Bearer ${await jwt({ sha256 })}` })).toBe(true);
  });
  test('is invalid with another key, body or algorithm, without digest, or expired', async () => {
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify({ sha256 })).toString('base64url')}.`;
    for (const authorization of [
      await jwt({ sha256 }, 'another key'),
      await jwt({}),
      await jwt({ sha256 }, secret, -60_000),
      none,
      '',
    ])
      expect(await verify('livekit', { authorization })).toBe(false);
    expect(await verify('livekit', { authorization: await jwt({ sha256 }) }, Buffer.from('{}'))).toBe(false);
  });
});
