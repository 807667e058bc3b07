// Environment variables and dependencies of the feed and of event streams.
import type { StreamHub } from '@parley/server/event-streams';
import { integer } from '@parley/server/runtime';
import type { Deps as ConversationDeps } from '../conversations/deps.ts';
import type { StreamedConversation } from './feed-events.ts';
import type { FeedWaits } from './feed-waits.ts';

export const feedEnv = {
  STREAMS_MAX: integer(1, 100_000)
    .default(5_000)
    .describe('Maximum number of open event streams of a process'),
  STREAM_HEARTBEAT_MS: integer(100, 60_000)
    .default(15_000)
    .describe('Interval (ms) of heartbeats on a quiet event stream'),
} as const;

export interface Deps extends ConversationDeps {
  readonly feedWaits: FeedWaits;
  /** The open event streams of this replica. */
  readonly conversationHub: StreamHub<StreamedConversation>;
}
