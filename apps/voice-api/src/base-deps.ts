// What every folder may use. Each folder adds its own in its deps.ts, and deps.ts builds all.
import type { StreamNotifier } from '@parley/server/event-streams';
import type { Platform, QueueSide } from '@parley/platform';
import type { Outbound } from '@parley/outbound';

export interface BaseDeps extends Platform, QueueSide {
  /** Requests to customers' addresses: webhooks and one-off deliveries. */
  readonly outbound: Outbound;
  /** Wakes up streams and feed readers of an organisation on every replica, after commits. */
  readonly feedNotifier: StreamNotifier;
}
