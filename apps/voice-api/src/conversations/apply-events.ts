// Applies conversation events once each, with their webhook deliveries and figures, in the caller's
// transaction (docs/voice-api.md#conversation-events). A batch takes about ten statements, most of
// them sent together.
import type { Code } from '@parley/envelopes';
import type { Sql } from '@parley/server/postgres';
import type { Deps } from './deps.ts';
import type { Conversation, FoldResult } from '../conversation-model/conversation.ts';
import { foldEvents } from './conversation.rules.ts';
import { MAX_DURATION_SECONDS, reapAt } from './reaper.rules.ts';
import { keyText, readMaxDurations, type ConversationKey } from './conversation-rows.ts';
import { deleteRows, findDeleted, lockConversations } from './lock-conversations.ts';
import {
  eventKey,
  deleteEvents,
  insertEvents,
  findOvertakenInterims,
  type ConversationEventRow,
} from './event-rows.ts';
import { findForeignEvents } from './bound-keys.rules.ts';
import { readSelections } from '../webhooks/webhook-selections.ts';
import { writeConversations, type WakeUps } from './write-conversations.ts';

/** Why an event is rejected. Its reporter gets this code each time. */
export type RejectionCode = Extract<
  Code,
  'conversation_too_large' | 'conversation_deleted' | 'bot_not_of_key'
>;

/** All keys are those of eventKey. */
export interface ApplyResult {
  /** New events that were accepted. */
  readonly added: ReadonlySet<string>;
  readonly rejections: ReadonlyMap<string, RejectionCode>;
  /** Accepted events that changed nothing. */
  readonly ignored: ReadonlySet<string>;
  readonly wakeUps: WakeUps;
}

const NO_RESULT: ApplyResult = {
  added: new Set(),
  rejections: new Map(),
  ignored: new Set(),
  wakeUps: { deliveries: [], notices: undefined, feeds: [] },
};

/**
 * `incoming` may belong to several organisations. Known events are skipped. `botIds` are the bots
 * of the reporting key, if it is bound.
 */
export async function applyEvents(
  deps: Parameters<typeof writeConversations>[0] & {
    readonly config: Pick<Deps['config'], 'TRANSCRIPT_SETTLE'>;
  },
  sql: Sql,
  incoming: readonly ConversationEventRow[],
  botIds?: readonly string[],
): Promise<ApplyResult> {
  const nowMs = deps.clock();
  const once = new Map<string, ConversationEventRow>();
  for (const row of incoming) {
    const id = eventKey(row.organizationId, row.event.id);
    if (!once.has(id)) once.set(id, row);
  }
  if (once.size === 0) return NO_RESULT;
  const keys = listKeys(once.values());
  const [added, locked, webhooks, deleted] = await Promise.all([
    insertEvents(sql, [...once.values()], new Date(nowMs)),
    lockConversations(sql, keys, new Date(nowMs)),
    readSelections(sql, keys),
    // Runs under the locks of the conversations, so a concurrent deletion has committed.
    findDeleted(sql, keys),
  ]);
  const rejections = new Map<string, RejectionCode>();
  const groups = new Map<string, ConversationEventRow[]>();
  for (const [id, row] of once) {
    if (!added.has(id)) continue;
    const key = keyText({ organizationId: row.organizationId, conversationId: row.event.conversationId });
    const group = groups.get(key);
    if (deleted.has(key)) rejections.set(id, 'conversation_deleted');
    else if (group) group.push(row);
    else groups.set(key, [row]);
  }
  if (botIds) rejectForeign(locked.conversations, groups, botIds, rejections);
  // Created here, but all their events are known or rejected.
  const unused = keys.filter((key) => locked.created.has(keyText(key)) && !groups.has(keyText(key)));
  if (unused.length > 0) await deleteRows(sql, unused);
  const before = locked.conversations.filter(({ organizationId, id }) =>
    groups.has(keyText({ organizationId, conversationId: id })),
  );
  const late = await findOvertakenInterims(sql, [...groups.values()].flat());
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
  const ignored = collectIgnored(folded, rejections);
  await deleteEvents(sql, [...rejections.keys()]);
  for (const key of rejections.keys()) {
    added.delete(key);
    ignored.delete(key);
  }
  const wakeUps = await writeConversations(deps, sql, timed, nowMs, { webhooks });
  return { added, rejections, ignored, wakeUps };
}

/** Moves events that a key of `botIds` may not report from `groups` to `rejections`. */
function rejectForeign(
  conversations: readonly Conversation[],
  groups: Map<string, ConversationEventRow[]>,
  botIds: readonly string[],
  rejections: Map<string, RejectionCode>,
): void {
  for (const known of conversations) {
    const key = keyText({ organizationId: known.organizationId, conversationId: known.id });
    const group = groups.get(key);
    if (!group) continue;
    const events = group.map(({ event }) => event);
    const others = new Set(findForeignEvents(known, events, botIds));
    for (const { id } of others) rejections.set(eventKey(known.organizationId, id), 'bot_not_of_key');
    const rest = group.filter(({ event }) => !others.has(event));
    if (rest.length > 0) groups.set(key, rest);
    else groups.delete(key);
  }
}

/**
 * The events that changed nothing. Adds those that are too much for their conversation to
 * `rejections`.
 */
function collectIgnored(folded: readonly FoldResult[], rejections: Map<string, RejectionCode>): Set<string> {
  const collected = new Set<string>();
  for (const { conversation, ignored, rejected } of folded) {
    const key = (id: string) => eventKey(conversation.organizationId, id);
    for (const id of ignored) collected.add(key(id));
    for (const id of rejected) rejections.set(key(id), 'conversation_too_large');
  }
  return collected;
}

/** The conversations of these events, without duplicates. */
function listKeys(rows: Iterable<ConversationEventRow>): ConversationKey[] {
  const keys = new Map<string, ConversationKey>();
  for (const { organizationId, event } of rows) {
    const key = { organizationId, conversationId: event.conversationId };
    keys.set(keyText(key), key);
  }
  return [...keys.values()];
}

/** Sets the time at which the reaper ends open conversations, where it changed. */
async function withDeadlines(
  sql: Sql,
  before: readonly Conversation[],
  folded: readonly FoldResult[],
  nowMs: number,
): Promise<FoldResult[]> {
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
