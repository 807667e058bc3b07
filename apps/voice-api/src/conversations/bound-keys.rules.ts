// Decides which events a key that is bound to bots may report (docs/platform.md#bound-keys). Pure.
import type { Conversation, ReportedEvent } from '../conversation-model/conversation.ts';

type KnownConversation = Pick<Conversation, 'botId' | 'dueAt' | 'settledAt' | 'sequence'>;

/** Nothing was reported of it before. Reported conversations are due until they are settled. */
function isNew({ dueAt, settledAt, sequence }: KnownConversation): boolean {
  return dueAt === null && settledAt === null && sequence === 0;
}

/**
 * Returns the events that a key of `botIds` may not report: all if the conversation belongs to
 * another bot. A conversation without a bot is out of reach, unless it is new and one of the events
 * names a bot of the key.
 */
export function findForeignEvents(
  known: KnownConversation,
  events: readonly ReportedEvent[],
  botIds: readonly string[],
): readonly ReportedEvent[] {
  const isOurs = ({ botId }: Pick<KnownConversation, 'botId'>) => botId !== null && botIds.includes(botId);
  if (!isOurs(known) && !(isNew(known) && known.botId === null && events.some(isOurs))) return events;
  return events.filter((event) => event.botId !== null && !isOurs(event));
}
