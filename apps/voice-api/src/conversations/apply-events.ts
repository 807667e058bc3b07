// Takes conversation events in: each is applied once, together with the webhook deliveries and figures that follow from it, in the
// caller's transaction (docs/voice-api.md#conversation-events). Set-based: about ten statements a batch.
import type { Sql } from '@parley/postgres';
import type { Deps } from '../deps.ts';
import type { Conversation, Folded } from './conversation.ts';
import { foldEvents, MAX_DURATION_SECONDS, reapAt } from './conversation.rules.ts';
import { keyText, lockConversations, readMaxDurations } from './conversation-rows.ts';
import {
  eventKey,
  forgetEvents,
  insertEvents,
  overtakenInterims,
  type ConversationEventRow,
} from './event-rows.ts';
import { writeConversations, type Rings } from './write-conversations.ts';

export interface Applied {
  /** How many of the events were new. */
  readonly accepted: number;
  /** Those that their conversation had no room for, by eventKey. */
  readonly refused: ReadonlySet<string>;
  readonly rings: Rings;
}

/** `incoming` may name conversations of several organisations. An event that is known by its id is left out. */
export async function applyEvents(
  deps: Pick<Deps, 'ids' | 'clock' | 'outbox' | 'config'>,
  sql: Sql,
  incoming: readonly ConversationEventRow[],
): Promise<Applied> {
  const nowMs = deps.clock();
  const once = new Map<string, ConversationEventRow>();
  for (const row of incoming) {
    const id = eventKey(row.organizationId, row.event.id);
    if (!once.has(id)) once.set(id, row);
  }
  const added =
    once.size === 0 ? new Set<string>() : await insertEvents(sql, [...once.values()], new Date(nowMs));
  if (added.size === 0)
    return { accepted: 0, refused: new Set(), rings: { deliveries: [], notices: undefined, feeds: [] } };

  const groups = new Map<string, ConversationEventRow[]>();
  for (const [id, row] of once) {
    if (!added.has(id)) continue;
    const key = keyText({ organizationId: row.organizationId, conversationId: row.event.conversationId });
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  const keys = [...groups.values()].map(([row]) => ({
    organizationId: row!.organizationId,
    conversationId: row!.event.conversationId,
  }));
  const before = await lockConversations(sql, keys, new Date(nowMs));
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
  const refused = folded.flatMap(({ conversation: { organizationId }, refused: ids }) =>
    ids.map((id) => ({ organizationId, id })),
  );
  await forgetEvents(sql, refused);
  return {
    accepted: added.size - refused.length,
    refused: new Set(refused.map(({ organizationId, id }) => eventKey(organizationId, id))),
    rings: await writeConversations(deps, sql, timed, nowMs),
  };
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
