// The dependencies of the use cases of voice-api. Built once; importing connects nothing.
import { createStreamNotifier, createStreamHub } from '@parley/server/event-streams';
import type { LimitTimes } from '@parley/server/limits';
import { createPlatform, openQueueSide, watchPartitions } from '@parley/platform';
import { createOutbound, outboundPolicy } from '@parley/outbound';
import type { ServiceStart } from '@parley/server/runtime';
import { createBlockCache } from './analytics/block-cache.ts';
import type { Deps as AnalyticsDeps } from './analytics/deps.ts';
import { createRequestCounter, type RequestCounter } from './analytics/request-counter.ts';
import type { Config } from './config.ts';
import { eventCounter } from './conversations/event-counter.ts';
import { createDeliveryEnqueuer, deliveryBatches } from './deliveries/delivery-batches.ts';
import { createDeliveryMetrics } from './deliveries/delivery-metrics.ts';
import { DELIVERY_TABLES } from './deliveries/delivery-tables.ts';
import { createLargeBatches, type LargeBatches } from './conversations/large-batches.ts';
import { createLargeReads } from './conversations/read-transcripts.ts';
import { INTAKE, INTAKE_REQUESTS, INTAKE_WINDOW_MS } from './conversations/intake-limit.ts';
import type { Deps as ApplicationDeps } from './applications/deps.ts';
import type { Deps as FeedDeps } from './feed/deps.ts';
import { conversationSource, FEED_CHANNEL } from './feed/feed-events.ts';
import { createFeedWaits } from './feed/feed-waits.ts';
import { createRulesCache } from './retention/stored-rules.ts';
import { PORTAL, PORTAL_REQUESTS, PORTAL_WINDOW_MS } from './applications/portal-limit.ts';
import { createWebhookCache } from './webhooks/webhook-cache.ts';

export interface Deps extends AnalyticsDeps, FeedDeps, ApplicationDeps {
  readonly config: Config;
  /** Counts API requests for the usage figures. */
  readonly requestCounter: RequestCounter;
  readonly largeBatches: LargeBatches;
}

interface TestTimes extends Partial<LimitTimes> {
  readonly intakeWindowMs?: number;
  readonly heartbeatMs?: number | undefined;
}

/** The second argument is for tests; `times` replace the windows of limits. */
export async function createDeps(
  starting: ServiceStart<Config>,
  { heartbeatMs, intakeWindowMs = INTAKE_WINDOW_MS, ...times }: TestTimes = {},
): Promise<Deps> {
  const platform = await startPlatform(starting, intakeWindowMs, times);
  const outbound = createOutbound({
    policy: outboundPolicy(platform.config),
    log: platform.log,
    headerSecrets: { secrets: platform.secrets, place: platform.config.FLOW_SECRETS },
  });
  starting.life.onStop('outbound', () => outbound.close());
  const queueSide = openQueueSide(platform, 'voice-api', starting.life);
  const deliveryEnqueuer = createDeliveryEnqueuer(deliveryBatches({ ...platform, ...queueSide }));
  starting.life.onStop('delivery enqueuer', () => deliveryEnqueuer.close());
  const feedNotifier = createStreamNotifier(platform, FEED_CHANNEL);
  starting.life.onStop('feed notifier', () => feedNotifier.close());
  const retentionRules = createRulesCache(platform);
  const conversationHub = createStreamHub(
    {
      ...platform,
      random: Math.random,
      streamsMax: platform.config.STREAMS_MAX,
      heartbeatMs,
      ownerPhrase: 'of this conversation',
    },
    conversationSource({ ...platform, retentionRules }),
  );
  platform.metrics.gauge('conversation_streams', 'Open event streams', [], (gauge) =>
    gauge.set({}, conversationHub.count()),
  );
  starting.life.onStop('event streams', () => conversationHub.close());
  watchPartitions(platform, DELIVERY_TABLES);
  const requestCounter = createRequestCounter(platform);
  starting.life.onStop('request counts', () => requestCounter.close());
  const countEvents = eventCounter(platform.metrics);
  const largeBatches = createLargeBatches({
    ...platform,
    ...queueSide,
    deliveryEnqueuer,
    feedNotifier,
    countEvents,
  });
  starting.life.onStop('large batches', () => largeBatches.close());
  return {
    ...platform,
    ...queueSide,
    largeBatches,
    largeReads: createLargeReads(),
    requestCounter,
    blockCache: createBlockCache(),
    outbound,
    webhookCache: createWebhookCache(platform),
    retentionRules,
    deliveryEnqueuer,
    feedNotifier,
    feedWaits: createFeedWaits(platform.listener),
    conversationHub,
    deliveryMetrics: createDeliveryMetrics(platform.metrics),
    countEvents,
  };
}

function startPlatform(starting: ServiceStart<Config>, intakeWindowMs: number, times: Partial<LimitTimes>) {
  return createPlatform(
    {
      name: 'voice-api',
      product: 'va',
      counted: {
        bots: 'bots WHERE organization_id = $1',
        webhooks: 'webhooks WHERE organization_id = $1 AND application_id IS NULL',
        applications: 'applications WHERE organization_id = $1',
        application_webhooks: 'webhooks WHERE organization_id = $1 AND application_id IS NOT NULL',
        import_tokens: 'import_tokens WHERE organization_id = $1 AND revoked_at IS NULL',
      },
      stored: [
        'conversations',
        'conversation_events',
        'turns',
        'conversation_turns',
        'webhook_events',
        'export_parts',
        'bot_versions',
        'import_reports',
      ],
      classes: {
        [INTAKE]: { requests: INTAKE_REQUESTS, windowMs: intakeWindowMs },
        [PORTAL]: { requests: PORTAL_REQUESTS, windowMs: PORTAL_WINDOW_MS },
      },
      times,
    },
    starting,
  );
}
