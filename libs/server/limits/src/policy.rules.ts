// Which limits apply to a request, and how an answer reports them. Pure.
import { AppError } from '@parley/envelopes';

/** One limit class of one organisation. Null: not limited. */
export interface Policy {
  /** The name in the header fields: the plan, or the class of the endpoint. */
  readonly name: string;
  /** What is counted. Default: requests. */
  readonly unit?: string;
  /** Requests in any `windowMs`. */
  readonly requests: number | null;
  readonly windowMs: number;
  /** Requests in flight. */
  readonly concurrent: number | null;
}

/** A limiter's decision about one request, and what is left after it. */
export interface Reading {
  readonly refusedBy: 'concurrency' | 'rate' | null;
  /** Requests of the window, including this one when it was admitted. */
  readonly counted: number;
  /** Requests in flight, including this one when it was admitted. */
  readonly inFlight: number;
  /** Until the next request leaves the window and frees a place. */
  readonly resetMs: number;
}

export type Headers = Readonly<Record<string, string>>;

/**
 * The largest integer of a structured field (RFC 9651 §3.3.1). The fields need a number for "not
 * limited".
 */
export const UNLIMITED = 999_999_999_999_999;

export function isUnlimited(policy: Policy): boolean {
  return policy.requests === null && policy.concurrent === null;
}

/**
 * The fields of draft-ietf-httpapi-ratelimit-headers-11, and the older X- ones that clients know
 * (Reset: epoch seconds, as at GitHub). `t` and Reset name the time at which the oldest counted
 * request leaves the window.
 */
export function buildHeaders(policy: Policy, reading: Reading, nowMs: number, degraded: boolean): Headers {
  const { name, concurrent } = policy;
  const quota = policy.requests ?? UNLIMITED;
  const left = policy.requests === null ? UNLIMITED : Math.max(0, quota - reading.counted);
  const seconds = toSeconds(reading.resetMs);
  const windowSeconds = toSeconds(policy.windowMs);
  const atOnceLeft = concurrent === null ? 0 : Math.max(0, concurrent - reading.inFlight);
  const atOnce = concurrent === null ? '' : `, "concurrency";q=${concurrent};qu="concurrent-requests"`;
  const unit = policy.unit === undefined ? '' : `;qu="${policy.unit}"`;
  const until = policy.requests === null ? '' : `;t=${seconds}`;
  return {
    'ratelimit-policy': `"${name}";q=${quota};w=${windowSeconds}${unit}${atOnce}`,
    ratelimit: `"${name}";r=${left}${until}${concurrent === null ? '' : `, "concurrency";r=${atOnceLeft}`}`,
    'x-ratelimit-limit': String(quota),
    'x-ratelimit-remaining': String(left),
    'x-ratelimit-reset': String(Math.ceil((nowMs + (policy.requests === null ? 0 : reading.resetMs)) / 1000)),
    ...(degraded ? { 'x-ratelimit-mode': 'degraded' } : {}),
  };
}

/**
 * For an answer under two policies: the lists hold both. The X- fields hold the policy of the
 * requests, or the one that refused.
 */
export function joinHeaders(requests: Headers, second: Headers, refused: boolean): Headers {
  const both = (name: string) => ({ [name]: `${requests[name]}, ${second[name]}` });
  const either = refused ? { ...requests, ...second } : { ...second, ...requests };
  return { ...either, ...both('ratelimit-policy'), ...both('ratelimit') };
}

/** When a request in flight ends is unknown; most take far less than this. */
const CONCURRENCY_RETRY_SECONDS = 1;

export function createRefusal(policy: Policy, reading: Reading, headers: Headers): AppError {
  if (reading.refusedBy === 'concurrency') {
    const details = { limit: policy.concurrent, retry_after_seconds: CONCURRENCY_RETRY_SECONDS };
    return new AppError(
      'concurrency_limited',
      `${policy.concurrent} requests of the organisation are in flight: its limit`,
      { details, headers: { ...headers, 'retry-after': String(CONCURRENCY_RETRY_SECONDS) } },
    );
  }
  const seconds = toSeconds(reading.resetMs);
  const windowSeconds = toSeconds(policy.windowMs);
  return new AppError(
    'rate_limited',
    `the organisation may make ${policy.requests} ${policy.unit ?? 'requests'} in any ${windowSeconds} s; the next one in ${seconds} s`,
    {
      details: {
        policy: policy.name,
        limit: policy.requests,
        window_seconds: windowSeconds,
        retry_after_seconds: seconds,
      },
      headers: { ...headers, 'retry-after': String(seconds) },
    },
  );
}

/** Whole seconds, rounded up, at least 1 (RFC 9110 §10.2.3). */
function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
