// Kinds and statuses of deliveries, and whether a due attempt is made (docs/voice-api.md#schedule).
// Pure.
import { z } from 'zod';
import { DISABLING_ATTEMPT } from '../webhooks/disable.rules.ts';

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
