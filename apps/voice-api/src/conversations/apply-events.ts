// Takes conversation events in: each is applied once, together with the webhook deliveries and figures that follow from it, in the
// caller's transaction (docs/voice-api.md#conversation-events). Set-based: about ten statements a batch, most of which are sent together.
import type { Code } from '@parley/envelopes';
import type { Sql } from '@parley/postgres';
import type { Config } from '../config.ts';
import type { Conversation, Folded } from './conversation.ts';
import { foldEvents, MAX_DURATION_SECONDS, reapAt } from './conversation.rules.ts';
import { keyText, lockConversations, readMaxDurations, type ConversationKey } from './conversation-rows.ts';
import { deleteRows, refuseDeleted } from './changes/deleted-conversations.ts';
import {
  eventKey,
  forgetEvents,
  insertEvents,
  overtakenInterims,
  type ConversationEventRow,
} from './event-rows.ts';
import { eventsOfOthers } from './events/bound-keys.rules.ts';
import { readSelections } from '../deliveries/outgoing-events.ts';
import { writeConversations, type Rings } from './write-conversations.ts';

/** Why one event is not taken: whoever reported it is told, each time. */
export type Refusal = Extract<Code, 'conversation_too_large' | 'conversation_deleted' | 'bot_not_of_key'>;

/** Each by eventKey. */
export interface Applied {
  /** The events that were new, and taken. */
  readonly added: ReadonlySet<string>;
  readonly refused: ReadonlyMap<string, Refusal>;
  /** Of those that were taken, the ones that changed nothing. */
  readonly ignored: ReadonlySet<string>;
  readonly rings: Rings;
}

const NOTHING: Applied = {
  added: new Set(),
  refused: new Map(),
  ignored: new Set(),
  rings: { deliveries: [], notices: undefined, feeds: [] },
};

/**
 * `incoming` may name conversations of several organisations. An event that is known by its id is left out. `botIds`: of the key that
 * reports them, where it is bound.
 */
export async function applyEvents(
  deps: Parameters<typeof writeConversations>[0] & { readonly config: Pick<Config, 'TRANSCRIPT_SETTLE'> },
  sql: Sql,
  incoming: readonly ConversationEventRow[],
  botIds?: readonly string[],
): Promise<Applied> {
  const nowMs = deps.clock();
  const once = new Map<string, ConversationEventRow>();
  for (const row of incoming) {
    const id = eventKey(row.organizationId, row.event.id);
    if (!once.has(id)) once.set(id, row);
  }
  if (once.size === 0) return NOTHING;
  const keys = keysOf(once.values());
  const [added, locked, webhooks, gone] = await Promise.all([
    insertEvents(sql, [...once.values()], new Date(nowMs)),
    lockConversations(sql, keys, new Date(nowMs)),
    readSelections(sql, keys),
    refuseDeleted(sql, keys), // runs under their locks: a deletion that was under way has committed
  ]);
  const groups = new Map<string, ConversationEventRow[]>();
  const refused = new Map<string, Refusal>();
  for (const [id, row] of once) {
    if (!added.has(id)) continue;
    const key = keyText({ organizationId: row.organizationId, conversationId: row.event.conversationId });
    const group = groups.get(key);
    if (gone.has(key)) refused.set(id, 'conversation_deleted');
    else if (group) group.push(row);
    else groups.set(key, [row]);
  }
  if (botIds) {
    for (const known of locked.conversations) {
      const key = keyText({ organizationId: known.organizationId, conversationId: known.id });
      const group = groups.get(key);
      if (!group) continue;
      const others = new Set(
        eventsOfOthers(
          known,
          group.map(({ event }) => event),
          botIds,
        ),
      );
      for (const { id } of others) refused.set(eventKey(known.organizationId, id), 'bot_not_of_key');
      const rest = group.filter(({ event }) => !others.has(event));
      if (rest.length > 0) groups.set(key, rest);
      else groups.delete(key);
    }
  }
  // Made here, and nothing of it is taken: its events were known, or are refused.
  const forNothing = keys.filter((key) => locked.made.has(keyText(key)) && !groups.has(keyText(key)));
  if (forNothing.length > 0) await deleteRows(sql, forNothing);
  const before = locked.conversations.filter(({ organizationId, id }) =>
    groups.has(keyText({ organizationId, conversationId: id })),
  );
  const late = await overtakenInterims(sql, [...groups.values()].flat());
  const folded = before.map((conversation) => {
    const { organizationId, id: conversationId } = conversation;
    const rows = groups.get(keyText({ organizationId, conversationId }))!;
    const events = rows.map(({ event, trace }) => ({ ...event, trace }));
    const overtaken = new Set(
      late.size === 0 ? [] : events.flatMap(({ id }) => (late.has(eventKey(organizationId, id)) ? [id] : [])),
    );
    return foldEvents(conversation, events, nowMs, deps.config.TRANSCRIPT_SETTLE * 1000, overtaken);
  });
  const timed = await withDeadlines(sql, before, folded, nowMs);
  const ignored = new Set<string>();
  for (const { conversation, ...one } of folded) {
    const key = (id: string) => eventKey(conversation.organizationId, id);
    for (const id of one.ignored) ignored.add(key(id));
    for (const id of one.refused) refused.set(key(id), 'conversation_too_large');
  }
  const forgotten = [...refused.keys()];
  await forgetEvents(sql, forgotten);
  for (const key of forgotten) {
    added.delete(key);
    ignored.delete(key);
  }
  return { added, refused, ignored, rings: await writeConversations(deps, sql, timed, nowMs, { webhooks }) };
}

/** Of their conversations, each once. */
function keysOf(rows: Iterable<ConversationEventRow>): ConversationKey[] {
  const keys = new Map<string, ConversationKey>();
  for (const { organizationId, event } of rows) {
    const key = { organizationId, conversationId: event.conversationId };
    keys.set(keyText(key), key);
  }
  return [...keys.values()];
}

/** Conversations that have not ended get the moment at which the reaper ends them; bots are read only where it may have moved. */
async function withDeadlines(
  sql: Sql,
  before: readonly Conversation[],
  folded: readonly Folded[],
  nowMs: number,
): Promise<Folded[]> {
  const moved = folded.filter(({ conversation: after }, position) => {
    const old = before[position]!;
    return (
      after.endedAt === null &&
      (old.dueAt === null || old.botId !== after.botId || old.startedAt !== after.startedAt)
    );
  });
  const bots = new Map(
    moved.flatMap(({ conversation: { organizationId, botId } }) =>
      botId === null ? [] : [[JSON.stringify([organizationId, botId]), { organizationId, botId }]],
    ),
  );
  const durations = await readMaxDurations(sql, [...bots.values()]);
  const late = new Set(moved);
  return folded.map((one) => {
    if (!late.has(one)) return one;
    const { organizationId, botId } = one.conversation;
    const seconds = durations.get(JSON.stringify([organizationId, botId])) ?? MAX_DURATION_SECONDS;
    return { ...one, conversation: { ...one.conversation, dueAt: reapAt(one.conversation, seconds, nowMs) } };
  });
}
