// Counts refused credentials, so that nobody tries many of them from one address.
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '@parley/envelopes';

/** Enough for a misconfigured client, too few to search credentials. */
export const REFUSED_PER_MINUTE_MAX = 300;

export interface Refusals {
  /** @throws AppError rate_limited, when too many of this name were refused in the last minute */
  check(name: string): Promise<void>;
  count(name: string): Promise<void>;
}

/** @param message of the error; it names what was refused, and from where */
export function createRefusals(message: string): Refusals {
  const refused = new RateLimiterMemory({ points: REFUSED_PER_MINUTE_MAX, duration: 60 });
  return {
    check: async (name) => {
      const spent = await refused.get(name);
      if (spent && spent.consumedPoints >= REFUSED_PER_MINUTE_MAX) throw rateLimited(spent, message);
    },
    count: async (name) => void (await refused.penalty(name)),
  };
}

export function rateLimited({ msBeforeNext }: RateLimiterRes, message: string): AppError {
  return new AppError('rate_limited', message, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(msBeforeNext / 1000))) },
  });
}
