// Dependencies of the feed and of event streams.
import type { StreamHub } from '@parley/server/event-streams';
import type { Deps as ConversationDeps } from '../conversations/deps.ts';
import type { StreamedConversation } from './feed-events.ts';
import type { FeedWaits } from './feed-waits.ts';

export interface Deps extends ConversationDeps {
  readonly feedWaits: FeedWaits;
  /** The open event streams of this replica. */
  readonly conversationHub: StreamHub<StreamedConversation>;
}
