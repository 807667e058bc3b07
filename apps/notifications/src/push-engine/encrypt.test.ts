// Checks the encryption against RFC 8291's example and http_ece's decryption.
import { afterAll, describe, expect, test } from '@jest/globals';
import { createECDH, randomBytes } from 'node:crypto';
import ece from 'http_ece';
import { createEncrypt, encryptedBytes, encryptOne, PLAINTEXT_BYTES_MAX } from './encrypt.ts';
import { createEncryptionPool } from './encryption-pool.ts';
import { readDeviceKeys } from './subscription-keys.ts';

const b64 = (text: string): Buffer => Buffer.from(text, 'base64url');

function device() {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  return { pair, p256dh: pair.getPublicKey(), auth: randomBytes(16) };
}
type Device = ReturnType<typeof device>;

function decrypt(body: Buffer, { pair, auth }: Device): Buffer {
  return ece.decrypt(body, {
    version: 'aes128gcm',
    privateKey: pair,
    authSecret: auth.toString('base64url'),
  });
}

describe('RFC 8291', () => {
  // Appendix A, and section 5 for the message.
  const plaintext = b64('V2hlbiBJIGdyb3cgdXAsIEkgd2FudCB0byBiZSBhIHdhdGVybWVsb24');
  const keys = {
    p256dh: b64('BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'),
    auth: b64('BTBZMqHH6r4Tts7J_aSIgg'),
  };
  const sender = {
    privateKey: b64('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
    salt: b64('DGv6ra1nlYgDCS1FRnbzlw'),
  };

  test('the example of Appendix A, byte for byte', () => {
    const body = encryptOne(createEncrypt(sender), plaintext, keys);
    expect(body.toString('base64url')).toBe(
      'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_' +
        'yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
    );
  });
});

test('others decrypt our messages, and every message has its own key and salt', () => {
  const encrypt = createEncrypt();
  const to = device();
  const text = Buffer.from('Grüße 👋');
  const bodies = Array.from({ length: 300 }, () => encryptOne(encrypt, text, to));
  for (const body of bodies) expect(decrypt(body, to)).toEqual(text);
  expect(new Set(bodies.map((body) => body.toString('hex', 0, 16))).size).toBe(300);
  expect(new Set(bodies.map((body) => body.toString('hex', 21, 86))).size).toBe(300);
});

test.each([0, 1, 3992, PLAINTEXT_BYTES_MAX])('a plaintext of %i bytes is one record', (bytes) => {
  const to = device();
  const text = randomBytes(bytes);
  const body = encryptOne(createEncrypt(), text, to);
  expect(body.length).toBe(encryptedBytes(bytes));
  expect(body.length).toBeLessThanOrEqual(4096);
  expect(body.readUInt32BE(16)).toBeGreaterThan(bytes + 17 - 1);
  expect(decrypt(body, to)).toEqual(text);
});

test('the largest plaintext follows RFC 8291, section 4', () => {
  expect(PLAINTEXT_BYTES_MAX).toBe(3993);
});

describe.each([0, 2])('a pool of %i threads', (threads) => {
  const pool = createEncryptionPool({ threads });
  afterAll(() => pool.close());

  test('encrypts for each device in order, and marks invalid keys', async () => {
    const devices = Array.from({ length: 53 }, device);
    const text = Buffer.from('to all of you');
    const odd = { p256dh: Buffer.alloc(65, 4), auth: randomBytes(16) };
    const bodies = await pool.encryptAll(text, [...devices.slice(0, 30), odd, ...devices.slice(30)]);
    expect(bodies[30]).toBeNull();
    const others = bodies.filter((_, index) => index !== 30);
    expect(others.length).toBe(devices.length);
    for (const [index, to] of devices.entries()) expect(decrypt(others[index]!, to)).toEqual(text);
  });

  test('concurrent calls do not mix', async () => {
    const jobs = await Promise.all(
      Array.from({ length: 12 }, async (_, number) => {
        const devices = Array.from({ length: 11 }, device);
        const text = Buffer.from(`message ${number}`);
        return { devices, text, bodies: await pool.encryptAll(text, devices) };
      }),
    );
    for (const { devices, text, bodies } of jobs) {
      for (const [index, to] of devices.entries()) expect(decrypt(bodies[index]!, to)).toEqual(text);
    }
  });
});

describe('keys of a device', () => {
  const good = device();
  const text = { p256dh: good.p256dh.toString('base64url'), auth: good.auth.toString('base64url') };

  test('base64url and base64 are the same key', () => {
    const other = { p256dh: good.p256dh.toString('base64'), auth: good.auth.toString('base64') };
    for (const given of [text, other]) {
      expect(readDeviceKeys(given)).toEqual({ ok: true, keys: { p256dh: good.p256dh, auth: good.auth } });
    }
  });

  const offCurve = Buffer.from(good.p256dh);
  offCurve[64]! ^= 1;
  test.each([
    ['off the curve', { ...text, p256dh: offCurve.toString('base64url') }, ['/keys/p256dh']],
    ['compressed', { ...text, p256dh: good.pair.getPublicKey('base64', 'compressed') }, ['/keys/p256dh']],
    ['a misprint', { ...text, p256dh: `${text.p256dh.slice(0, -1)}!` }, ['/keys/p256dh']],
    ['all zero', { ...text, p256dh: Buffer.alloc(65).toString('base64url') }, ['/keys/p256dh']],
    ['a secret of 15 bytes', { ...text, auth: randomBytes(15).toString('base64url') }, ['/keys/auth']],
    ['both', { p256dh: 'x', auth: '' }, ['/keys/p256dh', '/keys/auth']],
  ])('%s is refused with its path', (_, given, paths) => {
    const read = readDeviceKeys(given);
    expect(read.ok ? [] : read.problems.map(({ path }) => path)).toEqual(paths);
  });
});
