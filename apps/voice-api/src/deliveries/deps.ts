// Environment variables and dependencies of deliveries.
import type { z } from 'zod';
import { integer, retryWaits } from '@parley/server/runtime';
import type { Deps as WebhookDeps } from '../webhooks/deps.ts';
import type { DeliveryEnqueuer } from './delivery-batches.ts';
import type { DeliveryMetrics } from './delivery-metrics.ts';
import { RETRY_WAITS_MS } from './retry-schedule.ts';

export const deliveryEnv = {
  DELIVERY_RETRY_WAITS_MS: retryWaits(RETRY_WAITS_MS.length, RETRY_WAITS_MS.length)
    .prefault(RETRY_WAITS_MS.join(','))
    .describe(
      'Waits after failed attempts 1 to 5 of a webhook delivery; use shorter ones only in development and tests',
    ),
  DELIVERY_TIMEOUT_MS: integer(100, 60_000)
    .default(15_000)
    .describe('Time in which a webhook must answer; after a timeout its deliveries pause for as long'),
};

export interface Deps extends WebhookDeps {
  readonly config: WebhookDeps['config'] & z.output<z.ZodObject<typeof deliveryEnv>>;
  /** Enqueues committed deliveries. */
  readonly deliveryEnqueuer: DeliveryEnqueuer;
  readonly deliveryMetrics: DeliveryMetrics;
}
