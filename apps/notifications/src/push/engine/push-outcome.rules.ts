// What a push service's answer means for the device and for the next attempt (docs/notifications.md#push-outcomes). Pure. The services
// differ: the page lists what each of them really answers.

/** What one attempt for one device came to. */
export type PushOutcome =
  /** The push service took it. */
  | { readonly kind: 'sent' }
  /** 404 and 410, and nothing else: the subscription does not exist any more. */
  | { readonly kind: 'gone' }
  /** The subscription was made with another key: kept, since an error of ours must not cost subscribers. */
  | { readonly kind: 'key_mismatch' }
  /** The service asks to be left alone; `waitMs` when it said how long. */
  | { readonly kind: 'throttled'; readonly waitMs: number | undefined }
  /** An outage of theirs: says nothing of the device. */
  | { readonly kind: 'unavailable'; readonly errorClass: string }
  /** No other attempt would change anything. */
  | { readonly kind: 'rejected'; readonly errorClass: string };

export interface PushAnswer {
  readonly status: number;
  readonly body: string;
  readonly retryAfterMs: number | undefined;
}

/** WNS says "too many" with 406 (docs/notifications.md#push-outcomes). */
const THROTTLED = new Set([406, 429, 503]);
/** Apple's reason, and FCM's sentence; both are stable since years. */
const OTHER_KEY =
  /VapidPkHashMismatch|do(es)? not correspond to the (credentials|sender ID)|SenderId mismatch/i;

/**
 * Judges an answer. `freshToken`: the token was made just for this attempt, so that a 401 is about the key, not its age.
 */
export function outcomeOf({ status, body, retryAfterMs }: PushAnswer, freshToken: boolean): PushOutcome {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  if (status === 404 || status === 410) return { kind: 'gone' };
  if (THROTTLED.has(status)) return { kind: 'throttled', waitMs: retryAfterMs };
  if ((status === 400 || status === 403) && OTHER_KEY.test(body)) return { kind: 'key_mismatch' };
  if (status === 401) {
    return freshToken ? { kind: 'key_mismatch' } : { kind: 'unavailable', errorClass: 'http_status' };
  }
  if (status === 413) return { kind: 'rejected', errorClass: 'too_large' };
  if (status === 408 || status === 425 || status >= 500)
    return { kind: 'unavailable', errorClass: 'http_status' };
  return { kind: 'rejected', errorClass: 'http_status' };
}

const PAUSE_MS_MAX = 5 * 60_000;
const DOUBLINGS_MAX = 20;
/** Nobody's Retry-After is believed for longer. */
const ASKED_MS_MAX = 60 * 60_000;

/**
 * How long an origin is left alone after the `inARow`-th (from 1) reason for it: as long as it asked for, else `firstMs`,
 * doubled each time. `random` in [0, 1): replicas must not come back together.
 */
export function pauseMs(
  askedMs: number | undefined,
  inARow: number,
  firstMs: number,
  random: number,
): number {
  if (askedMs !== undefined) return Math.min(askedMs, ASKED_MS_MAX) * (1 + random * 0.1);
  return Math.min(firstMs * 2 ** Math.min(inARow - 1, DOUBLINGS_MAX), PAUSE_MS_MAX) * (0.5 + random * 0.5);
}
