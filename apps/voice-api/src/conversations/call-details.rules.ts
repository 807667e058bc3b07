// Resolves metadata, cost and recording of a conversation from its events
// (docs/voice-api.md#conversation-events). Events later in the life of a conversation win in any
// order of arrival. Values set by PATCH stay. Pure.
import type { Conversation } from '../conversation-model/conversation.ts';

type StoredDetails = Pick<Conversation, 'metadata' | 'cost' | 'recordingUrl'>;

export function resolveCallDetails({
  facts,
  metadata,
  cost,
  recordingUrl,
}: Pick<Conversation, 'facts' | keyof StoredDetails>): StoredDetails {
  const { started, ended, ready, set = [] } = facts;
  return {
    metadata: set.includes('metadata')
      ? metadata
      : { ...started?.metadata, ...ended?.metadata, ...ready?.metadata },
    cost: set.includes('cost') ? cost : (ready?.cost ?? ended?.cost ?? null),
    recordingUrl: set.includes('recordingUrl')
      ? recordingUrl
      : (ready?.recordingUrl ?? ended?.recordingUrl ?? null),
  };
}
