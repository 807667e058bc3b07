// The ids of events: the same fact has the same id, however often it is worked out.
import { deriveId } from '@parley/server/runtime';
import type { EventType } from '../conversation-model/event-types.ts';

/** `cause` tells it from other events of its type: a reported event, a revision, or nothing. */
export function computeEventId(
  { organizationId, conversationId }: { readonly organizationId: string; readonly conversationId: string },
  type: EventType,
  cause: string,
): string {
  return deriveId('evt', [organizationId, conversationId], [type, cause]);
}
