// A certified identity provider (oidc-provider) with people to sign in as, for development and
// tests: its pages take any password.
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import { LOOPBACK } from '@parley/testing/servers';

/** People by login, with the claims of their identity tokens. */
export const PEOPLE = {
  ada: { email: 'ada@example.com', organization_id: 'demo', scope: 'admin' },
  sam: { email: 'sam@example.com', organization_id: 'demo', groups: ['support'] },
  eve: { email: 'eve@example.com', organization_id: 'demo', scope: 'read write delete' },
  nemo: { email: 'nemo@example.com' },
  mia: { email: 'mia@example.com', organization_id: ['demo', 'globex'], groups: ['support'] },
} as const satisfies Record<string, object>;

/** The claims and groups of these people, as IDENTITY_CLAIMS. */
export const PEOPLE_CLAIMS = JSON.stringify({ group_scopes: { support: ['read'] } });

export const CLIENT_ID = 'parley-console';

export interface ProviderOptions {
  readonly port: number;
  readonly consoleUrl: string;
  /** How the client authenticates; unless given, by PKCE alone. */
  readonly secret?: { readonly method: 'client_secret_basic' | 'client_secret_post'; readonly value: string };
  /** Seconds that an identity token lasts; an hour unless given. */
  readonly tokenSeconds?: number;
  /** Only its userinfo endpoint has the claims of a person. */
  readonly claimsInUserinfo?: boolean;
}

export interface IdentityProvider {
  readonly issuer: string;
  readonly keysUrl: string;
  /** How often it has renewed tokens. */
  renewals(): number;
  /** With which it signs tokens. */
  readonly signingKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  /** Knows no account any more, so it renews nothing. */
  forgetEverybody(): void;
  /** Stops answering, as in an outage. */
  close(): void;
}

const HOUR = 3_600;
const ORGANIZATION_CLAIMS = ['organization_id', 'scope', 'groups'];

export async function startIdentityProvider(options: ProviderOptions): Promise<IdentityProvider> {
  const { port, consoleUrl, secret, tokenSeconds = HOUR } = options;
  const { Provider } = await quietly(() => import('oidc-provider'));
  const issuer = `http://${LOOPBACK}:${port}`;
  let isEmpty = false;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const provider = await quietly(
    () =>
      new Provider(issuer, {
        clients: [
          {
            client_id: CLIENT_ID,
            redirect_uris: [`${consoleUrl}/session/identity/callback`],
            post_logout_redirect_uris: [`${consoleUrl}/sign-in`],
            backchannel_logout_uri: `${consoleUrl}/session/identity/logout`,
            backchannel_logout_session_required: true,
            grant_types: ['authorization_code', 'refresh_token'],
            token_endpoint_auth_method: secret?.method ?? 'none',
            ...(secret && { client_secret: secret.value }),
          },
        ],
        jwks: { keys: [key] },
        cookies: { keys: ['not secret'] },
        // A conforming identity token has only what `openid` gives.
        claims: options.claimsInUserinfo
          ? { openid: ['sub'], email: ['email', ...ORGANIZATION_CLAIMS] }
          : { openid: ['sub', ...ORGANIZATION_CLAIMS], email: ['email'] },
        conformIdTokenClaims: options.claimsInUserinfo ?? false,
        features: {
          backchannelLogout: { enabled: true },
          revocation: { enabled: true, allowedPolicy: () => true },
          rpInitiatedLogout: { logoutSource: askToSignOut },
        },
        // Its own refuses addresses of this machine, where the console is.
        fetch: (url, options) => fetch(url, { ...options, dispatcher: undefined }),
        issueRefreshToken: () => true,
        ttl: {
          IdToken: tokenSeconds,
          Session: 12 * HOUR,
          Grant: 12 * HOUR,
          RefreshToken: 12 * HOUR,
          Interaction: 600,
          AccessToken: 600,
        },
        pkce: { required: () => true },
        findAccount: (_context, sub) =>
          isEmpty
            ? undefined
            : { accountId: sub, claims: () => ({ sub, ...PEOPLE[sub as keyof typeof PEOPLE] }) },
      }),
  );
  let renewals = 0;
  provider.on('grant.success', ({ oidc }) => {
    if (oidc.params?.['grant_type'] === 'refresh_token') renewals += 1;
  });
  const answer = provider.callback();
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, resolve);
  });
  return {
    issuer,
    keysUrl: `${issuer}/jwks`,
    renewals: () => renewals,
    signingKey: privateKey,
    forgetEverybody: () => void (isEmpty = true),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const askToSignOut = (context: { body: unknown }, form: string) => {
  const button = '<button form="op.logoutForm" name="logout" value="yes">Sign out</button>';
  context.body = `<!doctype html><title>Sign out</title>${form}${button}`;
};

/** It warns that its store and its pages are for development only, which is what they are for. */
async function quietly<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  const { warn, info } = console;
  Object.assign(console, { warn: () => undefined, info: () => undefined });
  try {
    return await work();
  } finally {
    Object.assign(console, { warn, info });
  }
}
