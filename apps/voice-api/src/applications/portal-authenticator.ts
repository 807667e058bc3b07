// Accepts portal links besides keys and identity tokens, on the endpoints that are open to them
// (docs/portal.md#links).
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '@parley/envelopes';
import { isPortalToken, type Authenticator } from '@parley/server/http';
import type { Deps } from '../webhooks/deps.ts';
import { APPLICATION_REQUESTS_PER_MINUTE } from './portal-limit.ts';
import { verifyPortalToken } from './portal-links.ts';

/** Refused links of an address in a minute. Beyond it none is looked up. */
const REFUSED_PER_MINUTE_MAX = 300;
/** A link is a fifth of this, unless the application has an id of 255 exotic characters. */
const TOKEN_CHARACTERS_MAX = 8_192;

export function createPortalAuthenticator(
  inner: Authenticator,
  deps: Pick<Deps, 'sql' | 'clock' | 'dataSealer'>,
): Authenticator {
  const refused = new RateLimiterMemory({ points: REFUSED_PER_MINUTE_MAX, duration: 60 });
  const requests = new RateLimiterMemory({ points: APPLICATION_REQUESTS_PER_MINUTE, duration: 60 });

  return {
    peek: (request, face) => inner.peek(request, face),
    authenticate: async (request, face) => {
      const { authorization = '' } = request.headers;
      if (face !== 'v1' || !isPortalToken(authorization)) return inner.authenticate(request, face);
      const address = request.ip ?? '';
      const spent = await refused.get(address);
      if (spent && spent.consumedPoints >= REFUSED_PER_MINUTE_MAX) throw tooMany(spent, 'this address');
      const token = authorization.slice('Bearer '.length).trim();
      const caller = token.length > TOKEN_CHARACTERS_MAX ? null : await verifyPortalToken(deps, token);
      if (!caller) {
        await refused.penalty(address);
        // One message for every reason, which tells an attacker nothing.
        throw new AppError(
          'unauthorized',
          'the portal link is not valid, or not any more: ask for a new one',
          {
            headers: { 'www-authenticate': 'Bearer' },
          },
        );
      }
      await requests
        .consume(JSON.stringify([caller.organizationId, caller.applicationId]))
        .catch((over: unknown) => {
          throw over instanceof RateLimiterRes ? tooMany(over, 'this application') : over;
        });
      return caller;
    },
  };
}

function tooMany({ msBeforeNext }: RateLimiterRes, whose: string): AppError {
  const seconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return new AppError('rate_limited', `too many requests to the portal from ${whose}`, {
    headers: { 'retry-after': String(seconds) },
  });
}
