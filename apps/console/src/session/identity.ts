// Signs in at an OpenID Connect provider with the code flow and PKCE. The services verify the
// identity token themselves (docs/platform.md#credentials).
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  tokenRevocation,
} from 'openid-client';
import { joinTokens } from '@parley/auth/identity-claims';
import { lacksClaims } from '@parley/server/runtime';
import type { IDToken, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client';
import { z } from 'zod';
import { createLogoutReader, type LoggedOut } from './logout-token.ts';
import { createProvider, isUnreachable, type IdentityOptions } from './provider.ts';

/** Path of the redirect URI. */
export const CALLBACK_PATH = '/session/identity/callback';

/** Redirect URI of the identity provider. */
export const redirectUri = (consoleUrl: string): string => new URL(CALLBACK_PATH, consoleUrl).href;

/** Time to sign in at the provider, including a second factor. */
export const ON_THE_WAY_SECONDS = 10 * 60;

/** The state of an attempt, in an encrypted cookie. */
export const onTheWay = z.object({
  verifier: z.string(),
  state: z.string(),
  nonce: z.string(),
  /** Return address; null when it is too long for a cookie and stored. */
  next: z.string().nullable(),
});
export type OnTheWay = z.output<typeof onTheWay>;

/** What a session keeps of the provider's answer, sealed. */
export const identityTokens = z.object({
  /**
   * The identity token, which the services verify; where it lacks claims, with the access token for
   * userinfo.
   */
  token: z.string(),
  tokenEndsAtMs: z.number(),
  /** Null: the provider gave none, or refused it. */
  refresh: z.string().nullable(),
  person: z.string().nullable(),
  /** Whom the provider names when it ends a session (back-channel logout). */
  subject: z.string(),
  providerSession: z.string().nullable(),
  /** Those that the token lists. */
  organizations: z.array(z.string()),
  /** Organisation and rights that userinfo adds to the token. */
  added: z.record(z.string(), z.unknown()).default({}),
});
export type IdentityTokens = z.output<typeof identityTokens>;

export interface SignedIn extends IdentityTokens {
  readonly issuedAtMs: number;
}

export interface Identity {
  /**
   * `another`: the provider asks for the account even with a session. @throws ProviderUnreachable
   */
  begin(another: boolean): Promise<{ readonly url: URL; readonly remember: Omit<OnTheWay, 'next'> }>;
  /**
   * `url`: the callback address. @throws ProviderUnreachable, or Error when it does not match the
   * attempt.
   */
  finish(url: URL, remembered: Omit<OnTheWay, 'next'>): Promise<SignedIn>;
  /**
   * New tokens for a refresh token. @throws ProviderUnreachable, or Error when the provider refuses
   * it or sends no identity token.
   */
  renew(tokens: IdentityTokens): Promise<IdentityTokens>;
  /** Revokes the refresh token, where the provider can. */
  revoke(tokens: IdentityTokens): Promise<void>;
  /**
   * Where the browser signs out at the provider; null when it has no such page. The address names
   * the client but has no token: an identity token is a credential.
   */
  signOutUrl(): Promise<string | null>;
  /** Whose sessions a logout token ends; null when it is invalid. @throws ProviderUnreachable */
  loggedOut(logoutToken: string): Promise<LoggedOut | null>;
}

export function createIdentity(options: IdentityOptions): Identity {
  const { claims: names, clock, scopes, redirectUri } = options;
  const provider = createProvider(options);
  const readLogout = createLogoutReader(options);
  /** With the claims of userinfo where the identity token lacks some. */
  const complete = async (claims: IDToken, accessToken: string) => {
    const asked = fetchUserInfo(await provider.find(), accessToken, claims.sub);
    const more = await asked.catch((error: unknown) => {
      throw unwrapped(error);
    });
    return { ...more, ...claims };
  };
  const toTokens = async (answer: Answer): Promise<SignedIn> => {
    const own = answer.claims();
    if (!own || answer.id_token === undefined) throw new Error('the provider sent no identity token');
    const isPartial = names.userinfo !== undefined && lacksClaims(names, own);
    const claims = isPartial ? await complete(own, answer.access_token) : own;
    const endsMs = (answer.expiresIn() ?? Infinity) * 1000 + clock();
    const people = [claims['email'], claims['name'], claims['preferred_username'], claims.sub];
    return {
      token: isPartial ? joinTokens(answer.id_token, answer.access_token) : answer.id_token,
      tokenEndsAtMs: isPartial ? Math.min(claims.exp * 1000, endsMs) : claims.exp * 1000,
      issuedAtMs: claims.iat * 1000,
      refresh: answer.refresh_token ?? null,
      person: people.find((name): name is string => typeof name === 'string' && name.length <= 255) ?? null,
      subject: claims.sub,
      providerSession: typeof claims['sid'] === 'string' ? claims['sid'] : null,
      organizations: organizationsIn(claims[names.organization]),
      added: Object.fromEntries(
        [names.organization, names.scope, names.groups].flatMap((name) =>
          name in claims && !(name in own) ? [[name, claims[name]]] : [],
        ),
      ),
    };
  };
  return {
    begin: async (another) => {
      const remember = {
        verifier: randomPKCECodeVerifier(),
        state: randomState(),
        nonce: randomNonce(),
      };
      const url = buildAuthorizationUrl(await provider.find(), {
        redirect_uri: redirectUri,
        scope: scopes,
        code_challenge: await calculatePKCECodeChallenge(remember.verifier),
        code_challenge_method: 'S256',
        state: remember.state,
        nonce: remember.nonce,
        ...(another ? { prompt: 'login' } : {}),
      });
      return { url, remember };
    },
    finish: async (url, { verifier, state, nonce }) => {
      const checks = {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      };
      const grant = provider.ask((configuration) => authorizationCodeGrant(configuration, url, checks));
      const answer = await grant.catch((error: unknown) => {
        provider.discoverAgain(); // its configuration may have changed
        throw unwrapped(error);
      });
      return toTokens(answer);
    },
    renew: async (tokens) => {
      const { refresh } = tokens;
      if (refresh === null) throw new Error('there is no refresh token');
      const grant = provider.ask((configuration) => refreshTokenGrant(configuration, refresh));
      const answer = await grant.catch((error: unknown) => {
        throw unwrapped(error);
      });
      const renewed = await toTokens(answer);
      if (renewed.subject !== tokens.subject) throw new Error('the provider renewed for somebody else');
      // A provider that does not rotate refresh tokens sends none.
      return { ...renewed, refresh: renewed.refresh ?? refresh };
    },
    revoke: async ({ refresh }) => {
      const configuration = await provider.find();
      if (refresh === null || !configuration.serverMetadata().revocation_endpoint) return;
      await tokenRevocation(configuration, refresh, { token_type_hint: 'refresh_token' });
    },
    signOutUrl: async () => {
      const configuration = await provider.find();
      if (!configuration.serverMetadata().end_session_endpoint) return null;
      const back = { post_logout_redirect_uri: new URL('/sign-in', redirectUri).href };
      return buildEndSessionUrl(configuration, back).href;
    },
    loggedOut: async (logoutToken) => {
      const { issuer, jwks_uri: keys } = (await provider.find()).serverMetadata();
      return keys === undefined ? null : readLogout(logoutToken, { issuer, keys });
    },
  };
}

type Answer = TokenEndpointResponse & TokenEndpointResponseHelpers;

const unwrapped = (error: unknown): unknown => (isUnreachable(error) ? error.cause : error);

const ORGANIZATIONS_MAX = 100;

/** As the services read it (libs/auth). */
function organizationsIn(claim: unknown): string[] {
  const listed = Array.isArray(claim) ? claim : [claim];
  return listed
    .filter((one): one is string => typeof one === 'string' && one !== '')
    .slice(0, ORGANIZATIONS_MAX);
}
