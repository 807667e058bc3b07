// Signs in at an OpenID Connect provider with the code flow and PKCE. The services verify the
// identity token themselves (docs/platform.md#credentials).
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { z } from 'zod';
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

export interface SignedIn {
  readonly token: string;
  readonly person: string | null;
  readonly claims: { readonly exp: number; readonly iat: number; readonly organization_id?: unknown };
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
}

export function createIdentity(options: IdentityOptions): Identity {
  const { scopes, redirectUri } = options;
  const provider = createProvider(options);
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
      const answer = await authorizationCodeGrant(await provider.find(), url, checks).catch(
        (error: unknown) => {
          provider.discoverAgain(); // its configuration may have changed
          throw isUnreachable(error) ? error.cause : error;
        },
      );
      const claims = answer.claims()!; // idTokenExpected
      const person = [claims['email'], claims['name'], claims['preferred_username'], claims.sub];
      return {
        token: answer.id_token!,
        person: person.find((name): name is string => typeof name === 'string' && name.length <= 255) ?? null,
        claims,
      };
    },
  };
}
