// Claims that an identity token lacks, from the provider's userinfo endpoint (OpenID Connect Core,
// section 5.3; docs/platform.md#claims-of-userinfo).
import { LRUCache } from 'lru-cache';
import { AppError } from '@parley/envelopes';
import { readBounded, type Log } from '@parley/server/runtime';

const FETCH_TIMEOUT_MS = 5_000;
/** Claims of a person are a few KiB. */
const BYTES_MAX = 64 * 1024;
/** People who work at the same time, about 2 KiB each. */
const PEOPLE_MAX = 10_000;
/** After this time a changed group or organisation holds. */
const FRESH_MS = 10 * 60_000;
/** How long callers should wait while the identity provider is away. */
const RETRY_SECONDS = '2';

type Claims = Readonly<Record<string, unknown>>;

/**
 * The claims of an access token; null when the provider refuses it, or it is that of another
 * person. @throws AppError unavailable while the provider does not answer
 */
export type ReadUserinfo = (accessToken: string, subject: string) => Promise<Claims | null>;

/** Known claims serve on while the provider is unreachable, as long as their identity token. */
export function createUserinfo({ url, log }: { readonly url: string; readonly log: Log }): ReadUserinfo {
  const known = new LRUCache<string, { readonly claims: Claims | null }>({
    max: PEOPLE_MAX,
    ttl: FRESH_MS,
    allowStaleOnFetchRejection: true,
    noDeleteOnFetchRejection: true,
    fetchMethod: async (accessToken) => {
      try {
        return { claims: await fetchClaims(url, accessToken) };
      } catch (error) {
        log.warn({ err: error }, 'identity.userinfo_unreachable');
        throw error;
      }
    },
  });
  return async (accessToken, subject) => {
    const found = await known.fetch(accessToken);
    if (found === undefined)
      throw new AppError('unavailable', 'the identity provider cannot be reached at the moment', {
        headers: { 'retry-after': RETRY_SECONDS },
      });
    return found.claims?.['sub'] === subject ? found.claims : null;
  };
}

/** Null when the provider refuses the token. @throws also when the answer is no JSON object */
async function fetchClaims(url: string, accessToken: string): Promise<Claims | null> {
  const response = await fetch(url, {
    headers: { accept: 'application/json', authorization: `Bearer ${accessToken}` },
    redirect: 'manual',
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
  });
  if (response.status !== 200) await response.body?.cancel();
  if (response.status === 401 || response.status === 403) return null;
  if (response.status !== 200) throw new Error(`userinfo was answered with ${response.status}`);
  const claims: unknown = JSON.parse((await readBounded(response, BYTES_MAX)).toString('utf8'));
  if (typeof claims !== 'object' || claims === null) throw new Error('userinfo is no object');
  return claims as Claims;
}
