// What every use case needs but the channels, which are built on it (deps.ts).
import type { StreamNotifier, StreamHub } from '@parley/server/event-streams';
import type { Outbound } from '@parley/outbound';
import type { Platform, QueueSide } from '@parley/platform';
import type { FairQueue } from '@parley/server/runtime';
import type { Settings } from '@parley/server/organizations';
import type { Reader } from './callers/reader.ts';
import type { Config } from './config.ts';
import type { Push } from './push-engine/push.ts';
import type { TemplateRenderer } from './rendering/template-renderer.ts';

export interface BaseDeps extends Platform<Config>, QueueSide {
  /** Requests to addresses that customers supplied. */
  readonly outbound: Outbound;
  /** The body behind a URL of Amazon SNS; undefined when it cannot be fetched. */
  fetchAmazon(url: string): Promise<string | undefined>;
  readonly settings: Settings;
  readonly renderer: TemplateRenderer;
  /** Limits the memory of attachments that mails fetch. */
  readonly attachmentPlaces: FairQueue;
  /** Signals a commit that changed an inbox; the streams of every replica then read it. */
  readonly inboxBell: StreamNotifier;
  /** The open event streams of this replica. */
  readonly inboxHub: StreamHub<Reader>;
  /** Null where web push is off. */
  readonly push: Push | null;
  /** From 0 to below 1: the jitter of retries. */
  readonly random: () => number;
  readonly count: Count;
  /** A worker's claim of a delivery holds this long without renewal. */
  readonly leaseMs: number;
  /** Interval at which due deliveries without a job are re-enqueued. */
  readonly sweepMs: number;
}

export interface Count {
  /** Counts a notification accepted over the API or from another service's message. */
  accepted(source: string): void;
  /** Counts one attempt on one channel: `sent`, `delivered`, `retry`, `failed` … */
  attempted(channel: string, outcome: string): void;
  /** Counts events of a mail provider that belong to no known mail. */
  mailEventsUnmatched(provider: string, events: number): void;
  /** Counts a reader's first `opened`, `clicked` or `dismissed`. */
  engaged(channel: string, event: string): void;
}
