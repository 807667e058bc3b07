// Identity tokens: signed here like an identity provider, its JWKS served by a local server.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import { AppError } from '@parley/envelopes';
import {
  createAuthenticator,
  createIdentityVerifier,
  type IdentityConfig,
  type VerifyIdentityToken,
} from '../src/index.ts';
import type { Face } from '@parley/server/http';
import { createListener } from '@parley/server/postgres';
import { createLog, createSecrets, type Environment } from '@parley/server/runtime';
import { capturedLog, eventually, receiver, type Receiver } from '@parley/testing';
import type { Request } from 'express';

const NOW_MS = 1_800_000_000_000;
const NOW = NOW_MS / 1_000;
const ISSUER = 'https://id.example';
const AUDIENCE = 'parley';
const SHARED = 'a shared secret of more than thirty-two characters';
const names = {
  IDENTITY_ISSUER: ISSUER,
  IDENTITY_AUDIENCE: [AUDIENCE],
  IDENTITY_CLAIMS: {
    organization: 'organization_id',
    scope: 'scope',
    groups: 'groups',
    group_scopes: { support: { 'voice-api': ['read' as const] }, platform: ['admin' as const] },
  },
};

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;
let rsa: KeyPair;
let ec: KeyPair;
let stranger: KeyPair;
let jwks: Receiver;
let jwksBody: object;

beforeAll(async () => {
  const extractable = { extractable: true };
  [rsa, ec, stranger] = await Promise.all([
    generateKeyPair('RS256', extractable),
    generateKeyPair('ES256', extractable),
    generateKeyPair('RS256', extractable),
  ]);
  jwksBody = {
    keys: [
      { ...(await exportJWK(rsa.publicKey)), kid: 'rsa', alg: 'RS256', use: 'sig' },
      { ...(await exportJWK(ec.publicKey)), kid: 'ec', alg: 'ES256', use: 'sig' },
    ],
  };
  jwks = await receiver({ fallback: () => ({ body: jwksBody }) });
});
afterAll(() => jwks.close());

/** The clock of the verifiers, and their reported fetches. */
const time = { ms: NOW_MS };
const outcomes: string[] = [];
const watch = {
  service: 'voice-api',
  clock: () => time.ms,
  log: createLog({ service: 'test', level: 'info', destination: capturedLog() }),
  count: (outcome: string) => void outcomes.push(outcome),
};
beforeEach(() => {
  time.ms = NOW_MS;
  outcomes.length = 0;
});

const DAY_SECONDS = 24 * 3600;
function verifierOf(
  config: Partial<IdentityConfig>,
  env: Environment = {},
): Promise<VerifyIdentityToken | null> {
  const whole = { ...names, ...config };
  return createIdentityVerifier(whole, createSecrets({ env, clock: () => NOW_MS }), watch);
}
const overJwks = async () => (await verifierOf({ IDENTITY_JWKS_URL: `${jwks.url}/keys` }))!;
const overPem = async (key: KeyPair) =>
  (await verifierOf({ IDENTITY_PUBLIC_KEY: 'env://PEM' }, { PEM: await exportSPKI(key.publicKey) }))!;
const overShared = async () => (await verifierOf({ IDENTITY_SHARED_SECRET: 'env://HS' }, { HS: SHARED }))!;

const claims = {
  organization_id: 'acme',
  sub: 'user-7',
  scope: 'read write',
  iss: ISSUER,
  aud: AUDIENCE,
  exp: NOW + 60,
};
/** A token with these claims changed; `undefined` omits one. */
function tokenOf(
  changed: JWTPayload,
  alg = 'RS256',
  key: KeyPair['privateKey'] | Uint8Array = rsa.privateKey,
  kid?: string,
) {
  const payload = Object.fromEntries(
    Object.entries({ ...claims, ...changed }).filter(([, value]) => value !== undefined),
  );
  return new SignJWT(payload).setProtectedHeader({ alg, ...(kid ? { kid } : {}) }).sign(key);
}

