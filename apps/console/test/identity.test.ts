// Sign-in at an OpenID Connect provider with the code flow and PKCE. The services receive the
// identity token.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { generateKeyPair, SignJWT } from 'jose';
import { receiver, type Answer, type Receiver } from '@parley/testing';
import { createProvider, ProviderUnreachable } from '../src/session/provider.ts';
import { startConsole, type ConsoleUnderTest } from './console-under-test.ts';

const CLIENT = 'parley-console';
let provider: Receiver;
let app: ConsoleUnderTest;
/** The authorization request of the console, and the claims of the provider. */
let asked: URLSearchParams;
let said: { scope?: string; nonce?: string; iat?: number; exp?: string; organization?: string | null };
/** Response of the token endpoint to a valid code. */
let tokenEndpoint: (token: string) => Answer;
let discovered: (found: object) => Answer;
/** Creates the next token of the provider. */
let mint: () => Promise<string>;

beforeAll(async () => {
  const { privateKey } = await generateKeyPair('ES256');
  let token = '';
  provider = await receiver({
    fallback: ({ path, body }) => {
      if (path === '/.well-known/openid-configuration')
        return discovered({
          issuer: provider.url,
          authorization_endpoint: `${provider.url}/authorize`,
          token_endpoint: `${provider.url}/token`,
          jwks_uri: `${provider.url}/keys`,
          id_token_signing_alg_values_supported: ['ES256'],
          code_challenge_methods_supported: ['S256'],
        });
      const form = new URLSearchParams(body.toString());
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      if (path !== '/token' || form.get('code') !== 'good' || challenge !== asked.get('code_challenge'))
        return { status: 400, body: { error: 'invalid_grant' } };
      return tokenEndpoint(token);
    },
  });
  app = await startConsole({
    OIDC_ISSUER: provider.url,
    OIDC_CLIENT_ID: CLIENT,
    OIDC_NAME: 'Example',
    OIDC_SCOPES: 'openid email',
  });
  mint = async () => {
    token = await new SignJWT({
      email: 'ada@example.com',
      nonce: said.nonce ?? asked.get('nonce')!,
      ...(said.scope === undefined ? {} : { scope: said.scope }),
      ...(said.organization === null ? {} : { organization_id: said.organization ?? 'acme' }),
    })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .setIssuer(provider.url)
      .setAudience(CLIENT)
      .setSubject('ada')
      .setIssuedAt(said.iat)
      .setExpirationTime(said.exp ?? '5m')
      .sign(privateKey);
    return token;
  };
});
const answersToken = (token: string): Answer => ({
  body: { access_token: 'a', token_type: 'bearer', id_token: token },
});
beforeEach(() => {
  said = {};
  tokenEndpoint = answersToken;
  discovered = (body) => ({ body });
});
afterAll(async () => {
  await app.stop();
  await provider.close();
});

/** A cookie jar. */
function jar(url = app.url) {
  const cookies = new Map<string, string>();
  return {
    ask: async (path: string) => {
      const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
      const response = await fetch(new URL(path, url), { headers: { cookie }, redirect: 'manual' });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line)!;
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      return response;
    },
  };
}

async function leave(browser: ReturnType<typeof jar>, next: string): Promise<URLSearchParams> {
  const left = await browser.ask(`/session/identity?next=${encodeURIComponent(next)}`);
  const url = new URL(left.headers.get('location')!);
  expect(`${url.origin}${url.pathname}`).toBe(`${provider.url}/authorize`);
  return url.searchParams;
}

/** Signs in at the provider with this code. */
async function comeBack(
  browser: ReturnType<typeof jar>,
  next: string,
  query: Record<string, string> = {},
  left?: URLSearchParams,
) {
  asked = left ?? (await leave(browser, next));
  const token = await mint();
  const back = new URLSearchParams({ code: 'good', state: asked.get('state')!, ...query });
  const response = await browser.ask(`/session/identity/callback?${back.toString()}`);
  expect(response.status).toBe(303);
  return { token, location: response.headers.get('location') };
}

