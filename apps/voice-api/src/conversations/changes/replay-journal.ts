// Applies the journal after a restore (docs/recovery.md#the-journal): conversations that had been
// erased are erased again, without telling webhooks again; revoked import tokens end again.
import type { ApplyEntries } from '@parley/platform/journal';
import { eraseConversations, type EraseDeps } from './erase-conversations.ts';
import { computeDigest } from '../lock-conversations.ts';

/** Ids of one statement; a digest is a microsecond. */
const PAGE = 5_000;

const eraseAgain =
  (deps: EraseDeps): ApplyEntries =>
  async (sql, organizationId, entries) => {
    const digests = new Set(entries.map(({ subject }) => subject));
    await sql(
      `INSERT INTO deleted_conversations (organization_id, digest, deleted_at)
     SELECT $1, decode(digest, 'hex'), now() FROM unnest($2::text[]) AS given (digest) ON CONFLICT DO NOTHING`,
      [organizationId, [...digests]],
    );
    for (let after: string | undefined = ''; after !== undefined;) {
      const rows: { id: string }[] = await sql<{ id: string }>(
        'SELECT id FROM conversations WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3::int',
        [organizationId, after, PAGE],
      );
      const ids = rows
        .map(({ id }) => id)
        .filter((conversationId) => digests.has(computeDigest({ organizationId, conversationId })));
      await sql(
        `SELECT 1 FROM conversations WHERE organization_id = $1 AND id = ANY($2::text[]) ORDER BY id FOR UPDATE`,
        [organizationId, ids],
      );
      await eraseConversations(deps, sql, organizationId, ids);
      after = rows.length < PAGE ? undefined : rows.at(-1)!.id;
    }
  };

const revokeAgain: ApplyEntries = async (sql, organizationId, entries) => {
  await sql(
    `UPDATE import_tokens SET revoked_at = now(), secret = NULL
     WHERE organization_id = $1 AND id = ANY($2::text[]) AND revoked_at IS NULL`,
    [organizationId, entries.map(({ subject }) => subject)],
  );
};

/** How this service applies its kinds of entries. */
export const createJournal = (deps: EraseDeps): Readonly<Record<string, ApplyEntries>> => ({
  conversation_erased: eraseAgain(deps),
  import_token_revoked: revokeAgain,
});
