// Sign-in at a certified provider (oidc-provider) as a browser does: code flow with PKCE, login,
// consent, renewal and the end of sessions. The services' own check verifies the token.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { generateKeyPair, SignJWT } from 'jose';
import { createIdentityVerifier, type VerifyIdentityToken } from '@parley/auth';
import { CLIENT_ID, startIdentityProvider, type IdentityProvider } from '@parley/dev/identity-provider';
import { freePort } from '@parley/testing/servers';
import {
  createLog,
  createSecrets,
  systemClock,
  USUAL_CLAIMS,
  type IdentityClaims,
} from '@parley/server/runtime';
import { capturedLog, eventually, testRedisUrl } from '@parley/testing';
import { json, startConsole, type ConsoleUnderTest } from './console-under-test.ts';

/** Tokens are renewed two minutes before they end: each request finds such a one due. */
const SHORT_SECONDS = 100;

let provider: IdentityProvider;
let app: ConsoleUnderTest;
let verify: VerifyIdentityToken;
const others: ConsoleUnderTest[] = [];

async function stopBoth(itsProvider: IdentityProvider, console: ConsoleUnderTest): Promise<void> {
  itsProvider.close();
  await console.stop();
}

const clientOf = ({ issuer }: IdentityProvider) => ({
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: CLIENT_ID,
  OIDC_SCOPES: 'openid email',
});

/** As a service verifies the tokens of this provider. */
async function verifierOf(of: IdentityProvider, claims?: IdentityClaims): Promise<VerifyIdentityToken> {
  const identity = {
    IDENTITY_JWKS_URL: of.keysUrl,
    IDENTITY_ISSUER: of.issuer,
    IDENTITY_AUDIENCE: [CLIENT_ID],
    IDENTITY_CLAIMS: claims,
  };
  const log = createLog({ service: 'console', level: 'info', destination: capturedLog() });
  const secrets = createSecrets({ env: {}, clock: systemClock });
  const watch = { service: 'voice-api', clock: systemClock, log, count: () => {} };
  return (await createIdentityVerifier(identity, secrets, watch))!;
}

beforeAll(async () => {
  const [port, consolePort] = [await freePort(), await freePort()];
  provider = await startIdentityProvider({ port, consoleUrl: `http://127.0.0.1:${consolePort}` });
  app = await startConsole(clientOf(provider), consolePort);
  verify = await verifierOf(provider);
});
afterEach(() => Promise.all(others.splice(0).map((other) => other.stop())));
afterAll(async () => {
  await app.stop();
  provider.close();
});

/** A browser with cookies per origin. It does not follow redirects. */
function browser() {
  const jars = new Map<string, Map<string, string>>();
  const cookieAt = (url: string | URL) =>
    [...(jars.get(new URL(url).origin) ?? [])].map((pair) => pair.join('=')).join('; ');
  const ask = async (
    url: string | URL,
    { form, headers, ...rest }: RequestInit & { form?: Record<string, string> } = {},
  ): Promise<Response> => {
    const { origin } = new URL(url);
    const cookies = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, cookies);
    const response = await fetch(url, {
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
      ...rest,
      headers: { ...(headers as Record<string, string>), cookie: cookieAt(url) },
      redirect: 'manual',
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  return Object.assign(ask, { cookieAt });
}

const STEPS_MAX = 20;

/** Signs in through the forms of the provider. */
async function signIn(
  ask: ReturnType<typeof browser>,
  login: string,
  { query = '?next=/flows', at: consoleUrl = app.url } = {},
) {
  const prompts: string[] = [];
  let response = await ask(`${consoleUrl}/session/identity${query}`);
  let at = new URL(response.headers.get('location')!);
  const first = at.searchParams;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    response = await ask(at);
    const location = response.headers.get('location');
    if (location !== null && at.pathname === '/session/identity/callback')
      return { location, prompts, first };
    if (location === null) {
      const page = await response.text();
      const prompt = /name="prompt" value="(\w+)"/.exec(page)![1]!;
      const action = /<form[^>]* action="([^"]+)"/.exec(page)![1]!;
      prompts.push(prompt);
      response = await ask(new URL(action, at), { form: { prompt, login, password: 'any' } });
    }
    at = new URL(response.headers.get('location')!, at);
  }
  throw new Error(`the sign-in does not end: ${prompts.join(', ')}`);
}

