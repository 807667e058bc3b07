// Environment variables and dependencies of deliveries.
import { z } from 'zod';
import { integer, list } from '@parley/server/runtime';
import type { Deps as WebhookDeps } from '../webhooks/deps.ts';
import type { DeliveryEnqueuer } from './delivery-batches.ts';
import type { DeliveryMetrics } from './delivery-metrics.ts';
import { RETRY_WAITS_MS } from './retry-schedule.ts';

/** A day more than the longest planned wait. */
const WAIT_MS_MAX = 48 * 60 * 60_000;

const wait = z
  .string()
  .refine(
    (text) => /^\d{1,9}$/.test(text) && Number(text) <= WAIT_MS_MAX,
    `must be at most ${WAIT_MS_MAX} ms`,
  )
  .transform(Number);

export const deliveryEnv = {
  WEBHOOK_RETRY_WAITS_MS: list
    .pipe(z.array(wait).length(RETRY_WAITS_MS.length, `must be ${RETRY_WAITS_MS.length} waits`))
    .prefault(RETRY_WAITS_MS.join(','))
    .describe(
      'Waits after failed attempts 1 to 5 of a webhook delivery; use shorter ones only in development and tests',
    ),
  WEBHOOK_TIMEOUT_MS: integer(100, 60_000)
    .default(15_000)
    .describe('Time in which a webhook must answer; after a timeout its deliveries pause for as long'),
};

export interface Deps extends WebhookDeps {
  readonly config: WebhookDeps['config'] & z.output<z.ZodObject<typeof deliveryEnv>>;
  /** Enqueues committed deliveries. */
  readonly deliveryEnqueuer: DeliveryEnqueuer;
  readonly deliveryMetrics: DeliveryMetrics;
}
