// Sign-in at a certified provider (oidc-provider) as a browser does: code flow with PKCE, login,
// consent and signature. The services' own check verifies the token.
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { createIdentityVerifier, type VerifyIdentityToken } from '@parley/auth';
import { freePort } from '@parley/testing/servers';
import { createLog, createSecrets, systemClock } from '@parley/server/runtime';
import { capturedLog } from '@parley/testing';
import { startConsole, type ConsoleUnderTest } from './console-under-test.ts';

const CLIENT = 'parley-console';
/** Accounts of the provider. The services reject the one without an organisation. */
const people: Readonly<Record<string, object>> = {
  ada: { email: 'ada@example.com', organization_id: 'acme', scope: 'read write' },
  nemo: { email: 'nemo@example.com' },
};

let issuer: string;
let server: Server;
let app: ConsoleUnderTest;
let verify: VerifyIdentityToken;

beforeAll(async () => {
  const [port, consolePort] = [await freePort(), await freePort()];
  issuer = `http://127.0.0.1:${port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const consoleUrl = `http://127.0.0.1:${consolePort}`;
  // It warns that its built-in store and pages are for development only.
  const warned = [jest.spyOn(console, 'warn'), jest.spyOn(console, 'info')];
  for (const spy of warned) spy.mockReturnValue(undefined);
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT,
        redirect_uris: [`${consoleUrl}/session/identity/callback`],
        token_endpoint_auth_method: 'none',
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'one', alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['not secret'] },
    claims: { openid: ['sub', 'organization_id', 'scope'], email: ['email'] },
    conformIdTokenClaims: false,
    ttl: { IdToken: 3_600, Session: 3_600, Grant: 3_600, Interaction: 600, AccessToken: 600 },
    pkce: { required: () => true },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...people[sub] }) }),
  });
  for (const spy of warned) spy.mockRestore();
  const answer = provider.callback();
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  app = await startConsole(
    { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT, OIDC_SCOPES: 'openid email' },
    consolePort,
  );
  const log = createLog({ service: 'console', level: 'info', destination: capturedLog() });
  const identity = {
    IDENTITY_JWKS_URL: `${issuer}/jwks`,
    IDENTITY_ISSUER: issuer,
    IDENTITY_AUDIENCE: [CLIENT],
  };
  const secrets = createSecrets({ env: {}, clock: systemClock });
  verify = (await createIdentityVerifier(identity, secrets, {
    service: 'voice-api',
    clock: systemClock,
    log,
    count: () => {},
  }))!;
});
afterAll(async () => {
  await app.stop();
  away();
});

const away = () => {
  server.closeAllConnections();
  server.close();
};

/** A browser with cookies per origin. It does not follow redirects. */
function browser() {
  const jars = new Map<string, Map<string, string>>();
  return async (url: string | URL, form?: Record<string, string>, method = 'GET'): Promise<Response> => {
    const { origin } = new URL(url);
    const cookies = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, cookies);
    const response = await fetch(url, {
      method: form ? 'POST' : method,
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      redirect: 'manual',
      body: form ? new URLSearchParams(form) : null,
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
}

const STEPS_MAX = 20;

/** Signs in through the forms of the provider. */
async function signIn(ask: ReturnType<typeof browser>, login: string, query = '?next=/flows') {
  const prompts: string[] = [];
  let response = await ask(`${app.url}/session/identity${query}`);
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
      response = await ask(new URL(action, at), { prompt, login, password: 'any' });
    }
    at = new URL(response.headers.get('location')!, at);
  }
  throw new Error(`the sign-in does not end: ${prompts.join(', ')}`);
}

const shown = async (ask: ReturnType<typeof browser>) =>
  (await (await ask(`${app.url}/session`)).json()) as { with: string | null; person: string | null };

/** The last request to the flow builder. */
const bearer = () => app.flowBuilder.requests.at(-1)!.headers.authorization!.replace('Bearer ', '');

test('signs in with the code flow, PKCE and a token that the services accept', async () => {
  const ask = browser();
  const { location, prompts, first } = await signIn(ask, 'ada');
  expect({ location, prompts }).toEqual({ location: '/flows', prompts: ['login', 'consent'] });
  expect(Object.fromEntries(first)).toMatchObject({ response_type: 'code', code_challenge_method: 'S256' });
  expect(await shown(ask)).toMatchObject({ with: 'identity', person: 'ada@example.com' });
  await ask(`${app.url}/api/flow-builder/v1/flows`);
  const caller = await verify(bearer(), Date.now());
  expect(caller).toMatchObject({ organizationId: 'acme', kind: 'identity', subject: 'ada' });
  expect([...caller!.scopes]).toEqual(['read', 'write']);
  expect(app.log.text()).not.toContain(bearer());
});

test('the provider remembers the account, and asks when another one is wanted', async () => {
  const ask = browser();
  await signIn(ask, 'ada');
  expect((await signIn(ask, 'ada')).prompts).toEqual([]);
  expect((await signIn(ask, 'ada', '?another=1')).prompts).toContain('login');
});

test('explains why no service accepts an account', async () => {
  const ask = browser();
  app.flowBuilder.script(401);
  const { location } = await signIn(ask, 'nemo');
  expect(location).toBe('/sign-in?problem=organization&next=%2Fflows');
  expect(await shown(ask)).toMatchObject({ with: null });
});

test('sessions work while the provider is away, sign-in does not, and sign-out ends them', async () => {
  const ask = browser();
  await signIn(ask, 'ada');
  away();
  expect((await ask(`${app.url}/api/flow-builder/v1/flows`)).status).toBe(200);
  expect(await verify(bearer(), Date.now())).toMatchObject({ subject: 'ada' });
  expect(await shown(ask)).toMatchObject({ with: 'identity', person: 'ada@example.com' });
  await expect(signIn(browser(), 'ada')).rejects.toThrow('fetch failed');

  expect((await ask(`${app.url}/session`, undefined, 'DELETE')).status).toBe(204);
  expect(await shown(ask)).toMatchObject({ with: null });
  const sent = app.flowBuilder.requests.length;
  expect((await ask(`${app.url}/api/flow-builder/v1/flows`)).status).toBe(401);
  expect(app.flowBuilder.requests).toHaveLength(sent);
});
