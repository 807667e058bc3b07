// Redirects to the identity provider and handles its callback. Each attempt has its own cookie, so
// that tabs can sign in concurrently (docs/console.md#signing-in).
import type { Request, Router } from 'express';
import { LRUCache } from 'lru-cache';
import type { Deps } from '../deps.ts';
import { checkKeys, type Verdict } from '../session/check-keys.ts';
import {
  CALLBACK_PATH,
  ON_THE_WAY_SECONDS,
  onTheWay,
  type Identity,
  type OnTheWay,
  type SignedIn,
} from '../session/identity.ts';
import { CLOCK_TOLERANCE_SECONDS, ProviderUnreachable } from '../session/provider.ts';
import { cookieOf, readCookie, SessionsUnavailable } from '../session/session.ts';

/**
 * Longer return addresses do not fit into the cookie, so the server stores them, up to 16 KiB each.
 */
const NEXT_IN_COOKIE_MAX = 1_000;
const STORED_MAX = 1_000;
const LIFETIME_SECONDS_MAX = 24 * 3600;

export function addIdentityRoutes(router: Router, deps: Deps, identity: Identity): void {
  const { addresses, clock, config, log, sessions, tickets } = deps;
  /** Long return addresses, by state. */
  const returns = new LRUCache<string, string>({ max: STORED_MAX, ttl: ON_THE_WAY_SECONDS * 1000 });
  // Lax, because browsers send no strict cookie on the redirect from the provider.
  const attempt = (state: string) => cookieOf(`identity-${state.slice(0, 16)}`, config.PUBLIC_URL, 'lax');
  const problem = (error: unknown) => {
    if (error instanceof SessionsUnavailable) throw error;
    const why = error instanceof ProviderUnreachable ? 'provider' : 'refused';
    log.warn({ err: error }, why === 'provider' ? 'identity.unreachable' : 'identity.refused');
    return `/sign-in?problem=${why}`;
  };

  router.get('/identity', async (request, response) => {
    try {
      const { url, remember } = await identity.begin(request.query['another'] === '1');
      const { name, attributes } = attempt(remember.state);
      const next = insideOf(request);
      const isLong = next.length > NEXT_IN_COOKIE_MAX;
      if (isLong) returns.set(remember.state, next);
      const content: OnTheWay = { ...remember, next: isLong ? null : next };
      const sealed = await tickets.seal('identity', content, ON_THE_WAY_SECONDS);
      response.cookie(name, sealed, { ...attributes, maxAge: ON_THE_WAY_SECONDS * 1000 });
      response.redirect(303, url.href);
    } catch (error) {
      response.redirect(303, problem(error));
    }
  });

  router.get('/identity/callback', async (request, response) => {
    const given = request.query['state'];
    const state = typeof given === 'string' && /^[\w-]{16,128}$/.test(given) ? given : 'none';
    const { name, attributes } = attempt(state);
    const sealed = readCookie(request, name);
    const remembered = sealed === undefined ? null : await tickets.open('identity', onTheWay, sealed);
    if (remembered?.state !== state) return response.redirect(303, '/sign-in?problem=expired');
    response.clearCookie(name, attributes);
    const next = remembered.next ?? returns.get(state) ?? '/';
    returns.delete(state);
    try {
      const { search } = new URL(request.originalUrl, config.PUBLIC_URL);
      const signedIn = await identity.finish(
        new URL(`${CALLBACK_PATH}${search}`, config.PUBLIC_URL),
        remembered,
      );
      const { token, person, claims } = signedIn;
      const keys = Object.fromEntries(Object.keys(addresses).map((service) => [service, token]));
      const verdicts = (await checkKeys(keys, addresses)).map(([, verdict]) => verdict);
      const unusable = verdicts.includes('taken') ? undefined : whyNot(verdicts, claims, clock());
      if (unusable) {
        log.warn({ person, problem: unusable }, 'identity.unusable');
        return response.redirect(303, `/sign-in?problem=${unusable}&next=${encodeURIComponent(next)}`);
      }
      await sessions.begin(request, { with: 'identity', token, person }, claims.exp * 1000);
      log.info({ person }, 'session.begun');
      response.redirect(303, next);
    } catch (error) {
      response.redirect(303, problem(error));
    }
  });
}

/** A path of the console, never another site. */
function insideOf({ query: { next } }: Request): string {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : '/';
}

/** Why no service accepts an identity token, as a problem of the sign-in page. */
function whyNot(verdicts: readonly Verdict[], claims: SignedIn['claims'], nowMs: number): string {
  const { organization_id: organization, iat, exp } = claims;
  if (typeof organization !== 'string' || organization === '') return 'organization';
  if (exp - iat > LIFETIME_SECONDS_MAX) return 'lifetime';
  if (iat > nowMs / 1000 + CLOCK_TOLERANCE_SECONDS) return 'clock';
  if (verdicts.some((verdict) => verdict === 'unreachable' || verdict === 'limited')) return 'services';
  return verdicts.includes('forbidden') ? 'rights' : 'token';
}
