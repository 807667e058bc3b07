// Pure: the result of a device after an attempt, and of a send after its last device.
import { decideNext, type Schedule } from '../../outcomes/retry-schedule.rules.ts';
import type { DeviceAttempt } from '../../push-engine/push-outcome.rules.ts';

/**
 * What is recorded of a device: its end, or another attempt. `gone`: the push service dropped it,
 * and the registry does too. `left`: it no longer belongs to the send's audience; counted as gone.
 */
export type DeviceResult =
  | { readonly kind: 'sent' | 'gone' | 'left' | 'failed' | 'expired' | 'key_mismatch' }
  | { readonly kind: 'retry'; readonly attempts: number; readonly atMs: number; readonly errorClass: string };

export interface AttemptSituation {
  /** Attempts before this one. */
  readonly attempts: number;
  readonly expiresAtMs: number;
  readonly nowMs: number;
  /** In [0, 1). */
  readonly random: number;
}

/** Spreads requested waits, which otherwise end for all devices at once. */
const SPREAD = 0.1;

export function toDeviceResult(
  tried: DeviceAttempt,
  situation: AttemptSituation,
  schedule: Schedule,
): DeviceResult {
  switch (tried.kind) {
    case 'sent':
    case 'gone':
    case 'expired':
    case 'key_mismatch':
      return tried;
    case 'rejected':
      return { kind: 'failed' };
    case 'deferred':
      return postpone(tried.waitMs, situation);
    case 'throttled':
      return planRetry('throttled', tried.waitMs, situation, schedule);
    case 'unavailable':
      return planRetry(tried.errorClass, undefined, situation, schedule);
  }
}

/** Nothing was sent, so it is no attempt: only time ends a device during a long pause. */
function postpone(waitMs: number, { attempts, expiresAtMs, nowMs, random }: AttemptSituation): DeviceResult {
  const atMs = nowMs + Math.ceil(waitMs * (1 + random * SPREAD));
  return atMs >= expiresAtMs
    ? { kind: 'expired' }
    : { kind: 'retry', attempts, atMs, errorClass: 'throttled' };
}

function planRetry(
  errorClass: string,
  waitMs: number | undefined,
  situation: AttemptSituation,
  schedule: Schedule,
): DeviceResult {
  const attempt = situation.attempts + 1;
  const next = decideNext({ kind: 'retry', retryAfterMs: waitMs }, { ...situation, attempt }, schedule);
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

/** The final status, as in the history. A gone device is no failure. */
export function computeEnd({ targeted, sent, gone, failed, expired }: DeviceCounts): FanoutEnd {
  if (sent > 0) return failed + expired > 0 ? 'partial' : 'delivered';
  if (targeted - gone === 0) return 'no_devices';
  return failed > 0 ? 'failed' : 'expired';
}

/** No attempt starts after this time. A TTL of 0 still gets one. */
const ATTEMPT_WITHIN_MS = 60_000;

export function computeExpiresAtMs(
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
  /** See `computeExpiresAtMs`. */
  readonly expiresAtMs: number;
}

/** The TTL of an attempt: the rest of the send's TTL, at most until the notification expires. */
export function remainingTtl({ createdAtMs, ttlSeconds, expiresAtMs }: Lifetime, nowMs: number): number {
  const endMs = Math.min(createdAtMs + ttlSeconds * 1000, expiresAtMs);
  return Math.max(0, Math.ceil((endMs - nowMs) / 1000));
}