const shown = async (ask: ReturnType<typeof browser>, { url } = app) =>
  (await (await ask(`${url}/session`)).json()) as {
    with: string | null;
    person: string | null;
    expires_at: string | null;
    organization: string | null;
  };

/** The last request to the flow builder. */
const sent = ({ flowBuilder } = app) => flowBuilder.requests.at(-1)!.headers;
const bearer = (console = app) => sent(console).authorization!.replace('Bearer ', '');
const listFlows = async (ask: ReturnType<typeof browser>, { url } = app) =>
  (await ask(`${url}/api/flow-builder/v1/flows`)).status;

test('signs in with the code flow, PKCE and a token that the services accept', async () => {
  const ask = browser();
  const { location, prompts, first } = await signIn(ask, 'ada');
  expect({ location, prompts }).toEqual({ location: '/flows', prompts: ['login', 'consent'] });
  expect(Object.fromEntries(first)).toMatchObject({ response_type: 'code', code_challenge_method: 'S256' });
  expect(await shown(ask)).toMatchObject({ with: 'identity', person: 'ada@example.com' });
  await ask(`${app.url}/api/flow-builder/v1/flows`);
  const caller = await verify(bearer(), Date.now());
  expect(caller).toMatchObject({ organizationId: 'demo', kind: 'identity', subject: 'ada' });
  expect([...caller!.scopes]).toEqual(['admin']);
  expect(app.log.text()).not.toContain(bearer());
});

test('the provider remembers the account, and asks when another one is wanted', async () => {
  const ask = browser();
  await signIn(ask, 'ada');
  expect((await signIn(ask, 'ada')).prompts).toEqual([]);
  expect((await signIn(ask, 'ada', { query: '?another=1' })).prompts).toContain('login');
});

test('explains why no service accepts an account', async () => {
  const ask = browser();
  app.flowBuilder.script(401);
  const { location } = await signIn(ask, 'nemo');
  expect(location).toBe('/sign-in?problem=organization&next=%2Fflows');
  expect(await shown(ask)).toMatchObject({ with: null });
});

test.each(['client_secret_basic', 'client_secret_post'] as const)(
  'authenticates the client by %s',
  async (method) => {
    const [port, consolePort] = [await freePort(), await freePort()];
    const secret = { method, value: 'a secret of the client & its console' };
    const consoleUrl = `http://127.0.0.1:${consolePort}`;
    const strict = await startIdentityProvider({ port, consoleUrl, secret });
    const env = { OIDC_CLIENT_SECRET: 'env://CLIENT_SECRET', CLIENT_SECRET: secret.value };
    const console = await startConsole({ ...clientOf(strict), ...env }, consolePort);
    others.push({ ...console, stop: () => stopBoth(strict, console) });
    const ask = browser();
    await signIn(ask, 'ada', { at: console.url });
    expect(await shown(ask, console)).toMatchObject({ with: 'identity' });
  },
);

test('claims that only userinfo has come with the token, for the services as well', async () => {
  const [port, consolePort] = [await freePort(), await freePort()];
  const consoleUrl = `http://127.0.0.1:${consolePort}`;
  const sparse = await startIdentityProvider({ port, consoleUrl, claimsInUserinfo: true });
  const claims = { group_scopes: { support: ['read' as const] }, userinfo: `${sparse.issuer}/me` };
  const env = { ...clientOf(sparse), IDENTITY_CLAIMS: JSON.stringify(claims) };
  const console = await startConsole(env, consolePort);
  others.push({ ...console, stop: () => stopBoth(sparse, console) });
  const ask = browser();
  await signIn(ask, 'sam', { at: console.url });
  expect(await shown(ask, console)).toMatchObject({
    person: 'sam@example.com',
    organization: 'demo',
    scopes: { 'flow-builder': ['read'] },
  });
  expect(await listFlows(ask, console)).toBe(200);
  const verifyBoth = await verifierOf(sparse, { ...USUAL_CLAIMS, ...claims });
  const caller = await verifyBoth(bearer(console), Date.now());
  expect(caller).toMatchObject({ organizationId: 'demo', subject: 'sam', scopes: new Set(['read']) });
  expect(await verifyBoth(bearer(console).split('~')[0]!, Date.now())).toBeNull();
  expect(console.log.text()).not.toContain(bearer(console));
});

