// When a failed delivery is attempted again: the table of docs/voice-api.md#schedule. Pure.
import { decideDisabling, GONE } from '../webhooks/disable.rules.ts';
import type { DeliveryKind } from './delivery.rules.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits after failed attempts 1 to 5. */
export const RETRY_WAITS_MS: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  24 * HOUR_MS,
];

/** Maximum delay of a retry as a share of its wait. Spreads retries, which are never early. */
export const JITTER_MAX = 0.1;

/** `Retry-After` may extend a wait up to this multiple. */
export const RETRY_AFTER_FACTOR_MAX = 2;

/** Statuses on which `Retry-After` counts. */
const RETRY_AFTER_STATUSES: ReadonlySet<number> = new Set([429, 503]);

/** A failed attempt. */
export interface FailedAttempt {
  /** From 1. */
  readonly attempt: number;
  readonly kind: DeliveryKind;
  /** The event is a speech.interim, which never counts toward disabling. */
  readonly interim: boolean;
  /** HTTP status, if an answer began. */
  readonly status?: number | undefined;
  /** Retry-After, from now. */
  readonly retryAfterMs?: number | undefined;
}

export type AfterFailure =
  | { readonly next: 'retry'; readonly waitMs: number; readonly disable: boolean; readonly warn: boolean }
  | { readonly next: 'exhausted'; readonly disable: boolean; readonly warn: false };

/**
 * | failed attempt | next attempt after | webhook |
 * | 1 2 3 4 | waitsMs[0…3] | stays active; the third failure alerts its organisation |
 * | 5 | waitsMs[4] if the webhook is active again (`decideBeforeAttempt`) | is disabled |
 * | 6 | none: exhausted | is disabled again |
 *
 * 410 Gone ends the attempts and disables the webhook, also for interims. Replays and tests have
 * one attempt and disable nothing. Interims keep the schedule and disable nothing. One-off
 * deliveries have no webhook, so all six attempts are made.
 * `random` in [0, 1) chooses the jitter.
 */
export function decideAfterFailure(
  failed: FailedAttempt,
  waitsMs: readonly number[],
  random: number,
): AfterFailure {
  const { attempt, kind, status } = failed;
  const { disable, warn } = decideDisabling(failed);
  const isLast = kind === 'replay' || kind === 'test' || (kind === 'event' && status === GONE);
  const plannedMs = isLast ? undefined : waitsMs[attempt - 1];
  if (plannedMs === undefined) return { next: 'exhausted', disable, warn: false };
  return { next: 'retry', waitMs: computeWait(plannedMs, failed, random), disable, warn };
}

function computeWait(plannedMs: number, { status, retryAfterMs = 0 }: FailedAttempt, random: number): number {
  const requestedMs = status !== undefined && RETRY_AFTER_STATUSES.has(status) ? retryAfterMs : 0;
  const atLeastMs = Math.min(Math.max(plannedMs, requestedMs), plannedMs * RETRY_AFTER_FACTOR_MAX);
  return Math.ceil(atLeastMs + plannedMs * JITTER_MAX * random);
}
