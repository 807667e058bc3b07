// Pure rules: what an attempt's outcome means for its delivery, and when the next attempt is.

/** Longest waits after attempts 1, 2, … The last has none (docs/notifications.md#attempts). */
export type Schedule = readonly number[];

/** The part of an outcome (outcome.ts) that the rules need. */
export type AttemptOutcome =
  | { readonly kind: 'sent' | 'delivered' | 'handed_over' }
  | { readonly kind: 'retry'; readonly retryAfterMs?: number | undefined }
  | { readonly kind: 'final'; readonly status: string };

export interface Situation {
  /** The attempt that was made, from 1. */
  readonly attempt: number;
  readonly expiresAtMs: number | null;
  readonly nowMs: number;
  /** At least 0, below 1. */
  readonly random: number;
}

export type Next =
  | { readonly kind: 'again'; readonly atMs: number }
  | { readonly kind: 'settled'; readonly status: string }
  /** The channel reports the end later. */
  | { readonly kind: 'open' };

/** The longest Retry-After that is obeyed. */
export const RETRY_AFTER_MAX_MS = 24 * 60 * 60_000;

export function decideNext(outcome: AttemptOutcome, situation: Situation, schedule: Schedule): Next {
  switch (outcome.kind) {
    case 'handed_over':
      return { kind: 'open' };
    case 'sent':
    case 'delivered':
      return { kind: 'settled', status: outcome.kind };
    case 'final':
      return { kind: 'settled', status: outcome.status };
    case 'retry':
      return planRetry(outcome.retryAfterMs, situation, schedule);
  }
}

function planRetry(retryAfterMs: number | undefined, situation: Situation, schedule: Schedule): Next {
  const { attempt, expiresAtMs, nowMs, random } = situation;
  const longestMs = schedule[attempt - 1];
  if (longestMs === undefined) return { kind: 'settled', status: 'failed' };
  const atMs = nowMs + Math.max(backoffMs(longestMs, random), clampRetryAfter(retryAfterMs));
  // The next attempt would find the notification expired.
  if (expiresAtMs !== null && atMs >= expiresAtMs) return { kind: 'settled', status: 'expired' };
  return { kind: 'again', atMs };
}

function clampRetryAfter(retryAfterMs = 0): number {
  return Math.min(Math.max(retryAfterMs, 0), RETRY_AFTER_MAX_MS);
}

/** Full jitter: retries of deliveries that failed together spread. */
export function backoffMs(longestMs: number, random: number): number {
  return Math.ceil(longestMs * random);
}

/** 408, 425, 429 and every 5xx mean "not now". */
export function isRetryStatus(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** Failures without an answer that another attempt cannot change. */
const FINAL_CLASSES: ReadonlySet<string> = new Set(['blocked_address', 'invalid_request']);

/** `status` when there was an answer, else the class of the failure decides. */
export function isRetryable(errorClass: string, status: number | undefined): boolean {
  if (errorClass === 'http_status') return status !== undefined && isRetryStatus(status);
  return !FINAL_CLASSES.has(errorClass);
}
