// What becomes of a delivery before and after an attempt: the one table of docs/voice-api.md#schedule. Pure.
import { z } from 'zod';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits after failed attempts 1, 2, 3, 4 and 5. */
export const RETRY_WAITS_MS: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  24 * HOUR_MS,
];

/** The failed attempt of a delivery that disables its webhook: "5 failed attempts in total". */
export const DISABLING_ATTEMPT = 5;
/** The failed attempt at which its organisation is told: half of those that disable. */
export const WARNING_ATTEMPT = Math.ceil(DISABLING_ATTEMPT / 2);
/** The receiver says that it will never be there again: nothing is sent to it any more. */
const GONE = 410;

/** A retry comes at most this share of its wait late, so that a crowd of failures does not come back at once; never early. */
export const JITTER_MAX = 0.1;

/** `Retry-After` may make a wait longer, up to this many times the planned one. */
export const RETRY_AFTER_FACTOR_MAX = 2;

/** Statuses of an answer on which `Retry-After` is believed. */
const ASKS_TO_WAIT: ReadonlySet<number> = new Set([429, 503]);

/**
 * `event`: an event for a webhook. `replay`: a repetition that somebody asked for; one attempt, which counts for nothing.
 * `one_off`: the flow builder's request to an address that is no webhook.
 */
export const deliveryKind = z.enum(['event', 'replay', 'test', 'one_off']);
export type DeliveryKind = z.output<typeof deliveryKind>;

/** Wire values of a delivery's status. */
export const deliveryStatus = z.enum([
  'pending', // an attempt is planned or under way
  'delivered', // answered with 2xx
  'skipped', // its webhook was disabled when it was due; replayable
  'superseded', // an interim that a later one of its turn overtook
  'exhausted', // failed for the last time; replayable
  'canceled', // its webhook is gone
  'quarantined', // workers died with it in hand; an operator may put it back
]);
export type DeliveryStatus = z.output<typeof deliveryStatus>;

/** What the schedule needs to know of an attempt that failed. */
export interface FailedAttempt {
  /** From 1. */
  readonly attempt: number;
  readonly kind: DeliveryKind;
  /** The event is a speech.interim: it never counts toward disabling. */
  readonly interim: boolean;
  /** HTTP status, if an answer had begun. */
  readonly status?: number | undefined;
  /** What the receiver asked for (Retry-After), from now. */
  readonly retryAfterMs?: number | undefined;
}

export type AfterFailure =
  | { readonly next: 'retry'; readonly waitMs: number; readonly disable: boolean; readonly warn: boolean }
  | { readonly next: 'exhausted'; readonly disable: boolean; readonly warn: false };

/**
 * | failed attempt | next attempt after | webhook |
 * | 1 2 3 4 | waitsMs[0…3] | stays active; after the third its organisation is told |
 * | 5 | waitsMs[4], made only if the webhook is active again by then (`beforeAttempt`) | is disabled |
 * | 6 | none: exhausted | is disabled again |
 *
 * 410 Gone is the last attempt and disables at once, also of an interim. A replay and a test have one attempt and disable nothing. An interim keeps the schedule and disables nothing. A one-off has no
 * webhook: nothing to disable and nobody who could re-enable, so all six attempts are made.
 * `random` in [0, 1) chooses the jitter.
 */
export function afterFailure(
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
  return { next: 'retry', waitMs: waitMs(plannedMs, failed, random), disable, warn };
}

function waitMs(plannedMs: number, { status, retryAfterMs = 0 }: FailedAttempt, random: number): number {
  const asked = status !== undefined && ASKS_TO_WAIT.has(status) ? retryAfterMs : 0;
  const atLeastMs = Math.min(Math.max(plannedMs, asked), plannedMs * RETRY_AFTER_FACTOR_MAX);
  return Math.ceil(atLeastMs + plannedMs * JITTER_MAX * random);
}

/** The webhook of a delivery as it is when an attempt is due; `gone` when it was removed. */
export type WebhookState = 'active' | 'disabled' | 'gone';

/**
 * Whether an attempt that is due is made. While the webhook is disabled, deliveries that fall due are skipped; the one that
 * has used up the attempts which disable a webhook had its last chance, and is exhausted. Replays are made all the same:
 * somebody asked for them.
 */
export function beforeAttempt(
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
