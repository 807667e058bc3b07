// Which conversations were deleted, as digests of their ids (docs/voice-api.md#deletion): an event that was held up on its way must
// not make one of them again. The caller holds the transaction.
import { createHash } from 'node:crypto';
import type { Sql } from '@parley/postgres';
import { keyText, type ConversationKey } from '../conversation-rows.ts';

function digestOf(key: ConversationKey): string {
  return createHash('sha256').update(keyText(key)).digest('hex');
}

/** In the transaction that deletes them, after their rows are locked. */
export async function rememberDeleted(sql: Sql, keys: readonly ConversationKey[], now: Date): Promise<void> {
  await sql(
    `INSERT INTO deleted_conversations (organization_id, digest, deleted_at)
     SELECT key.o, decode(key.d, 'hex'), $3 FROM unnest($1::text[], $2::text[]) AS key (o, d) ON CONFLICT DO NOTHING`,
    [keys.map(({ organizationId }) => organizationId), keys.map(digestOf), now],
  );
}

/** Of these, the ones that were deleted, by keyText; the rows that their late events made are taken away again. */
export async function refuseDeleted(
  sql: Sql,
  keys: readonly ConversationKey[],
): Promise<ReadonlySet<string>> {
  const digests = keys.map(digestOf);
  const rows = await sql<{ digest: string }>(
    `SELECT encode(gone.digest, 'hex') AS digest FROM deleted_conversations AS gone
     JOIN unnest($1::text[], $2::text[]) AS key (o, d)
       ON gone.organization_id = key.o AND gone.digest = decode(key.d, 'hex')`,
    [keys.map(({ organizationId }) => organizationId), digests],
  );
  const found = new Set(rows.map(({ digest }) => digest));
  const gone = keys.filter((_, at) => found.has(digests[at]!));
  if (gone.length > 0) await deleteRows(sql, gone);
  return new Set(gone.map(keyText));
}

/** Conversations that were made by events that are not taken. */
export async function deleteRows(sql: Sql, keys: readonly ConversationKey[]): Promise<void> {
  await sql(
    `DELETE FROM conversations USING unnest($1::text[], $2::text[]) AS key (o, c)
     WHERE conversations.organization_id = key.o AND conversations.id = key.c`,
    [keys.map(({ organizationId }) => organizationId), keys.map(({ conversationId }) => conversationId)],
  );
}
