// Remembers deleted conversations as digests of their ids, so that a delayed event does not create
// one again (docs/voice-api.md#deletion). The caller holds the transaction.
import { createHash } from 'node:crypto';
import type { Sql } from '@parley/server/postgres';
import { keyText, type ConversationKey } from '../conversation-rows.ts';

function computeDigest(key: ConversationKey): string {
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
