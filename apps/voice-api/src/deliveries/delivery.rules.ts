// Decides about deliveries before and after an attempt: the table of docs/voice-api.md#schedule.
// Pure.
import { z } from 'zod';

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

/** The failed attempt of a delivery that disables its webhook. */
export const DISABLING_ATTEMPT = 5;
/** The failed attempt at which the organisation is alerted: half of those that disable. */
export const WARNING_ATTEMPT = Math.ceil(DISABLING_ATTEMPT / 2);
/** The receiver reports that it is gone permanently. */
const GONE = 410;

/** Maximum delay of a retry as a share of its wait. Spreads retries, which are never early. */
export const JITTER_MAX = 0.1;

/** `Retry-After` may extend a wait up to this multiple. */
export const RETRY_AFTER_FACTOR_MAX = 2;

/** Statuses on which `Retry-After` counts. */
const RETRY_AFTER_STATUSES: ReadonlySet<number> = new Set([429, 503]);

/**
 * `event`: an event for a webhook. `replay`: a redelivery on request, with one attempt that never
 * disables the webhook. `one_off`: a request to an address without a webhook.
 */
export const deliveryKind = z.enum(['event', 'replay', 'test', 'one_off']);
export type DeliveryKind = z.output<typeof deliveryKind>;

/** Wire values of a delivery's status. */
export const deliveryStatus = z.enum([
  'pending', // an attempt is planned or in flight
  'delivered', // answered with 2xx
  'skipped', // its webhook was disabled when it was due; replayable
  'superseded', // a newer interim of its turn replaced it
  'exhausted', // failed for the last time; replayable
  'canceled', // its webhook was removed
  'quarantined', // workers crashed with it; an operator may release it
]);
export type DeliveryStatus = z.output<typeof deliveryStatus>;

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
  const { attempt, kind, interim } = failed;
  if (kind === 'replay' || kind === 'test') return { next: 'exhausted', disable: false, warn: false };
  if (kind === 'event' && failed.status === GONE) return { next: 'exhausted', disable: true, warn: false };
  const counts = kind === 'event' && !interim;
  const disable = counts && attempt >= DISABLING_ATTEMPT;
  const plannedMs = waitsMs[attempt - 1];
  if (plannedMs === undefined) return { next: 'exhausted', disable, warn: false };
  const warn = counts && attempt === WARNING_ATTEMPT;
  return { next: 'retry', waitMs: computeWait(plannedMs, failed, random), disable, warn };
}

function computeWait(plannedMs: number, { status, retryAfterMs = 0 }: FailedAttempt, random: number): number {
  const requestedMs = status !== undefined && RETRY_AFTER_STATUSES.has(status) ? retryAfterMs : 0;
  const atLeastMs = Math.min(Math.max(plannedMs, requestedMs), plannedMs * RETRY_AFTER_FACTOR_MAX);
  return Math.ceil(atLeastMs + plannedMs * JITTER_MAX * random);
}

/** State of the webhook when an attempt is due; `gone`: it was removed. */
export type WebhookState = 'active' | 'disabled' | 'gone';

/**
 * Decides about a due attempt. While the webhook is disabled, due deliveries are skipped; after the
 * disabling attempt they are exhausted. Replays are made anyway, because a user requested them.
 */
export function decideBeforeAttempt(
  due: { readonly attempt: number; readonly kind: DeliveryKind; readonly superseded: boolean },
  webhook: WebhookState,
): 'send' | Exclude<DeliveryStatus, 'pending' | 'delivered' | 'quarantined'> {
  if (due.kind === 'one_off') return 'send';
  if (webhook === 'gone') return 'canceled';
  if (due.kind === 'replay' || due.kind === 'test') return 'send';
  if (due.superseded) return 'superseded';
  if (webhook === 'active') return 'send';
  return due.attempt > DISABLING_ATTEMPT ? 'exhausted' : 'skipped';
}
