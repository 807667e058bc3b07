// Metadata, cost and recording of a conversation, of all that its events said of them (docs/voice-api.md#conversation-events): the
// later in the life of the conversation goes before, in whatever order they came; what a PATCH set stays. Pure.
import type { Conversation } from '../conversation.ts';

type Told = Pick<Conversation, 'metadata' | 'cost' | 'recordingUrl'>;

export function toldAlongside({
  facts,
  metadata,
  cost,
  recordingUrl,
}: Pick<Conversation, 'facts' | keyof Told>): Told {
  const { started, ended, ready, set = [] } = facts;
  // What a release before this one took from a start stands in the conversation only.
  const first = started && (started.metadata ?? metadata);
  return {
    metadata: set.includes('metadata') ? metadata : { ...first, ...ended?.metadata, ...ready?.metadata },
    cost: set.includes('cost') ? cost : (ready?.cost ?? ended?.cost ?? null),
    recordingUrl: set.includes('recordingUrl')
      ? recordingUrl
      : (ready?.recordingUrl ?? ended?.recordingUrl ?? null),
  };
}
