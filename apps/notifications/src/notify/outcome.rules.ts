// What an attempt's outcome means for its delivery, and when there is another attempt. Pure: outcome, schedule, time and
// chance come in as arguments.

/** When attempts follow each other (docs/notifications.md#sending). Configuration: DELIVERY_…; tests pass milliseconds. */
export interface Schedule {
  readonly attemptsMax: number;
  readonly firstMs: number;
  readonly longestMs: number;
}

/** What the rules need of an outcome (channels/channel.ts). */
export type Attempted =
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
  /** The channel says later how it ended. */
  | { readonly kind: 'open' };

/** A receiver may ask for quiet for so long (Retry-After); what asks for more is asked again after this. */
export const RETRY_AFTER_MAX_MS = 24 * 60 * 60_000;

export function nextOf(outcome: Attempted, situation: Situation, schedule: Schedule): Next {
  switch (outcome.kind) {
    case 'handed_over':
      return { kind: 'open' };
    case 'sent':
    case 'delivered':
      return { kind: 'settled', status: outcome.kind };
    case 'final':
      return { kind: 'settled', status: outcome.status };
    case 'retry':
      return again(outcome.retryAfterMs, situation, schedule);
  }
}

function again(retryAfterMs: number | undefined, situation: Situation, schedule: Schedule): Next {
  const { attempt, expiresAtMs, nowMs, random } = situation;
  if (attempt >= schedule.attemptsMax) return { kind: 'settled', status: 'failed' };
  const atMs = nowMs + Math.max(backoffMs(attempt, random, schedule), bounded(retryAfterMs));
  // There is nothing to wait for: the attempt would find the notification expired.
  if (expiresAtMs !== null && atMs >= expiresAtMs) return { kind: 'settled', status: 'expired' };
  return { kind: 'again', atMs };
}

function bounded(retryAfterMs = 0): number {
  return Math.min(Math.max(retryAfterMs, 0), RETRY_AFTER_MAX_MS);
}

/**
 * The wait after the attempt: a random part of a ceiling that doubles from `firstMs` to `longestMs`. Full jitter: what
 * failed together comes back apart.
 */
export function backoffMs(attempt: number, random: number, { firstMs, longestMs }: Schedule): number {
  const ceiling = Math.min(longestMs, firstMs * 2 ** (attempt - 1));
  return Math.ceil(ceiling * random);
}

/** Answers that say "not now": request timeout, too early, too many requests, and whatever the server's fault is. */
export function isRetryStatus(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** Failures without an answer that another attempt cannot change: nothing was sent, and nothing would be. */
const FINAL_CLASSES: ReadonlySet<string> = new Set(['blocked_address', 'invalid_request']);

/** Whether a failed request is worth another attempt: `status` where there was an answer, else the class of the failure. */
export function isRetryable(errorClass: string, status: number | undefined): boolean {
  if (errorClass === 'http_status') return status !== undefined && isRetryStatus(status);
  return !FINAL_CLASSES.has(errorClass);
}

/** How far each status is; a delivery never goes back. Bounced ends what was sent, and even what looked delivered. */
const RANK: Readonly<Record<string, number>> = {
  queued: 0,
  sending: 1,
  unknown: 2,
  sent: 2,
  delivered: 3,
  bounced: 4,
};

/** Whether news of a provider (an event webhook, a fan-out that ended) still changes a delivery. */
export function mayBecome(from: string, to: string): boolean {
  const was = RANK[from];
  if (was === undefined) return false; // failed, partial, expired, canceled, no_devices: settled for good
  const becomes = RANK[to];
  if (becomes === undefined) return was <= 2;
  return becomes > was || (from === 'unknown' && to === 'sent');
}