describe('a person of several organisations', () => {
  test('chooses one, works for it, and switches', async () => {
    const ask = browser();
    await signIn(ask, 'mia');
    expect(await shown(ask)).toMatchObject({ organization: null, organizations: ['demo', 'globex'] });
    expect(await listFlows(ask)).toBe(401);
    for (const id of ['globex', 'demo']) {
      expect((await choose(ask, id)).status).toBe(204);
      expect(await shown(ask)).toMatchObject({ with: 'identity', organization: id });
      expect(await listFlows(ask)).toBe(200);
      expect(sent()['x-organization-id']).toBe(id);
      expect(await verify(bearer(), Date.now(), id)).toMatchObject({ organizationId: id });
    }
    expect((await choose(ask, 'acme')).status).toBe(401);
    expect(await shown(ask)).toMatchObject({ organization: 'demo' });
  });

  test('cannot name another one by a header', async () => {
    const ask = browser();
    await signIn(ask, 'ada');
    await ask(`${app.url}/api/flow-builder/v1/flows`, { headers: { 'x-organization-id': 'globex' } });
    expect(sent()).not.toHaveProperty('x-organization-id');
  });

  const choose = (ask: ReturnType<typeof browser>, id: string) =>
    ask(`${app.url}/session/organization`, { ...json({ id }), method: 'PUT' });
});