describe('claims of userinfo', () => {
  const sparse = { organization_id: undefined, scope: undefined };
  const more = { sub: 'user-7', organization_id: 'acme', groups: ['support'], scope: 'write' };
  let answers: { status?: number; body?: object };
  let asked: Receiver;
  let verify: VerifyIdentityToken;
  beforeEach(async () => {
    answers = { body: more };
    asked = await receiver({ fallback: () => answers });
    const IDENTITY_CLAIMS = { ...names.IDENTITY_CLAIMS, userinfo: `${asked.url}/me` };
    verify = (await verifierOf({ IDENTITY_JWKS_URL: `${jwks.url}/keys`, IDENTITY_CLAIMS }))!;
  });
  afterEach(() => asked.close());
  const both = async (changed: JWTPayload, access = 'access~1') =>
    `${await tokenOf(changed, 'RS256', rsa.privateKey, 'rsa')}~${access}`;

  test('complete a token that lacks them, asked for once', async () => {
    const credential = await both(sparse);
    for (const _ of [1, 2])
      expect(await verify(credential, NOW_MS)).toMatchObject({
        organizationId: 'acme',
        scopes: new Set(['write', 'read']),
      });
    expect(asked.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/me', 'Bearer access~1'],
    ]);
  });

  test('never replace what the token says, and are not asked for where it is whole', async () => {
    answers = { body: { ...more, organization_id: 'globex' } };
    const caller = await verify(await both({ scope: undefined }), NOW_MS);
    expect(caller).toMatchObject({ organizationId: 'acme', scopes: new Set(['write', 'read']) });
    asked.requests.length = 0;
    await verify(await both({}), NOW_MS);
    expect(asked.requests).toEqual([]);
  });

  test('of another person, or of a refused access token, are none', async () => {
    answers = { body: { ...more, sub: 'user-8' } };
    expect(await verify(await both(sparse, 'theirs'), NOW_MS)).toBeNull();
    answers = { status: 401 };
    expect(await verify(await both(sparse, 'refused'), NOW_MS)).toBeNull();
    expect(await verify((await both(sparse)).split('~')[0]!, NOW_MS)).toBeNull();
  });

  test('are not asked for before the token is verified; a provider that is down is 503', async () => {
    expect(
      await verify(`${await tokenOf(sparse, 'RS256', stranger.privateKey, 'rsa')}~x`, NOW_MS),
    ).toBeNull();
    expect(asked.requests).toEqual([]);
    answers = { status: 500 };
    await expect(verify(await both(sparse), NOW_MS)).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('is accepted', () => {
  test('RS256 and ES256 over a JWKS, fetched once', async () => {
    const verify = await overJwks();
    const before = jwks.requests.length;
    for (const token of [
      await tokenOf({}, 'RS256', rsa.privateKey, 'rsa'),
      await tokenOf({}, 'ES256', ec.privateKey, 'ec'),
    ]) {
      expect(await verify(token, NOW_MS)).toMatchObject({ organizationId: 'acme', principal: 'user-7' });
    }
    expect(jwks.requests.length - before).toBe(1);
  });

  test('with a PEM public key of either kind', async () => {
    expect(await (await overPem(rsa))(await tokenOf({}), NOW_MS)).toMatchObject({ organizationId: 'acme' });
    expect(await (await overPem(ec))(await tokenOf({}, 'ES256', ec.privateKey), NOW_MS)).toMatchObject({
      organizationId: 'acme',
    });
  });

  test('HS256 with a shared secret', async () => {
    const token = await tokenOf({}, 'HS256', new TextEncoder().encode(SHARED));
    expect(await (await overShared())(token, NOW_MS)).toMatchObject({ organizationId: 'acme' });
  });

  test('half a minute after its end, for clocks that differ', async () => {
    const verify = await overPem(rsa);
    expect(await verify(await tokenOf({ exp: NOW - 29 }), NOW_MS)).not.toBeNull();
    expect(await verify(await tokenOf({ nbf: NOW + 29 }), NOW_MS)).not.toBeNull();
    expect(await verify(await tokenOf({ iat: NOW + 29 }), NOW_MS)).not.toBeNull();
    expect(await verify(await tokenOf({ exp: NOW - 31 }), NOW_MS)).toBeNull();
  });

  test('one of several audiences suffices', async () => {
    expect(await (await overPem(rsa))(await tokenOf({ aud: ['other', AUDIENCE] }), NOW_MS)).not.toBeNull();
  });
});

describe('the caller', () => {
  const callerOf = async (changed: JWTPayload) => (await overPem(rsa))(await tokenOf(changed), NOW_MS);

  test('with `sub` and without `admin` is an end user, who acts for itself only', async () => {
    expect(await callerOf({})).toEqual({
      organizationId: 'acme',
      kind: 'identity',
      principal: 'user-7',
      subject: 'user-7',
      endUser: 'user-7',
      scopes: new Set(['read', 'write']),
    });
  });

  test.each<[string, JWTPayload]>([
    ['with `admin`', { scope: 'read admin' }],
    ['without `sub`', { sub: undefined, scope: 'read' }],
  ])('%s is not valid', async (_what, changed) =>
    expect(await callerOf(changed)).not.toHaveProperty('endUser'),
  );

  test('has no scope but the four, whatever else the token lists', async () => {
    expect(await callerOf({ scope: 'openid  read profile root' })).toMatchObject({
      scopes: new Set(['read']),
    });
    expect(await callerOf({ scope: undefined })).toMatchObject({ scopes: new Set() });
    expect(await callerOf({ scope: ['read', 'root'] })).toMatchObject({ scopes: new Set(['read']) });
  });

  test('gets the scopes of its groups in this service, and then is no end user', async () => {
    const support = await callerOf({ scope: '', groups: ['staff', 'support'], azp: AUDIENCE });
    expect(support).toMatchObject({ subject: 'user-7', scopes: new Set(['read']) });
    expect(support).not.toHaveProperty('endUser');
    expect(await callerOf({ groups: 'platform' })).toMatchObject({
      scopes: new Set(['read', 'write', 'admin']),
    });
    expect(await callerOf({ groups: ['constructor'] })).toMatchObject({ endUser: 'user-7' });
  });

  test('is read from the claims that the provider uses', async () => {
    const IDENTITY_CLAIMS = { organization: 'org_id', scope: 'scp', groups: 'roles', group_scopes: {} };
    const verify = (await verifierOf(
      { IDENTITY_CLAIMS, IDENTITY_PUBLIC_KEY: 'env://PEM' },
      { PEM: await exportSPKI(rsa.publicKey) },
    ))!;
    const token = await tokenOf({
      organization_id: undefined,
      org_id: ['acme'],
      scope: 'admin',
      scp: ['write'],
    });
    expect(await verify(token, NOW_MS)).toMatchObject({ organizationId: 'acme', scopes: new Set(['write']) });
  });
});

const closing: (() => Promise<void>)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

async function guard(headers: Readonly<Record<string, string>> = {}) {
  const log = createLog({ service: 'test', level: 'info', destination: capturedLog() });
  const listener = createListener({
    url: 'postgresql://postgres@127.0.0.1:1/x',
    applicationName: 'x',
    clock: () => NOW_MS,
    log,
  });
  const { authenticate, close } = createAuthenticator({
    product: 'nt',
    sql: () => Promise.reject(new Error('an identity token needs no database')),
    listener,
    clock: () => NOW_MS,
    log,
    verifyIdentityToken: await overPem(rsa),
  });
  closing.push(close, () => listener.close());
  return async (token: string, face: Face) =>
    authenticate(
      { headers: { ...headers, authorization: `Bearer ${token}` }, ip: '192.0.2.1' } as Request,
      face,
    );
}

describe('a person of several organisations', () => {
  const several = () => tokenOf({ organization_id: ['acme', 'globex'] });

  test('acts for the one that the request names', async () => {
    const verify = await overPem(rsa);
    const token = await several();
    expect(await verify(token, NOW_MS, 'globex')).toMatchObject({ organizationId: 'globex' });
    expect(await verify(token, NOW_MS)).toBeNull();
    expect(await verify(token, NOW_MS, 'initech')).toBeNull();
    expect(await verify(await tokenOf({}), NOW_MS, 'globex')).toBeNull();
  });

  test('names it in a header', async () => {
    const authenticate = await guard({ 'x-organization-id': 'acme' });
    expect(await authenticate(await several(), 'v1')).toMatchObject({ organizationId: 'acme' });
    const nameless = await guard();
    await expect(nameless(await several(), 'v1')).rejects.toMatchObject({ code: 'unauthorized' });
  });
});

describe('is refused', () => {
  test.each<[string, JWTPayload]>([
    ['expired', { exp: NOW - 60 }],
    ['without an end', { exp: undefined }],
    ['not valid yet', { nbf: NOW + 60 }],
    ['issued in the future', { iat: NOW + 31 }],
    ['that lives for more than a day', { iat: NOW, exp: NOW + DAY_SECONDS + 1 }],
    ['that lives for more than a day from now', { exp: NOW + DAY_SECONDS + 1 }],
    ['of last year', { iat: NOW - 365 * DAY_SECONDS }],
    ['of another issuer', { iss: 'https://evil.example' }],
    ['without an issuer', { iss: undefined }],
    ['for another audience', { aud: 'other' }],
    ['without an audience', { aud: undefined }],
    ['without an organisation', { organization_id: undefined }],
    ['of an organisation with a NUL', { organization_id: 'ac\0me' }],
    ['with half a surrogate pair in `sub`', { sub: 'user-\ud800' }],
    ['with an empty organisation', { organization_id: '' }],
    ['with an organisation that is no text', { organization_id: 7 }],
    ['with an endless organisation', { organization_id: 'x'.repeat(129) }],
    ['with scopes that are no words', { scope: 7 }],
    ['with groups that are no words', { groups: { support: true } }],
    ['of two organisations', { organization_id: ['acme', 'other'] }],
    ['that was issued to another client', { azp: 'other' }],
  ])('%s', async (_what, changed) => {
    expect(await (await overPem(rsa))(await tokenOf(changed), NOW_MS)).toBeNull();
  });

  test.each<[string, () => Promise<string>]>([
    ['signed by somebody else', () => tokenOf({}, 'RS256', stranger.privateKey)],
    ['signed by somebody else under a known key id', () => tokenOf({}, 'RS256', stranger.privateKey, 'rsa')],
    ['of a key that nobody knows', () => tokenOf({}, 'RS256', stranger.privateKey, 'unknown')],
    ['another algorithm than the key is for', () => tokenOf({}, 'ES256', ec.privateKey, 'rsa')],
    ['unsigned (alg none)', async () => new UnsecuredJWT(claims).encode()],
    [
      'the public key used as an HS256 secret',
      async () => tokenOf({}, 'HS256', new TextEncoder().encode(await exportSPKI(rsa.publicKey)), 'rsa'),
    ],
    [
      'with its payload changed',
      async () => (await tokenOf({})).replace(/\.[^.]+\./, `.${btoa('{"organization_id":"other"}')}.`),
    ],
    ['without its signature', async () => (await tokenOf({})).replace(/[^.]*$/, '')],
    ['something else', async () => 'not-a-token'],
    ['three empty parts', async () => '..'],
  ])('%s', async (_what, token) => {
    const text = await token();
    expect(await (await overJwks())(text, NOW_MS)).toBeNull();
    expect(await (await overPem(rsa))(text, NOW_MS)).toBeNull();
    expect(await (await overShared())(text, NOW_MS)).toBeNull();
  });

  test('HS256 with another secret, and RS256 where a shared secret is configured', async () => {
    const verify = await overShared();
    expect(
      await verify(await tokenOf({}, 'HS256', new TextEncoder().encode(SHARED.toUpperCase())), NOW_MS),
    ).toBeNull();
    expect(await verify(await tokenOf({}), NOW_MS)).toBeNull();
  });
});

describe('the configuration', () => {
  test('without one of the three, identity tokens are off', async () => {
    expect(await verifierOf({})).toBeNull();
  });

  test('without issuer or audience nothing is accepted', async () => {
    const secrets = createSecrets({ env: { PEM: await exportSPKI(rsa.publicKey) }, clock: () => NOW_MS });
    const config = { IDENTITY_PUBLIC_KEY: 'env://PEM' };
    const verify = await createIdentityVerifier(config, secrets, watch);
    expect(await verify!(await tokenOf({}), NOW_MS)).toBeNull();
  });

  test('an invalid key stops the start', async () => {
    await expect(verifierOf({ IDENTITY_PUBLIC_KEY: 'env://PEM' }, { PEM: 'nonsense' })).rejects.toThrow();
  });
});

describe('while the JWKS is away', () => {
  test.each<[string, () => void]>([
    ['answers 500', () => jwks.script(500)],
    ['answers something else', () => jwks.script({ body: 'maintenance' })],
    ['is no JWKS', () => jwks.script({ body: { keys: 'none' } })],
    ['breaks off', () => jwks.script('reset')],
    ['is longer than a MiB', () => jwks.script({ body: { ...jwksBody, padding: 'x'.repeat(1024 * 1024) } })],
    ['leads elsewhere', () => jwks.script({ status: 302, headers: { location: jwks.url } })],
  ])('%s: 503, and the next request is served', async (_how, script) => {
    const verify = await overJwks();
    script();
    const error: unknown = await verify(await tokenOf({}, 'RS256', rsa.privateKey, 'rsa'), NOW_MS).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'unavailable', headers: { 'retry-after': '2' } });
    time.ms += 1_000;
    expect(await verify(await tokenOf({}, 'RS256', rsa.privateKey, 'rsa'), NOW_MS)).not.toBeNull();
  });

  const known = () => tokenOf({ exp: NOW + DAY_SECONDS }, 'RS256', rsa.privateKey, 'rsa');
  const unknown = () => tokenOf({}, 'RS256', stranger.privateKey, 'unknown');

  test('known keys serve for a day, and are refreshed in the background', async () => {
    const verify = await overJwks();
    expect(await verify(await known(), NOW_MS)).not.toBeNull();
    for (const minutes of [11, 60, 12 * 60, 24 * 60]) {
      time.ms = NOW_MS + minutes * 60_000;
      const before = outcomes.length;
      jwks.script({ status: 503, afterMs: 1_000 });
      expect(await verify(await known(), NOW_MS)).not.toBeNull();
      expect(outcomes).toHaveLength(before); // not waited for
      await eventually(() => outcomes.length > before);
    }
    time.ms += 60_000;
    jwks.script(503);
    await expect(verify(await known(), NOW_MS)).rejects.toMatchObject({ code: 'unavailable' });
    time.ms += 60_000;
    expect(await verify(await known(), NOW_MS)).not.toBeNull();
    expect(outcomes).toEqual(['fetched', 'failed', 'failed', 'failed', 'failed', 'failed', 'fetched']);
  });

  test('forty requests with unknown keys cause one fetch, and few while it fails', async () => {
    const verify = await overJwks();
    expect(await verify(await known(), NOW_MS)).not.toBeNull();
    const before = jwks.requests.length;
    const ask = async () =>
      Promise.allSettled(Array.from({ length: 40 }, async () => verify(await unknown(), NOW_MS)));
    await ask();
    expect(jwks.requests.length - before).toBe(0); // they were fetched just now
    time.ms += 31_000;
    expect((await ask()).every((one) => one.status === 'fulfilled' && one.value === null)).toBe(true);
    expect(jwks.requests.length - before).toBe(1);
    time.ms += 31_000;
    jwks.script(...Array.from({ length: 4 }, () => 500));
    for (let second = 0; second < 12; second += 1) {
      for (const one of await ask()) expect(one).toMatchObject({ reason: { code: 'unavailable' } });
      expect(await verify(await known(), NOW_MS)).not.toBeNull();
      time.ms += 1_000;
    }
    expect(jwks.requests.length - before).toBe(5); // after 0, 1, 3 and 7 s
  });

  test('a hanging provider is given up after 5 s, and known keys serve meanwhile', async () => {
    const verify = await overJwks();
    jwks.script('hang');
    await expect(verify(await known(), NOW_MS)).rejects.toMatchObject({ code: 'unavailable' });
  }, 20_000);

  test('nothing listens there', async () => {
    const verify = (await verifierOf({ IDENTITY_JWKS_URL: 'http://127.0.0.1:1/keys' }))!;
    await expect(verify(await tokenOf({}), NOW_MS)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await verify('not-a-token', NOW_MS)).toBeNull(); // an invalid token needs no key
  });
});

describe('at the guard', () => {
  test('/v1 takes it, /product/v1 takes product API keys only', async () => {
    const authenticate = await guard();
    const token = await tokenOf({});
    expect(await authenticate(token, 'v1')).toMatchObject({ kind: 'identity', organizationId: 'acme' });
    await expect(authenticate(token, 'product')).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test('a refused one gets the same message as every refusal', async () => {
    const authenticate = await guard();
    await expect(authenticate(await tokenOf({ exp: NOW - 60 }), 'v1')).rejects.toMatchObject({
      code: 'unauthorized',
      message: 'a valid credential is needed: Authorization: Bearer <credential>',
      headers: { 'www-authenticate': 'Bearer' },
    });
  });
});
