// Discovers the configuration of the identity provider daily, and keeps it while the provider is
// unreachable. Limits the time and size of its responses.
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  customFetch,
  discovery,
  None,
  type Configuration,
} from 'openid-client';
import { readBounded, type Clock, type IdentityClaims } from '@parley/server/runtime';

export interface IdentityOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly scopes: string;
  /** `<PUBLIC_URL>/session/identity/callback`, registered at the provider. */
  readonly redirectUri: string;
  readonly claims: IdentityClaims;
  readonly clock: Clock;
}

const ANSWER_WITHIN_SECONDS = 10;
const BYTES_MAX = 1024 * 1024;
const DISCOVERED_EVERY_MS = 24 * 3600_000;
/** Anonymous sign-in attempts must not cause more discovery requests. */
const COOLDOWN_MS = 5_000;
/** As in the services (libs/auth). */
export const CLOCK_TOLERANCE_SECONDS = 30;

/** The provider did not respond properly. It has not refused the person. */
export class ProviderUnreachable extends Error {
  override readonly name = 'ProviderUnreachable';
}

/** `invalid_client` (RFC 6749, section 5.2): nothing else of the request was looked at. */
function isClientRefused(error: unknown): boolean {
  const { error: code, status } = error as { error?: unknown; status?: unknown };
  return code === 'invalid_client' || status === 401;
}

/** openid-client wraps what its fetch throws. */
export function isUnreachable(error: unknown): error is { readonly cause: ProviderUnreachable } {
  return error instanceof Error && error.cause instanceof ProviderUnreachable;
}

export interface Provider {
  find(): Promise<Configuration>;
  /**
   * A request to the token endpoint. Discovery says which ways of sending the client's secret the
   * provider has, and not which one this client is registered for: a refused one is tried the other
   * way, and what worked stays.
   */
  ask<Result>(work: (configuration: Configuration) => Promise<Result>): Promise<Result>;
  /** Discovers again at the next sign-in. */
  discoverAgain(): void;
}

type ProviderOptions = Pick<IdentityOptions, 'issuer' | 'clientId' | 'clientSecret' | 'clock'>;

export function createProvider({ issuer, clientId, clientSecret, clock }: ProviderOptions): Provider {
  let usesBasic = true; // the default of the protocol
  let known: Configuration | undefined;
  let failure: unknown;
  let nextAtMs = -Infinity;
  let notBeforeMs = -Infinity;
  let asking: Promise<void> | undefined;
  const discover = async () => {
    try {
      known = await discovery(
        new URL(issuer),
        clientId,
        { [clockTolerance]: CLOCK_TOLERANCE_SECONDS },
        clientSecret === undefined
          ? None()
          : (...request) => (usesBasic ? ClientSecretBasic : ClientSecretPost)(clientSecret)(...request),
        {
          timeout: ANSWER_WITHIN_SECONDS,
          [customFetch]: fetchBounded,
          ...(issuer.startsWith('http:') ? { execute: [allowInsecureRequests] } : {}), // config.ts allows http outside of production
        },
      );
      nextAtMs = clock() + DISCOVERED_EVERY_MS;
    } catch (error) {
      failure = error;
    }
    notBeforeMs = clock() + COOLDOWN_MS;
  };
  const find = async () => {
    if (clock() >= nextAtMs && (asking || clock() >= notBeforeMs))
      await (asking ??= discover().finally(() => (asking = undefined)));
    if (known) return known;
    throw new ProviderUnreachable('the identity provider was not discovered', { cause: failure });
  };
  return {
    find,
    ask: async (work) => {
      const triedBasic = usesBasic;
      try {
        return await work(await find());
      } catch (error) {
        if (clientSecret === undefined || !isClientRefused(error)) throw error;
        usesBasic = !triedBasic; // attempts side by side find the same way
        return work(await find());
      }
    },
    discoverAgain: () => void (nextAtMs = -Infinity),
  };
}

/** Bounded in size; the caller bounds the time. @throws ProviderUnreachable */
export async function fetchBounded(url: string, options: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, options);
    const body = await readBounded(response, BYTES_MAX);
    const { status, headers } = response;
    if (status >= 500 || status === 429) throw new Error(`${status} of ${new URL(url).pathname}`);
    return new Response(body.length === 0 ? null : new Uint8Array(body), { status, headers });
  } catch (cause) {
    throw new ProviderUnreachable('the identity provider does not answer', { cause });
  }
}
