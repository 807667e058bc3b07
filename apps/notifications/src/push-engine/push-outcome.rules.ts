// Pure: what a push service's answer means for the device and the next attempt.
// docs/notifications.md#push-outcomes lists the services' real answers.
import { DOMAIN_BLOCKED } from './wns.rules.ts';

/** The safe part of a push service's refusal. */
export interface ServiceRefusal {
  readonly httpStatus: number;
  /** Its code for the reason, for example `BadJwtToken`. */
  readonly reason?: string | undefined;
}

/** The result of one attempt for one device. */
export type PushOutcome =
  /** The push service accepted the message. */
  | { readonly kind: 'sent' }
  /** 404 and 410 only: the subscription no longer exists. */
  | { readonly kind: 'gone' }
  /** The subscription uses another key. Kept: a mistake of ours must not cost subscribers. */
  | { readonly kind: 'key_mismatch'; readonly answered?: ServiceRefusal }
  /** The service throttles; `waitMs` if it named a time. */
  | { readonly kind: 'throttled'; readonly waitMs: number | undefined; readonly answered?: ServiceRefusal }
  /** An outage of the service, which says nothing about the device. */
  | { readonly kind: 'unavailable'; readonly errorClass: string; readonly answered?: ServiceRefusal }
  /** Another attempt changes nothing. */
  | { readonly kind: 'rejected'; readonly errorClass: string; readonly answered?: ServiceRefusal };

export interface PushAnswer {
  readonly status: number;
  readonly body: string;
  readonly retryAfterMs: number | undefined;
}

/** WNS answers 406 for "too many" (docs/notifications.md#push-outcomes). */
const THROTTLED = new Set([406, 429, 503]);
/** Apple's reason and FCM's sentence; both have been stable for years. */
const OTHER_KEY =
  /VapidPkHashMismatch|do(es)? not correspond to the (credentials|sender ID)|SenderId mismatch/i;

/** `freshToken`: the token is new, so a 401 is about the key and not the token's age. */
export function toPushOutcome({ status, body, retryAfterMs }: PushAnswer, freshToken: boolean): PushOutcome {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  const answered = { httpStatus: status, reason: extractReason(body) };
  // WNS has blocked the sender for now: no reason to lose its subscribers.
  if (status === 410 && answered.reason === DOMAIN_BLOCKED)
    return { kind: 'rejected', errorClass: 'http_status', answered };
  if (status === 404 || status === 410) return { kind: 'gone' };
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

/** Apple's `{"reason": "BadJwtToken"}`, Mozilla's `{"errno": 109}`, or a body of one word. */
const REASONS = [
  /"reason"\s*:\s*"([A-Za-z]{1,40})"/,
  /"(errno"\s*:\s*\d{1,5})\b/,
  /^\s*([A-Za-z]{1,40})\s*$/,
];

/** Never a sentence: a service may repeat a secret in one. */
function extractReason(body: string): string | undefined {
  for (const reason of REASONS) {
    const [, word] = reason.exec(body) ?? [];
    if (word !== undefined) return word.replace(/"\s*:\s*/, ' ');
  }
  return undefined;
}

const PAUSE_MS_MAX = 5 * 60_000;
const DOUBLINGS_MAX = 20;
/** The longest Retry-After that is obeyed. */
const ASKED_MS_MAX = 60 * 60_000;

/** The requested time, else `firstMs` doubled for each pause in a row; spreads replicas. */
export function computePauseMs(
  askedMs: number | undefined,
  inARow: number,
  firstMs: number,
  random: number,
): number {
  if (askedMs !== undefined) return Math.min(askedMs, ASKED_MS_MAX) * (1 + random * 0.1);
  return Math.min(firstMs * 2 ** Math.min(inARow - 1, DOUBLINGS_MAX), PAUSE_MS_MAX) * (0.5 + random * 0.5);
}

export type DeviceAttempt =
  PushOutcome | { readonly kind: 'deferred'; readonly waitMs: number } | { readonly kind: 'expired' };

/** Why a device was not reached (docs/notifications.md#push-outcomes). */
export interface PushCause extends Partial<ServiceRefusal> {
  readonly errorClass: string;
}

export function toCause(tried: DeviceAttempt): PushCause | null {
  switch (tried.kind) {
    case 'sent':
    case 'gone':
    case 'expired':
      return null;
    case 'deferred':
      return { errorClass: 'throttled' };
    case 'key_mismatch':
    case 'throttled':
      return { errorClass: tried.kind, ...tried.answered };
    case 'unavailable':
    case 'rejected':
      return { errorClass: tried.errorClass, ...tried.answered };
  }
}

/** For example `403 BadJwtToken`, `413`, `timeout`. */
export function causeText({ errorClass, httpStatus, reason }: PushCause): string {
  if (httpStatus === undefined) return errorClass;
  return reason === undefined ? String(httpStatus) : `${httpStatus} ${reason}`;
}
