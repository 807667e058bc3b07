// The dependencies of the use cases. Built once; importing this module opens no connection.
import {
  createStreamNotifier,
  createStreamHub,
  type StreamNotifier,
  type StreamHub,
} from '@parley/server/event-streams';
import type { Metrics } from '@parley/metrics';
import { createOutbound, outboundPolicy, type Outbound } from '@parley/outbound';
import { createPlatform, openQueueSide, type Platform, type QueueSide } from '@parley/platform';
import type { FairQueue, ServiceStart } from '@parley/server/runtime';
import { createSettings, type Settings } from '@parley/server/organizations';
import { createChannels, type Channels } from './channels/channels.ts';
import type { Config } from './config.ts';
import { createAttachmentPlaces } from './email/attachments.ts';
import { TRACKING_LIMITS } from './engagements/tracking-limits.ts';
import type { Reader } from './inbox/reader.ts';
import { INBOX_CHANNEL, inboxSource } from './inbox/stream-events.ts';
import { createPush, type Push } from './push/push-side.ts';
import { settingDefaults } from './notify/setting-defaults.ts';
import { createTemplateRenderer, type TemplateRenderer } from './templates/template-renderer.ts';

export interface Deps extends Platform<Config>, QueueSide {
  /** Requests to addresses that customers supplied. */
  readonly outbound: Outbound;
  readonly settings: Settings;
  readonly renderer: TemplateRenderer;
  /** Limits the memory of attachments that mails fetch. */
  readonly attachmentPlaces: FairQueue;
  /** The channels of this deployment. */
  readonly channels: Channels;
  /** Signals a commit that changed an inbox; the streams of every replica then read it. */
  readonly inboxBell: StreamNotifier;
  /** The open event streams of this replica. */
  readonly inboxHub: StreamHub<Reader>;
  /** Null where web push is off. */
  readonly push: Push | null;
  /** From 0 to below 1: the jitter of retries. */
  readonly random: () => number;
  readonly count: Count;
}

export interface Count {
  /** Counts a notification accepted over the API or from another service's message. */
  accepted(source: string): void;
  /** Counts one attempt on one channel: `sent`, `delivered`, `retry`, `failed` … */
  attempted(channel: string, outcome: string): void;
  /** Counts a reader's first `opened`, `clicked` or `dismissed`. */
  engaged(channel: string, event: string): void;
}

/** `ca`: certificate authorities for tests. Deployments set NODE_EXTRA_CA_CERTS. */
export async function createDeps(
  starting: ServiceStart<Config>,
  { ca }: { readonly ca?: string } = {},
): Promise<Deps> {
  const platform = await createPlatform(
    {
      name: 'notifications',
      product: 'nt',
      counted: {
        push_registrations: 'push_subscriptions WHERE organization_id = $1 AND gone_at IS NULL',
        recipients: 'recipients WHERE organization_id = $1',
        categories: 'categories WHERE organization_id = $1',
        templates: 'templates WHERE organization_id = $1',
        topics: 'topics WHERE organization_id = $1',
      },
      stored: [
        'notifications',
        'deliveries',
        'shared_contents',
        'in_app_items',
        'push_fanouts',
        'template_versions',
      ],
      classes: TRACKING_LIMITS,
    },
    starting,
  );
  const { config, log, metrics } = platform;
  const outbound = createOutbound({ policy: outboundPolicy(config), log, ca });
  starting.life.onStop('outbound', () => outbound.close());
  const inboxBell = createStreamNotifier(platform, INBOX_CHANNEL);
  starting.life.onStop('inbox bell', () => inboxBell.close());
  const inboxHub = createStreamHub(
    {
      ...platform,
      random: Math.random,
      streamsMax: config.INBOX_STREAMS_MAX,
      heartbeatMs: config.INBOX_HEARTBEAT_MS,
      ownerPhrase: 'of this inbox',
    },
    inboxSource(platform.sql),
  );
  metrics.gauge('inbox_streams', 'Open event streams', [], (gauge) => gauge.set({}, inboxHub.count()));
  starting.life.onStop('inbox streams', () => inboxHub.close());
  const renderer = createTemplateRenderer();
  starting.life.onStop('template renderer', () => renderer.close());
  return {
    ...platform,
    ...openQueueSide(platform, 'notifications', starting.life),
    outbound,
    settings: createSettings({ ...platform, defaults: settingDefaults(config) }),
    renderer,
    attachmentPlaces: createAttachmentPlaces(),
    channels: createChannels(config),
    push: await createPush(platform, { outbound, random: Math.random, life: starting.life }),
    inboxBell,
    inboxHub,
    random: Math.random,
    count: counters(metrics),
  };
}

function counters(metrics: Metrics): Count {
  const accepted = metrics.counter('notifications_accepted_total', 'Accepted notifications by source', [
    'source',
  ]);
  const attempts = metrics.counter('delivery_attempts_total', 'Delivery attempts by channel and outcome', [
    'channel',
    'outcome',
  ]);
  const engagements = metrics.counter(
    'engagements_total',
    'First opens, clicks and dismissals of each reader by channel',
    ['channel', 'event'],
  );
  return {
    accepted: (source) => accepted.inc({ source }),
    attempted: (channel, outcome) => attempts.inc({ channel, outcome }),
    engaged: (channel, event) => engagements.inc({ channel, event }),
  };
}
