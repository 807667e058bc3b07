// What becomes of a device after an attempt, and of a send after its last device. Pure.
import { nextOf, type Schedule } from '../notify/outcome.rules.ts';
import type { PushAnswered, PushOutcome } from './engine/push-outcome.rules.ts';

/**
 * What is recorded of a device: its end, or another attempt. `gone`: the push service does not know it any more, and the registry
 * forgets it. `left`: it is none of the send's devices any more, which says nothing of the device; counted as gone.
 */
export type Recorded =
  | { readonly kind: 'sent' | 'gone' | 'left' | 'failed' | 'expired' | 'key_mismatch' }
  | { readonly kind: 'retry'; readonly attempts: number; readonly atMs: number; readonly errorClass: string };

export type Tried =
  PushOutcome | { readonly kind: 'deferred'; readonly waitMs: number } | { readonly kind: 'expired' };

/** Why a device was not reached (docs/notifications.md#push-outcomes). */
export interface PushCause extends Partial<PushAnswered> {
  readonly errorClass: string;
}

export function causeOf(tried: Tried): PushCause | null {
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

/** `403 BadJwtToken`, `413`, `timeout`. */
export function causeText({ errorClass, httpStatus, reason }: PushCause): string {
  if (httpStatus === undefined) return errorClass;
  return reason === undefined ? String(httpStatus) : `${httpStatus} ${reason}`;
}

export interface Attempted {
  /** Attempts made before this one. */
  readonly attempts: number;
  readonly expiresAtMs: number;
  readonly nowMs: number;
  /** In [0, 1). */
  readonly random: number;
}

/** Waits that services ask for end for all devices at the same moment: a tenth more or less brings them back apart. */
const SPREAD = 0.1;

export function recordedOf(tried: Tried, situation: Attempted, schedule: Schedule): Recorded {
  switch (tried.kind) {
    case 'sent':
    case 'gone':
    case 'expired':
    case 'key_mismatch':
      return tried;
    case 'rejected':
      return { kind: 'failed' };
    case 'deferred':
      return deferred(tried.waitMs, situation);
    case 'throttled':
      return again('throttled', tried.waitMs, situation, schedule);
    case 'unavailable':
      return again(tried.errorClass, undefined, situation, schedule);
  }
}

/** Nothing was sent: not an attempt, so a long pause of a service costs no device its attempts; only time ends it. */
function deferred(waitMs: number, { attempts, expiresAtMs, nowMs, random }: Attempted): Recorded {
  const atMs = nowMs + Math.ceil(waitMs * (1 + random * SPREAD));
  return atMs >= expiresAtMs
    ? { kind: 'expired' }
    : { kind: 'retry', attempts, atMs, errorClass: 'throttled' };
}

function again(
  errorClass: string,
  waitMs: number | undefined,
  situation: Attempted,
  schedule: Schedule,
): Recorded {
  const attempt = situation.attempts + 1;
  const next = nextOf({ kind: 'retry', retryAfterMs: waitMs }, { ...situation, attempt }, schedule);
  if (next.kind === 'again') return { kind: 'retry', attempts: attempt, atMs: next.atMs, errorClass };
  return { kind: next.kind === 'settled' && next.status === 'expired' ? 'expired' : 'failed' };
}

export interface DeviceCounts {
  readonly targeted: number;
  readonly sent: number;
  readonly gone: number;
  readonly failed: number;
  readonly expired: number;
}

export type FanoutEnd = 'delivered' | 'partial' | 'failed' | 'no_devices' | 'expired';

/**
 * The terminal status of a send, as the history shows it. A device that was found gone is no failure: nobody could have
 * been reached there.
 */
export function endOf({ targeted, sent, gone, failed, expired }: DeviceCounts): FanoutEnd {
  if (sent > 0) return failed + expired > 0 ? 'partial' : 'delivered';
  if (targeted - gone === 0) return 'no_devices';
  return failed > 0 ? 'failed' : 'expired';
}

/** No attempt is worth making after this; a TTL of 0 ("now or never") still gets its one. */
const ATTEMPT_WITHIN_MS = 60_000;

export function expiresAtMsOf(
  createdAtMs: number,
  ttlSeconds: number,
  noticeExpiresAtMs: number | null,
): number {
  const end = createdAtMs + Math.max(ttlSeconds * 1000, ATTEMPT_WITHIN_MS);
  return noticeExpiresAtMs === null ? end : Math.min(end, noticeExpiresAtMs);
}

interface Lifetime {
  readonly createdAtMs: number;
  readonly ttlSeconds: number;
  /** See `expiresAtMsOf`. */
  readonly expiresAtMs: number;
}

/** The TTL of an attempt: what is left of the send's own, and never beyond the end of the notification. */
export function remainingTtl({ createdAtMs, ttlSeconds, expiresAtMs }: Lifetime, nowMs: number): number {
  const endMs = Math.min(createdAtMs + ttlSeconds * 1000, expiresAtMs);
  return Math.max(0, Math.ceil((endMs - nowMs) / 1000));
}
