// Signing in at an identity provider that speaks OpenID Connect: code flow with PKCE, and the identity token is what the services get.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { generateKeyPair, SignJWT } from 'jose';
import { receiver, type Receiver } from '@parley/testkit';
import { startConsole, type ConsoleUnderTest } from './console-under-test.ts';

const CLIENT = 'parley-console';
let provider: Receiver;
let app: ConsoleUnderTest;
/** What the provider was asked to sign somebody in with, and what it says of them. */
let asked: URLSearchParams;
let said: { nonce?: string };
/** Makes the token that the provider answers with next. */
let mint: () => Promise<string>;

beforeAll(async () => {
  const { privateKey } = await generateKeyPair('ES256');
  let token = '';
  provider = await receiver({
    fallback: ({ path, body }) => {
      if (path === '/.well-known/openid-configuration')
        return {
          status: 200,
          body: {
            issuer: provider.url,
            authorization_endpoint: `${provider.url}/authorize`,
            token_endpoint: `${provider.url}/token`,
            jwks_uri: `${provider.url}/keys`,
            id_token_signing_alg_values_supported: ['ES256'],
            code_challenge_methods_supported: ['S256'],
          },
        };
      const form = new URLSearchParams(body.toString());
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      if (path !== '/token' || form.get('code') !== 'good' || challenge !== asked.get('code_challenge'))
        return { status: 400, body: { error: 'invalid_grant' } };
      return { status: 200, body: { access_token: 'a', token_type: 'bearer', id_token: token } };
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
    })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .setIssuer(provider.url)
      .setAudience(CLIENT)
      .setSubject('ada')
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey);
    return token;
  };
});
afterAll(async () => {
  await app.stop();
  await provider.close();
});

/** The cookies of a browser. */
function jar() {
  const cookies = new Map<string, string>();
  return {
    ask: async (path: string) => {
      const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
      const response = await fetch(new URL(path, app.url), { headers: { cookie }, redirect: 'manual' });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line)!;
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      return response;
    },
  };
}

/** To the provider and back, with this code. */
async function comeBack(browser: ReturnType<typeof jar>, next: string, query: Record<string, string> = {}) {
  const left = await browser.ask(`/session/identity?next=${encodeURIComponent(next)}`);
  const url = new URL(left.headers.get('location')!);
  expect(`${url.origin}${url.pathname}`).toBe(`${provider.url}/authorize`);
  asked = url.searchParams;
  const token = await mint();
  const back = new URLSearchParams({ code: 'good', state: asked.get('state')!, ...query });
  const response = await browser.ask(`/session/identity/callback?${back.toString()}`);
  expect(response.status).toBe(303);
  return { token, location: response.headers.get('location') };
}

test('the identity token is carried to the services, and to nobody else', async () => {
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
    services_here: ['flow-builder', 'notifications'],
    queue_dashboards: {},
    identity_provider: 'Example',
  });
  await browser.ask('/api/flow-builder/v1/flows');
  expect(app.flowBuilder.requests.at(-1)!.headers.authorization).toBe(`Bearer ${token}`);
  expect(app.log.text()).not.toContain(token);
});

test.each([
  ['another code', {}, { code: 'bad' }, '/sign-in?problem=refused'],
  ['another state', {}, { state: 'x' }, '/sign-in?problem=refused'],
  ['a token that was made for another sign-in', { nonce: 'x' }, {}, '/sign-in?problem=refused'],
  ['a refusal', {}, { error: 'access_denied' }, '/sign-in?problem=refused'],
])('%s signs nobody in', async (_what, says, query, where) => {
  said = says;
  const browser = jar();
  expect((await comeBack(browser, '/', query)).location).toBe(where);
  expect(await (await browser.ask('/session')).json()).toMatchObject({ with: null });
});

test('who comes back without having left, or a second time, starts again', async () => {
  said = {};
  const browser = jar();
  const back = '/session/identity/callback?code=good&state=x';
  expect((await browser.ask(back)).headers.get('location')).toBe('/sign-in?problem=expired');
});

test.each(['https://evil.example', '//evil.example', '/\\evil.example', 'evil'])(
  'nobody is sent on to %s',
  async (next) => {
    said = {};
    expect((await comeBack(jar(), next)).location).toBe('/');
  },
);
