// Redirects to the identity provider and handles its callback. Each attempt has its own cookie, so
// that tabs can sign in concurrently (docs/console.md#signing-in).
import express, { type Request, type Router } from 'express';
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
import { refuse } from '../refusal.ts';
import type { LoggedOut } from '../session/logout-token.ts';
import { CLOCK_TOLERANCE_SECONDS, ProviderUnreachable } from '../session/provider.ts';
import { cookieOf, readCookie, SessionsUnavailable } from '../session/session.ts';

/**
 * Longer return addresses do not fit into the cookie, so the server stores them, up to 16 KiB each.
 */
const NEXT_IN_COOKIE_MAX = 1_000;
const STORED_MAX = 1_000;
const LIFETIME_MS_MAX = 24 * 3_600_000;
const LOGOUT_BYTES_MAX = 32 * 1024;

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
      const { organizations, person, token } = signedIn;
      const organization = organizations.length === 1 ? organizations[0]! : null;
      const keys = Object.fromEntries(Object.keys(addresses).map((service) => [service, token]));
      const asOne: Readonly<Record<string, string>> =
        organizations.length > 1 ? { 'x-organization-id': organizations[0]! } : {};
      const verdicts = (await checkKeys(keys, addresses, asOne)).map(([, verdict]) => verdict);
      const unusable = verdicts.includes('taken') ? undefined : whyNot(verdicts, signedIn, clock());
      if (unusable) {
        log.warn({ person, problem: unusable }, 'identity.unusable');
        return response.redirect(303, `/sign-in?problem=${unusable}&next=${encodeURIComponent(next)}`);
      }
      await sessions.begin(request, { with: 'identity', ...signedIn, organization });
      log.info({ person }, 'session.begun');
      response.redirect(303, next);
    } catch (error) {
      response.redirect(303, problem(error));
    }
  });

  // The provider ends sessions (OpenID Connect Back-Channel Logout 1.0, sections 2.5 and 2.7).
  router.post(
    '/identity/logout',
    express.urlencoded({ extended: false, limit: LOGOUT_BYTES_MAX }),
    async (request, response) => {
      const { logout_token: token } = (request.body ?? {}) as { logout_token?: unknown };
      let loggedOut: LoggedOut | null;
      try {
        loggedOut = typeof token === 'string' ? await identity.loggedOut(token) : null;
      } catch (error) {
        log.warn({ err: error }, 'identity.unreachable');
        const words = 'The keys of the identity provider cannot be fetched. Send the logout token again.';
        return refuse(response.set('retry-after', '5'), 'provider_unreachable', words);
      }
      if (loggedOut === null) return refuse(response, 'invalid_request', 'The logout token is not valid.');
      const ended = await sessions.endLoggedOut(loggedOut);
      log.info({ ended: ended.length }, 'sessions.ended');
      response.status(200).end();
    },
  );
}

/** A path of the console, never another site. */
function insideOf({ query: { next } }: Request): string {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : '/';
}

/** Why no service accepts an identity token, as a problem of the sign-in page. */
function whyNot(verdicts: readonly Verdict[], signedIn: SignedIn, nowMs: number): string {
  const { organizations, issuedAtMs, tokenEndsAtMs } = signedIn;
  if (organizations.length === 0) return 'organization';
  if (tokenEndsAtMs - issuedAtMs > LIFETIME_MS_MAX) return 'lifetime';
  if (issuedAtMs > nowMs + CLOCK_TOLERANCE_SECONDS * 1000) return 'clock';
  if (verdicts.some((verdict) => verdict === 'unreachable' || verdict === 'limited')) return 'services';
  return verdicts.includes('forbidden') ? 'rights' : 'token';
}
