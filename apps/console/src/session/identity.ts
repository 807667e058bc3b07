// Signing in at the organisation's identity provider: OpenID Connect's code flow with PKCE. The services verify the identity token
// themselves (docs/platform.md#credentials); the console only carries it.
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretPost,
  discovery,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type Configuration,
} from 'openid-client';
import { z } from 'zod';

/** From the button to the way back: somebody may have to find their second factor. */
export const ON_THE_WAY_SECONDS = 10 * 60;
/** How often an identity provider that did not answer is asked anew. */
const ANSWER_WITHIN_SECONDS = 10;

/** What is remembered meanwhile, in an encrypted cookie. */
export const onTheWay = z.object({
  verifier: z.string(),
  state: z.string(),
  nonce: z.string(),
  next: z.string(),
});
export type OnTheWay = z.output<typeof onTheWay>;

export interface IdentityOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly scopes: string;
  /** `<CONSOLE_URL>/session/identity/callback`: it is registered at the provider. */
  readonly redirectUri: string;
}

export interface SignedIn {
  readonly token: string;
  readonly person: string | null;
  readonly endsAtMs: number;
}

export interface Identity {
  begin(next: string): Promise<{ readonly url: URL; readonly remember: OnTheWay }>;
  /** `url`: where the provider sent the browser. @throws when it is not an answer to what is remembered. */
  finish(url: URL, remembered: OnTheWay): Promise<SignedIn>;
}

export function createIdentity(options: IdentityOptions): Identity {
  const { issuer, clientId, clientSecret, scopes, redirectUri } = options;
  let known: Promise<Configuration> | undefined;
  /** Once; a failure is forgotten, so that the provider is asked again with the next person. */
  const provider = () =>
    (known ??= discovery(
      new URL(issuer),
      clientId,
      undefined,
      clientSecret === undefined ? None() : ClientSecretPost(clientSecret),
      {
        timeout: ANSWER_WITHIN_SECONDS,
        ...(issuer.startsWith('http:') ? { execute: [allowInsecureRequests] } : {}), // config.ts allows it outside of production
      },
    ).catch((error: unknown) => {
      known = undefined;
      throw error;
    }));
  return {
    begin: async (next) => {
      const remember = {
        verifier: randomPKCECodeVerifier(),
        state: randomState(),
        nonce: randomNonce(),
        next,
      };
      const url = buildAuthorizationUrl(await provider(), {
        redirect_uri: redirectUri,
        scope: scopes,
        code_challenge: await calculatePKCECodeChallenge(remember.verifier),
        code_challenge_method: 'S256',
        state: remember.state,
        nonce: remember.nonce,
      });
      return { url, remember };
    },
    finish: async (url, { verifier, state, nonce }) => {
      const answer = await authorizationCodeGrant(await provider(), url, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const claims = answer.claims()!; // idTokenExpected
      const person = [claims['email'], claims['name'], claims['preferred_username'], claims.sub];
      return {
        token: answer.id_token!,
        person: person.find((name): name is string => typeof name === 'string' && name.length <= 255) ?? null,
        endsAtMs: claims.exp * 1000,
      };
    },
  };
}
