// Accepts portal links besides keys and identity tokens, on the endpoints that are open to them
// (docs/portal.md#links).
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { createRefusals, rateLimited } from '@parley/auth';
import { AppError } from '@parley/envelopes';
import { isPortalToken, type Authenticator } from '@parley/server/http';
import type { Deps } from '../webhooks/deps.ts';
import { APPLICATION_REQUESTS_PER_MINUTE } from './portal-limit.ts';
import { verifyPortalToken } from './portal-links.ts';

/** A link is a fifth of this, unless the application has an id of 255 exotic characters. */
const TOKEN_CHARACTERS_MAX = 8_192;

export function createPortalAuthenticator(
  inner: Authenticator,
  deps: Pick<Deps, 'sql' | 'clock' | 'dataSealer'>,
): Authenticator {
  const refusals = createRefusals('too many requests to the portal from this address');
  const requests = new RateLimiterMemory({ points: APPLICATION_REQUESTS_PER_MINUTE, duration: 60 });

  return {
    peek: (request, face) => inner.peek(request, face),
    authenticate: async (request, face) => {
      const { authorization = '' } = request.headers;
      if (face !== 'v1' || !isPortalToken(authorization)) return inner.authenticate(request, face);
      const address = request.ip ?? '';
      await refusals.check(address);
      const token = authorization.slice('Bearer '.length).trim();
      const caller = token.length > TOKEN_CHARACTERS_MAX ? null : await verifyPortalToken(deps, token);
      if (!caller) {
        await refusals.count(address);
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
          throw over instanceof RateLimiterRes
            ? rateLimited(over, 'too many requests to the portal from this application')
            : over;
        });
      return caller;
    },
  };
}
