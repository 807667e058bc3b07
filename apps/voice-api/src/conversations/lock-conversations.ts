// Locks conversations and creates missing ones. Deleted ones are remembered as digests of their
// ids, so that a delayed event does not create one again (docs/voice-api.md#deletion). The caller
// holds the transaction.
import { createHash } from 'node:crypto';
import type { Sql } from '@parley/server/postgres';
import type { Conversation } from '../conversation-model/conversation.ts';
import {
  keyText,
  PLANNED_ROW,
  toConversation,
  type ConversationKey,
  type PlannedRow,
} from './conversation-rows.ts';

export interface LockedConversations {
  readonly conversations: readonly Conversation[];
  /** New ones, by keyText. */
  readonly created: ReadonlySet<string>;
}

/**
 * Creates missing conversations and locks all of them until the transaction ends. Every transaction
 * does both in the order of the keys, so batches with common conversations cannot deadlock.
 */
export async function lockConversations(
  sql: Sql,
  keys: readonly ConversationKey[],
  now: Date,
): Promise<LockedConversations> {
  const values = [keys.map((key) => key.organizationId), keys.map((key) => key.conversationId)];
  const [made, rows] = await Promise.all([
    sql<ConversationKey>(
      `INSERT INTO conversations (organization_id, id, status, metadata, facts, turn_count, revision, transcript_ready,
         sequence, start_sent, end_sent, counted, created_at, updated_at)
       SELECT key.o, key.c, 'initiated', '{}', '{}', 0, 0, false, 0, false, false, false, $3, $3
       FROM unnest($1::text[], $2::text[]) AS key (o, c) ORDER BY key.o, key.c
       ON CONFLICT DO NOTHING RETURNING organization_id AS "organizationId", id AS "conversationId"`,
      [...values, now],
    ),
    sql<PlannedRow>(
      `SELECT ${PLANNED_ROW} FROM conversations AS conversation
       JOIN unnest($1::text[], $2::text[]) AS key (o, c) ON conversation.organization_id = key.o AND conversation.id = key.c
       ORDER BY conversation.organization_id, conversation.id FOR UPDATE OF conversation`,
      values,
    ),
  ]);
  return { conversations: rows.map(toConversation), created: new Set(made.map(keyText)) };
}

export function computeDigest(key: ConversationKey): string {
  return createHash('sha256').update(keyText(key)).digest('hex');
}

/** Call in the deleting transaction, after locking the rows. */
export async function rememberDeleted(sql: Sql, keys: readonly ConversationKey[], now: Date): Promise<void> {
  await sql(
    `INSERT INTO deleted_conversations (organization_id, digest, deleted_at)
     SELECT key.o, decode(key.d, 'hex'), $3 FROM unnest($1::text[], $2::text[]) AS key (o, d) ON CONFLICT DO NOTHING`,
    [keys.map(({ organizationId }) => organizationId), keys.map(computeDigest), now],
  );
}

/** Returns the deleted `keys`, by keyText, and removes rows that their late events created. */
export async function findDeleted(sql: Sql, keys: readonly ConversationKey[]): Promise<ReadonlySet<string>> {
  const digests = keys.map(computeDigest);
  const rows = await sql<{ digest: string }>(
    `SELECT encode(deleted.digest, 'hex') AS digest FROM deleted_conversations AS deleted
     JOIN unnest($1::text[], $2::text[]) AS key (o, d)
       ON deleted.organization_id = key.o AND deleted.digest = decode(key.d, 'hex')`,
    [keys.map(({ organizationId }) => organizationId), digests],
  );
  const found = new Set(rows.map(({ digest }) => digest));
  const deleted = keys.filter((_, at) => found.has(digests[at]!));
  if (deleted.length > 0) await deleteRows(sql, deleted);
  return new Set(deleted.map(keyText));
}

/** Removes conversations whose events were all rejected. */
export async function deleteRows(sql: Sql, keys: readonly ConversationKey[]): Promise<void> {
  await sql(
    `DELETE FROM conversations USING unnest($1::text[], $2::text[]) AS key (o, c)
     WHERE conversations.organization_id = key.o AND conversations.id = key.c`,
    [keys.map(({ organizationId }) => organizationId), keys.map(({ conversationId }) => conversationId)],
  );
}
