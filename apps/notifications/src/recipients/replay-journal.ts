// Applies the journal after a restore (docs/recovery.md#the-journal): suppressions, unsubscribes
// and erased recipients. Entries hold digests of addresses, so a suppression comes back without its
// address, and works all the same.
import type { ApplyEntries } from '@parley/platform/journal';
import type { Deps } from '../deps.ts';
import type { Choices } from '../people/opt-out.rules.ts';
import { eraseRecipient } from './manage-recipients.ts';
import { changeChoices } from './preferences.ts';

const suppressAgain: ApplyEntries = async (sql, organizationId, entries) => {
  await sql(
    `INSERT INTO suppressions (id, organization_id, address_hash, reason, source, created_at)
     SELECT id, $1, decode(hash, 'hex'), reason, source, at
     FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
       AS given (id, hash, reason, source, at)
     ON CONFLICT DO NOTHING`,
    [
      organizationId,
      entries.map(({ detail }) => detail['id']),
      entries.map(({ subject }) => subject),
      entries.map(({ detail }) => detail['reason']),
      entries.map(({ detail }) => detail['source']),
      entries.map(({ at }) => at),
    ],
  );
};

const liftAgain: ApplyEntries = async (sql, organizationId, entries) => {
  await sql(
    `DELETE FROM suppressions USING unnest($2::text[], $3::text[]) AS given (hash, reason)
     WHERE organization_id = $1 AND address_hash = decode(given.hash, 'hex') AND suppressions.reason = given.reason`,
    [organizationId, entries.map(({ subject }) => subject), entries.map(({ detail }) => detail['reason'])],
  );
};

export function createJournal(deps: Deps): Readonly<Record<string, ApplyEntries>> {
  return {
    address_suppressed: suppressAgain,
    suppression_removed: liftAgain,
    recipient_erased: async (sql, organizationId, entries) => {
      for (const { subject } of entries) await eraseRecipient(deps, sql, organizationId, subject);
    },
    preferences_changed: async (sql, organizationId, entries) => {
      for (const { subject, detail } of entries)
        await changeChoices(deps, sql, organizationId, subject, () => detail as unknown as Choices);
    },
  };
}
