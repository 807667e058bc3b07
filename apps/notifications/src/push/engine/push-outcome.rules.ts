// What a push service's answer means for the device and for the next attempt (docs/notifications.md#push-outcomes). Pure. The services
// differ: the page lists what each of them really answers.

/** What a push service said when it did not take a message: as much of it as anybody may read. */
export interface PushAnswered {
  readonly httpStatus: number;
  /** Its own word for the reason, such as `BadJwtToken`. */
  readonly reason?: string | undefined;
}

/** What one attempt for one device came to. */
export type PushOutcome =
  /** The push service took it. */
  | { readonly kind: 'sent' }
  /** 404 and 410, and nothing else: the subscription does not exist any more. */
  | { readonly kind: 'gone' }
  /** The subscription was made with another key: kept, since an error of ours must not cost subscribers. */
  | { readonly kind: 'key_mismatch'; readonly answered?: PushAnswered }
  /** The service asks to be left alone; `waitMs` when it said how long. */
  | { readonly kind: 'throttled'; readonly waitMs: number | undefined; readonly answered?: PushAnswered }
  /** An outage of theirs: says nothing of the device. */
  | { readonly kind: 'unavailable'; readonly errorClass: string; readonly answered?: PushAnswered }
  /** No other attempt would change anything. */
  | { readonly kind: 'rejected'; readonly errorClass: string; readonly answered?: PushAnswered };

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
  const answered = { httpStatus: status, reason: reasonOf(body) };
  if (THROTTLED.has(status)) return { kind: 'throttled', waitMs: retryAfterMs, answered };
  if ((status === 400 || status === 403) && OTHER_KEY.test(body)) return { kind: 'key_mismatch', answered };
  if (status === 401) {
    if (freshToken) return { kind: 'key_mismatch', answered };
    return { kind: 'unavailable', errorClass: 'http_status', answered };
  }
  if (status === 413) return { kind: 'rejected', errorClass: 'too_large', answered };
  if (status === 408 || status === 425 || status >= 500)
    return { kind: 'unavailable', errorClass: 'http_status', answered };
  return { kind: 'rejected', errorClass: 'http_status', answered };
}

/** Apple's `{"reason": "BadJwtToken"}`, Mozilla's `{"errno": 109}`, or a body that is one word. */
const REASONS = [
  /"reason"\s*:\s*"([A-Za-z]{1,40})"/,
  /"(errno"\s*:\s*\d{1,5})\b/,
  /^\s*([A-Za-z]{1,40})\s*$/,
];

/** Never a sentence: a service may repeat a secret in one. */
function reasonOf(body: string): string | undefined {
  for (const reason of REASONS) {
    const [, word] = reason.exec(body) ?? [];
    if (word !== undefined) return word.replace(/"\s*:\s*/, ' ');
  }
  return undefined;
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
