// Parses the Retry-After header (RFC 9110 §10.2.3). Pure.

/** Longer waits are cut: callers have their own limits, and no row should wait for weeks. */
const RETRY_AFTER_MS_MAX = 24 * 60 * 60 * 1000;

/**
 * Milliseconds from `nowMs` (epoch) until the receiver wants another request; undefined when
 * unknown.
 */
export function parseRetryAfterMs(value: string, nowMs: number): number | undefined {
  const text = value.trim();
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : parseDate(text) - nowMs;
  if (Number.isNaN(waitMs)) return undefined;
  return Math.min(Math.max(waitMs, 0), RETRY_AFTER_MS_MAX);
}

/** The three date forms of RFC 9110 begin with a weekday; `Date.parse` accepts almost any text. */
function parseDate(text: string): number {
  return /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : NaN;
}
