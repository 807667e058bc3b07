// What a key that is bound to bots may report (docs/platform.md#bound-keys). Pure.
import type { Conversation, ReportedEvent } from '../conversation.ts';

type Known = Pick<Conversation, 'botId' | 'dueAt' | 'settledAt' | 'sequence'>;

/** Nothing was reported of it before: what was is watched, until it is settled. */
function isNew({ dueAt, settledAt, sequence }: Known): boolean {
  return dueAt === null && settledAt === null && sequence === 0;
}

/**
 * Of the events of one conversation, those that a key of `botIds` may not report: all, where it belongs to another bot. One that
 * belongs to none is nobody's to take, unless it is made just now, and one of the events says for which bot.
 */
export function eventsOfOthers(
  known: Known,
  events: readonly ReportedEvent[],
  botIds: readonly string[],
): readonly ReportedEvent[] {
  const isOurs = ({ botId }: Pick<Known, 'botId'>) => botId !== null && botIds.includes(botId);
  if (!isOurs(known) && !(isNew(known) && known.botId === null && events.some(isOurs))) return events;
  return events.filter((event) => event.botId !== null && !isOurs(event));
}