test('sends the identity token to the services only', async () => {
  said = {};
  const browser = jar();
  const { token, location } = await comeBack(browser, '/conversations?state=failed');
  expect(location).toBe('/conversations?state=failed');
  expect(Object.fromEntries(asked)).toMatchObject({
    client_id: CLIENT,
    response_type: 'code',
    scope: 'openid email',
    code_challenge_method: 'S256',
    redirect_uri: `${app.url}/session/identity/callback`,
  });
  expect(await (await browser.ask('/session')).json()).toMatchObject({
    with: 'identity',
    person: 'ada@example.com',
    services: ['flow-builder', 'notifications'],
    scopes: {},
    services_here: ['flow-builder', 'notifications'],
    queue_dashboards: {},
    identity_provider: 'Example',
  });
  await browser.ask('/api/flow-builder/v1/flows');
  expect(app.flowBuilder.requests.at(-1)!.headers.authorization).toBe(`Bearer ${token}`);
  expect(app.log.text()).not.toContain(token);
});

test('the session tells the page what the token allows', async () => {
  said = { scope: 'read pii other' };
  const browser = jar();
  await comeBack(browser, '/');
  expect(await (await browser.ask('/session')).json()).toMatchObject({
    scopes: { 'flow-builder': ['read', 'pii'], notifications: ['read', 'pii'] },
  });
});

test.each([
  ['another code', {}, { code: 'bad' }, '/sign-in?problem=refused'],
  ['another state', {}, { state: 'x' }, '/sign-in?problem=expired'],
  ['another long state', {}, { state: 'x'.repeat(43) }, '/sign-in?problem=expired'],
  ['a token that was made for another sign-in', { nonce: 'x' }, {}, '/sign-in?problem=refused'],
  ['a refusal', {}, { error: 'access_denied' }, '/sign-in?problem=refused'],
])('%s signs nobody in', async (_what, says, query, where) => {
  said = says;
  const browser = jar();
  expect((await comeBack(browser, '/', query)).location).toBe(where);
  expect(await (await browser.ask('/session')).json()).toMatchObject({ with: null });
});

test('a callback without an attempt, or a second one, starts again', async () => {
  said = {};
  const browser = jar();
  const back = '/session/identity/callback?code=good&state=x';
  expect((await browser.ask(back)).headers.get('location')).toBe('/sign-in?problem=expired');
});

test.each(['https://evil.example', '//evil.example', '/\\evil.example', 'evil'])(
  'never redirects to %s',
  async (next) => {
    said = {};
    expect((await comeBack(jar(), next)).location).toBe('/');
  },
);

test('two tabs sign in concurrently, and a stray callback ends neither', async () => {
  const browser = jar();
  const [one, two] = [await leave(browser, '/one'), await leave(browser, '/two')];
  await browser.ask('/session/identity/callback?code=good&state=stray');
  expect((await comeBack(browser, '', {}, one)).location).toBe('/one');
  const stray = await browser.ask(`/session/identity/callback?code=good&state=${one.get('state')}`);
  expect(stray.headers.get('location')).toBe('/sign-in?problem=expired');
  expect(await (await browser.ask('/session')).json()).toMatchObject({ with: 'identity' });
  expect((await comeBack(browser, '', {}, two)).location).toBe('/two');
  expect(await (await browser.ask('/session')).json()).toMatchObject({ with: 'identity' });
});

test('redirects to a return address of 6,000 characters', async () => {
  const next = `/conversations?search=${'x'.repeat(6_000)}`;
  expect((await comeBack(jar(), next)).location).toBe(next);
});

