// What the use cases of voice-api work with. Built once; nothing connects on import.
import { createPlatform, openQueueSide, type Platform, type QueueSide } from '@parley/platform';
import { createOutbound, outboundPolicy, type Outbound } from '@parley/outbound';
import type { Starting } from '@parley/runtime';
import { createRequestCounter, type RequestCounter } from './analytics/request-counter.ts';
import type { Config } from './config.ts';
import { eventCounter, type CountEvents } from './conversations/event-counter.ts';
import { createDeliveryBell, deliveryBatches, type DeliveryBell } from './deliveries/delivery-batches.ts';
import { createDeliveryMetrics, type DeliveryMetrics } from './deliveries/delivery-metrics.ts';
import { createWebhookCache, type WebhookCache } from './webhooks/webhook-cache.ts';
import { createLimits, type Limits, type LimitTimes } from './limits/limits.ts';

export interface Deps extends Platform<Config>, QueueSide {
  /** Requests to addresses of customers: webhooks and one-off deliveries. */
  readonly outbound: Outbound;
  /** Webhooks with their secrets opened, in memory. */
  readonly webhookCache: WebhookCache;
  /** Rings for deliveries that are committed. */
  readonly deliveryBell: DeliveryBell;
  readonly deliveryMetrics: DeliveryMetrics;
  /** Plans: how much an organisation may ask. */
  readonly limits: Limits;
  /** API requests for the usage figures. */
  readonly requestCounter: RequestCounter;
  /** Counts conversation events by what became of them. */
  readonly countEvents: CountEvents;
}

/** `limitTimes` makes the windows of the limits short: for tests. */
export async function createDeps(
  starting: Starting<Config>,
  limitTimes?: Partial<LimitTimes>,
): Promise<Deps> {
  const platform = await createPlatform({ name: 'voice-api', product: 'va' }, starting);
  const outbound = createOutbound({
    policy: outboundPolicy(platform.config),
    log: platform.log,
    headerSecrets: { secrets: platform.secrets, place: platform.config.FLOW_SECRETS },
  });
  starting.life.onStop('outbound', () => outbound.close());
  const queueSide = openQueueSide(platform, 'voice-api', starting.life);
  const deliveryBell = createDeliveryBell(deliveryBatches({ ...platform, ...queueSide }));
  starting.life.onStop('delivery bell', () => deliveryBell.close());
  const limits = await createLimits({
    ...platform,
    prefix: platform.config.QUEUE_PREFIX,
    ...(limitTimes ? { times: limitTimes } : {}),
  });
  starting.life.onStop('limits', () => limits.close());
  const requestCounter = createRequestCounter(platform);
  starting.life.onStop('request counts', () => requestCounter.close());
  return {
    ...platform,
    ...queueSide,
    limits,
    requestCounter,
    outbound,
    webhookCache: createWebhookCache(platform),
    deliveryBell,
    deliveryMetrics: createDeliveryMetrics(platform.metrics),
    countEvents: eventCounter(platform.metrics),
  };
}
