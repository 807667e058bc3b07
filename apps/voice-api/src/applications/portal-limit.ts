// Limits of requests with portal links (docs/portal.md#limits). They do not count as requests of
// the organisation's plan, so that its customers cannot use that up.
import type { Limit } from '@parley/server/http';

/** The limit class of these requests. */
export const PORTAL = 'portal';
/** Requests of all applications of an organisation in a window. */
export const PORTAL_REQUESTS = 1_200;
export const PORTAL_WINDOW_MS = 60_000;
/** Requests of one application in a minute, in one process. */
export const APPLICATION_REQUESTS_PER_MINUTE = 120;

type LimitedRequest = Parameters<Limit['peek']>;

/** `limit`, with a class of its own for portal links. */
export function separatePortal(limit: Limit): Limit {
  const classify = ([caller, endpoint]: LimitedRequest): LimitedRequest =>
    caller.applicationId === undefined ? [caller, endpoint] : [caller, { ...endpoint, limitClass: PORTAL }];
  return {
    ...limit,
    peek: (...request) => limit.peek(...classify(request)),
    admit: (...request) => limit.admit(...classify(request)),
  };
}