describe('a token that no service accepts starts no session and explains why', () => {
  const now = () => Math.floor(Date.now() / 1000);
  test.each<[string, () => typeof said, Answer[], string]>([
    ['no organisation', () => ({ organization: null }), [401], 'organization'],
    ['a life of more than a day', () => ({ exp: '25h' }), [401], 'lifetime'],
    ['issued in the future', () => ({ iat: now() + 300, exp: '1h' }), [401], 'clock'],
    ['another audience', () => ({}), [401], 'token'],
    ['no scope', () => ({}), [403, 403], 'rights'],
    ['a service that has refused too many', () => ({}), [429], 'services'],
    ['a service that is away', () => ({}), [503], 'services'],
  ])('%s', async (_what, says, answers, why) => {
    said = says();
    const env = { OIDC_ISSUER: provider.url, OIDC_CLIENT_ID: CLIENT };
    const alone = await startConsole(env, undefined, { isAlone: true });
    try {
      alone.flowBuilder.script(...answers);
      const browser = jar(alone.url);
      const { location } = await comeBack(browser, '/keys');
      expect(location).toBe(`/sign-in?problem=${why}&next=%2Fkeys`);
      expect(await (await browser.ask('/session')).json()).toMatchObject({ with: null });
    } finally {
      await alone.stop();
    }
  });

  test('one service that accepts it is enough', async () => {
    expect((await comeBack(jar(), '/keys')).location).toBe('/keys'); // notifications does not answer
  });

  test('the provider asks for another account', async () => {
    const left = await jar().ask('/session/identity?another=1');
    expect(new URL(left.headers.get('location')!).searchParams.get('prompt')).toBe('login');
  });
});

test.each<[string, () => Answer]>([
  ['hangs', () => 'hang'],
  ['breaks off', () => 'reset'],
  ['answers 503', () => 503],
  ['asks to wait', () => 429],
  ['answers 2 MiB', () => ({ body: { padding: 'x'.repeat(2 * 1024 * 1024) } })],
])(
  'a token endpoint that %s counts as unreachable, not as a refusal',
  async (_what, answer) => {
    tokenEndpoint = answer;
    expect((await comeBack(jar(), '/')).location).toBe('/sign-in?problem=provider');
  },
  20_000,
);

describe('discovery', () => {
  const discoveries = () =>
    provider.requests.filter(({ path }) => path === '/.well-known/openid-configuration').length;

  test('repeats after a failure and daily, but not for every anonymous attempt', async () => {
    const time = { ms: Date.now() };
    const options = { issuer: provider.url, clientId: CLIENT, clientSecret: undefined };
    const found = createProvider({ ...options, clock: () => time.ms });
    const before = discoveries();
    discovered = () => 500;
    for (let stranger = 0; stranger < 10; stranger += 1)
      await expect(found.find()).rejects.toThrow(ProviderUnreachable);
    expect(discoveries() - before).toBe(1);
    time.ms += 5_000;
    discovered = (body) => ({ body });
    const known = await found.find();
    await found.find();
    expect(discoveries() - before).toBe(2);
    time.ms += 24 * 3600_000;
    discovered = () => 'reset';
    expect(await found.find()).toBe(known); // it serves on
    discovered = (body) => ({ body });
    time.ms += 5_000;
    expect(await found.find()).not.toBe(known);
    found.discoverAgain();
    time.ms += 5_000;
    await found.find();
    expect(discoveries() - before).toBe(5);
  });

  test('accepts at most 1 MiB', async () => {
    discovered = (body) => ({ body: { ...body, padding: 'x'.repeat(1024 * 1024) } });
    const large = await startConsole({ OIDC_ISSUER: provider.url, OIDC_CLIENT_ID: CLIENT });
    try {
      const left = await fetch(`${large.url}/session/identity`, { redirect: 'manual' });
      expect(left.headers.get('location')).toBe('/sign-in?problem=provider');
    } finally {
      await large.stop();
    }
  });
});

test.each(['email', 'email profile', 'xopenid'])('OIDC_SCOPES "%s" prevents the start', async (scopes) => {
  await expect(startConsole({ OIDC_SCOPES: scopes })).rejects.toThrow('OIDC_SCOPES: must include openid');
});
