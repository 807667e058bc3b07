// The dependencies of the use cases. Built once; importing this module opens no connection.
import { createStreamNotifier, createStreamHub } from '@parley/server/event-streams';
import type { Metrics } from '@parley/metrics';
import { createOutbound, outboundPolicy } from '@parley/outbound';
import { createPlatform, openQueueSide } from '@parley/platform';
import type { ServiceStart } from '@parley/server/runtime';
import { createSettings } from '@parley/server/organizations';
import type { BaseDeps, Count } from './base-deps.ts';
import { createChannels, type Channels } from './channels/channels.ts';
import type { Config } from './config.ts';
import { fetchAmazonBy, type FetchAmazon } from './channels/email/events/sns.ts';
import { createAttachmentPlaces } from './channels/email/attachments.ts';
import { TRACKING_LIMITS } from './engagements/tracking-limits.ts';
import { INBOX_CHANNEL, inboxSource } from './inbox-items/stream-events.ts';
import { createPush } from './push-engine/push.ts';
import { LEASE_MS, SWEEP_MS } from './config/delivery.ts';
import { createTemplateRenderer } from './rendering/template-renderer.ts';

export interface Deps extends BaseDeps {
  /** The channels of this deployment. */
  readonly channels: Channels;
}

/** What only tests change. */
export interface TestParts {
  /** Certificate authorities. Deployments set NODE_EXTRA_CA_CERTS. */
  readonly ca?: string | undefined;
  readonly leaseMs?: number | undefined;
  readonly sweepMs?: number | undefined;
  readonly heartbeatMs?: number | undefined;
  /** Stands in for the hosts of Amazon SNS, whose names no emulator can have. */
  readonly fetchAmazon?: FetchAmazon | undefined;
}

export async function createDeps(
  starting: ServiceStart<Config>,
  { ca, heartbeatMs, fetchAmazon, leaseMs = LEASE_MS, sweepMs = SWEEP_MS }: TestParts = {},
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
        workflows: 'workflows WHERE organization_id = $1',
        suppressions: 'suppressions WHERE organization_id = $1',
        topics: 'topics WHERE organization_id = $1',
        recurring_sends: 'recurring_sends WHERE organization_id = $1 AND due_at IS NOT NULL',
      },
      stored: [
        'notifications',
        'deliveries',
        'shared_contents',
        'in_app_items',
        'push_fanouts',
        'template_versions',
        'workflow_versions',
        'suppressions',
        'recurring_sends',
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
      streamsMax: config.STREAMS_MAX,
      heartbeatMs,
      ownerPhrase: 'of this inbox',
    },
    inboxSource(platform),
  );
  metrics.gauge('inbox_streams', 'Open event streams', [], (gauge) => gauge.set({}, inboxHub.count()));
  starting.life.onStop('inbox streams', () => inboxHub.close());
  const renderer = createTemplateRenderer();
  starting.life.onStop('template renderer', () => renderer.close());
  return {
    ...platform,
    ...openQueueSide(platform, 'notifications', starting.life),
    outbound,
    fetchAmazon: fetchAmazon ?? fetchAmazonBy(outbound),
    settings: createSettings({ ...platform, defaults: config.SETTING_DEFAULTS }),
    renderer,
    attachmentPlaces: createAttachmentPlaces(),
    channels: createChannels(config),
    push: await createPush(platform, { outbound, random: Math.random, life: starting.life }),
    inboxBell,
    inboxHub,
    random: Math.random,
    count: counters(metrics),
    leaseMs,
    sweepMs,
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
  const unmatched = metrics.counter(
    'mail_events_unmatched_total',
    'Events of mail providers that belong to no known mail, by provider',
    ['provider'],
  );
  return {
    mailEventsUnmatched: (provider, events) => unmatched.inc({ provider }, events),
    accepted: (source) => accepted.inc({ source }),
    attempted: (channel, outcome) => attempts.inc({ channel, outcome }),
    engaged: (channel, event) => engagements.inc({ channel, event }),
  };
}
