import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createSealer, parseKeyring, seal, unseal } from './sealing.ts';
import { createSecrets } from './secrets.ts';

const keyText = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const [one, two] = [keyText('2026-01'), keyText('2026-02')];
const ring = parseKeyring(one);

describe('seal and unseal', () => {
  test('any text opens under the same context, and no two seals are equal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, context) => {
        const sealed = seal(ring, text, context);
        expect(unseal(ring, sealed, context)).toBe(text);
        expect(seal(ring, text, context)).not.toBe(sealed);
      }),
    );
  });

  test('the text is not visible', () => {
    expect(seal(ring, 'https://hooks.example/canary', 'x')).not.toMatch(/canary|aG9va3M/);
  });

  test('another context does not open it', () => {
    expect(() => unseal(ring, seal(ring, 'x', 'idempotency:acme'), 'idempotency:other')).toThrow();
  });

  test('one changed character is detected', () => {
    const sealed = seal(ring, 'the text', 'context');
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.constantFrom(...'Aa0-_.!é'), (at, character) => {
        fc.pre(sealed[at] !== character);
        const changed = sealed.slice(0, at) + character + sealed.slice(at + 1);
        expect(() => unseal(ring, changed, 'context')).toThrow();
      }),
    );
  });

  test.each(['', 's1', 's1.2026-01', 's1.2026-01.', 's1.2026-01.AAAA', 's0.2026-01.AAAA', 'plain text'])(
    'malformed: %j',
    (text) => expect(() => unseal(ring, text, 'context')).toThrow(),
  );

  test('appended characters are detected', () => {
    const sealed = seal(ring, 'x', 'c');
    for (const added of ['.', '.x', '=', ' ', 'A']) expect(() => unseal(ring, sealed + added, 'c')).toThrow();
  });
});

describe('rotation', () => {
  const both = parseKeyring(`${two}, ${one}`);

  test('the first key seals, all open', () => {
    const old = seal(ring, 'old', 'c');
    expect(unseal(both, old, 'c')).toBe('old');
    expect(seal(both, 'new', 'c')).toMatch(/^s1\.2026-02\./);
  });

  test('a removed key opens nothing, and the error names the missing one', () => {
    const sealed = seal(both, 'new', 'c');
    expect(() => unseal(ring, sealed, 'c')).toThrow('sealed under key "2026-02"');
  });

  test('a sealer applies a rotated key immediately', async () => {
    const env = { KEYS: one };
    const sealer = await createSealer(createSecrets({ env, clock: Date.now }), 'env://KEYS');
    const old = await sealer.seal('x', 'c');
    env.KEYS = `${two},${one}`;
    expect(await sealer.seal('x', 'c')).toMatch(/^s1\.2026-02\./);
    expect(await sealer.unseal(old, 'c')).toBe('x');
  });
});

describe('a signer', () => {
  const withKeys = (keys: string, context = 'links') =>
    createSealer(createSecrets({ env: { KEYS: keys }, clock: Date.now }), 'env://KEYS').then((sealer) =>
      sealer.signer(context),
    );

  test('accepts signatures of older keys of the keyring, and no others', async () => {
    const old = (await withKeys(one)).sign('x');
    const rotated = await withKeys(`${two},${one}`);
    expect(old).toMatch(/^[\w-]{43}$/);
    expect(rotated.isSigned('x', old)).toBe(true);
    expect(rotated.sign('x')).not.toBe(old);
    for (const [text, signature] of [
      ['y', old],
      ['x', `${old}A`],
      ['x', ''],
      ['x', old.slice(0, -1)],
    ] as const)
      expect(rotated.isSigned(text, signature)).toBe(false);
    expect((await withKeys(two)).isSigned('x', old)).toBe(false);
    expect((await withKeys(one, 'other')).isSigned('x', old)).toBe(false);
  });

  test('a signature has one spelling', async () => {
    const signer = await withKeys(one);
    const signature = signer.sign('x');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const other = alphabet[alphabet.indexOf(signature.at(-1)!) ^ 1]!;
    const respelt = `${signature.slice(0, -1)}${other}`;
    expect(Buffer.from(respelt, 'base64url')).toEqual(Buffer.from(signature, 'base64url'));
    expect(signer.isSigned('x', respelt)).toBe(false);
  });
});

describe('parseKeyring', () => {
  test.each([
    '',
    'k',
    'k:',
    `k:${randomBytes(31).toString('base64')}`,
    `k:${randomBytes(33).toString('base64')}`,
    `${one},`,
    `bad id:${randomBytes(32).toString('base64')}`,
    `${one},${one}`,
  ])('refuses invalid keyrings without repeating them (%#)', (text) => {
    const parse = () => parseKeyring(text);
    expect(parse).toThrow(/entry \d/);
    const encoded = /:(.+)$/.exec(text)?.[1];
    if (encoded) expect(parse).not.toThrow(encoded);
  });

  test('accepts base64 and base64url', () => {
    const bytes = Buffer.alloc(32, 0xfb);
    for (const encoded of [bytes.toString('base64'), bytes.toString('base64url')]) {
      expect(parseKeyring(`k:${encoded}`).get('k')?.export()).toEqual(bytes);
    }
  });

  test('a service does not start without its keys', async () => {
    const secrets = createSecrets({ env: { KEYS: 'nonsense' }, clock: Date.now });
    await expect(createSealer(secrets, 'env://KEYS')).rejects.toThrow('entry 1');
    await expect(createSealer(secrets, 'env://MISSING')).rejects.toThrow('is not set');
  });
});