describe('a session with a refresh token', () => {
  /** A console of a provider whose tokens are always about to end. */
  async function withShortTokens(env: Readonly<Record<string, string>> = {}) {
    const [port, consolePort] = [await freePort(), await freePort()];
    const consoleUrl = `http://127.0.0.1:${consolePort}`;
    const short = await startIdentityProvider({ port, consoleUrl, tokenSeconds: SHORT_SECONDS });
    const console = await startConsole({ ...clientOf(short), ...env }, consolePort);
    others.push({ ...console, stop: () => stopBoth(short, console) });
    return { short, console };
  }

  test('renews its token in silence, and lasts for a working day', async () => {
    const { console, short } = await withShortTokens();
    const ask = browser();
    await signIn(ask, 'ada', { at: console.url });
    expect(await listFlows(ask, console)).toBe(200);
    expect(short.renewals()).toBe(1);
    const { expires_at } = await shown(ask, console);
    expect(Date.parse(expires_at!)).toBeGreaterThan(Date.now() + 11 * 3_600_000);
    expect(console.log.text()).not.toContain(bearer(console));
  });

  test('renews once for requests that come together, also over two replicas', async () => {
    const QUEUE_URL = testRedisUrl();
    const first = await withShortTokens({ QUEUE_URL });
    const second = await startConsole({
      ...clientOf(first.short),
      QUEUE_URL,
      PUBLIC_URL: first.console.url,
    });
    others.push(second);
    const ask = browser();
    await signIn(ask, 'ada', { at: first.console.url });
    const cookie = ask.cookieAt(first.console.url);
    const flows = (url: string) =>
      fetch(`${url}/api/flow-builder/v1/flows`, { headers: { cookie } }).then(({ status }) => status);
    const statuses = await Promise.all(
      Array.from({ length: 8 }, (_, index) => flows(index % 2 ? first.console.url : second.url)),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(first.short.renewals()).toBe(1);
    expect(await flows(second.url)).toBe(200);
  });

  test('ends with the token when the provider no longer renews it', async () => {
    const { console, short } = await withShortTokens();
    const ask = browser();
    await signIn(ask, 'ada', { at: console.url });
    short.forgetEverybody();
    expect(await listFlows(ask, console)).toBe(200);
    const { expires_at } = await shown(ask, console);
    expect(Date.parse(expires_at!)).toBeLessThanOrEqual(Date.now() + SHORT_SECONDS * 1000);
    expect(console.log.text()).toContain('identity.not_renewed');
  });

  test('stays while the provider cannot be reached', async () => {
    const { console, short } = await withShortTokens();
    const ask = browser();
    await signIn(ask, 'ada', { at: console.url });
    short.close();
    expect(await listFlows(ask, console)).toBe(200);
    expect(Date.parse((await shown(ask, console)).expires_at!)).toBeGreaterThan(Date.now() + 3_600_000);
  });
});

describe('the end of a session', () => {
  test('sign-out continues at the provider, whose logout ends the other sessions of the account', async () => {
    const [ask, elsewhere] = [browser(), browser()];
    await signIn(ask, 'ada');
    await signIn(elsewhere, 'ada');
    const left = await ask(`${app.url}/session`, { method: 'DELETE' });
    const { continue_at: address } = (await left.json()) as { continue_at: string };
    expect(await shown(ask)).toMatchObject({ with: null });
    expect(new URL(address).searchParams.get('post_logout_redirect_uri')).toBe(`${app.url}/sign-in`);
    expect(address).not.toMatch(/eyJ/);
    const page = await (await ask(address)).text();
    const [, action = ''] = /<form[^>]* action="([^"]+)"/.exec(page)!;
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(page)!;
    const confirmed = await ask(new URL(action, address), { form: { xsrf, logout: 'yes' } });
    expect(confirmed.headers.get('location')).toMatch(`${app.url}/sign-in`);
    expect((await signIn(ask, 'ada')).prompts).toContain('login');
    expect(await shown(elsewhere)).toMatchObject({ with: 'identity' }); // another session at the provider
  });

  test('the provider ends a session that goes on', async () => {
    const ask = browser();
    await signIn(ask, 'eve');
    const page = await (await ask(`${provider.issuer}/session/end`)).text();
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(page)!;
    await ask(`${provider.issuer}/session/end/confirm`, { form: { xsrf, logout: 'yes' } });
    await eventually(async () => (await shown(ask)).with === null);
  });

  const logoutWith = async (changed: object, key = provider.signingKey) => {
    const logout_token = await new SignJWT({
      iss: provider.issuer,
      aud: CLIENT_ID,
      sub: 'ada',
      jti: 'one',
      iat: Math.floor(Date.now() / 1000),
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      ...changed,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'one', typ: 'logout+jwt' })
      .sign(key);
    const body = new URLSearchParams({ logout_token });
    return (await fetch(`${app.url}/session/identity/logout`, { method: 'POST', body })).status;
  };

  test('a logout token without a session ends every session of the person', async () => {
    const asks = [browser(), browser(), browser()];
    await Promise.all(asks.map((ask, index) => signIn(ask, index === 2 ? 'eve' : 'ada')));
    expect(await logoutWith({})).toBe(200);
    const left = await Promise.all(asks.map((ask) => shown(ask)));
    expect(left.map((session) => session.with)).toEqual([null, null, 'identity']);
  });

  test.each<[string, object]>([
    ['of another issuer', { iss: 'https://elsewhere.example' }],
    ['for another client', { aud: 'another' }],
    ['without the event', { events: {} }],
    ['with a nonce', { nonce: 'n' }],
    ['of nobody', { sub: undefined }],
    ['that is old', { iat: Math.floor(Date.now() / 1000) - 300 }],
  ])('refuses a logout token %s', async (_what, changed) => {
    const ask = browser();
    await signIn(ask, 'ada');
    expect(await logoutWith(changed)).toBe(400);
    expect(await shown(ask)).toMatchObject({ with: 'identity' });
  });

  test('refuses a logout token that somebody else signed', async () => {
    expect(await logoutWith({}, (await generateKeyPair('RS256')).privateKey)).toBe(400);
  });
});

test('sessions work while the provider is away, sign-in does not, and sign-out ends them', async () => {
  const ask = browser();
  await signIn(ask, 'ada');
  provider.close();
  expect(await listFlows(ask)).toBe(200);
  expect(await verify(bearer(), Date.now())).toMatchObject({ subject: 'ada' });
  expect(await shown(ask)).toMatchObject({ with: 'identity', person: 'ada@example.com' });
  await expect(signIn(browser(), 'ada')).rejects.toThrow('fetch failed');

  const restarted = await startConsole(clientOf(provider));
  others.push(restarted);
  const body = new URLSearchParams({ logout_token: 'a.b.c' });
  const unread = await fetch(`${restarted.url}/session/identity/logout`, { method: 'POST', body });
  expect([unread.status, unread.headers.get('retry-after')]).toEqual([503, '5']);

  expect((await ask(`${app.url}/session`, { method: 'DELETE' })).status).toBe(200);
  expect(await shown(ask)).toMatchObject({ with: null });
  const requests = app.flowBuilder.requests.length;
  expect(await listFlows(ask)).toBe(401);
  expect(app.flowBuilder.requests).toHaveLength(requests);
});
