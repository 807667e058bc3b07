// The Retry-After header (RFC 9110 §10.2.3). Pure. Called for every answer that was not a success.

/** A receiver that asks for more is not believed: callers have limits of their own, and no row should wait for weeks. */
const RETRY_AFTER_MS_MAX = 24 * 60 * 60 * 1000;

/** Milliseconds from `nowMs` (epoch) until the receiver wants to be asked again; undefined when the header says nothing. */
export function retryAfterMs(value: string, nowMs: number): number | undefined {
  const text = value.trim();
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : dateOf(text) - nowMs;
  if (Number.isNaN(waitMs)) return undefined;
  return Math.min(Math.max(waitMs, 0), RETRY_AFTER_MS_MAX);
}

/** The three date forms of RFC 9110 name the day of the week first; `Date.parse` alone would take almost any text. */
function dateOf(text: string): number {
  return /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : NaN;
}
