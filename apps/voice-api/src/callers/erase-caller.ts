// DELETE /v1/callers/{caller_id} (docs/voice-api.md#callers): erases all conversations of a caller
// and certifies it.
import { createHash } from 'node:crypto';
import { audit } from '@parley/server/audit';
import { voiceApiDialect } from '@parley/envelopes';
import { contracts, type Payload } from '@parley/jobs';
import type { Caller as Credential } from '@parley/server/http';
import { deleteConversations } from '../conversations/changes/delete-conversations.ts';
import type { Deps } from '../conversations/deps.ts';

/**
 * Works for ten seconds, and is repeated until `complete`. Conversations under a legal hold stay.
 * The certificate says that nothing of the caller is left, so a repeated request gets one too. It
 * names the caller by a digest, so that it may be stored.
 */
export async function eraseCaller(deps: Deps, credential: Credential, id: string, dryRun: boolean) {
  const filter = { caller: id };
  const { matched, matched_is_at_least, next_cursor, erased, held } = await deleteConversations(
    deps,
    credential,
    {
      filter,
      dry_run: dryRun,
    },
  );
  const counted = {
    matched,
    ...(matched_is_at_least ? { matched_is_at_least } : {}),
    ...(held === undefined ? {} : { held }),
  };
  if (dryRun || erased === undefined)
    return { id, dry_run: true, complete: false, ...counted, certificate: null };
  if (next_cursor !== null || held !== undefined)
    return { id, dry_run: false, complete: false, ...counted, erased, certificate: null };
  const { organizationId } = credential;
  const digest = createHash('sha256')
    .update(JSON.stringify([organizationId, id]))
    .digest('hex');
  await deps.transact(async (sql) => {
    await audit(sql, deps, credential, {
      action: 'caller.erased',
      target: digest,
      details: { count: erased.conversations },
    });
    // The sweeper sends it within seconds.
    const person = credential.botIds === undefined ? toPerson(id) : null;
    if (person)
      await deps.outbox.write(sql, [{ contract: 'person.erased', organizationId, payload: person }]);
  });
  const completed_at = voiceApiDialect.time(new Date(deps.clock()));
  const certificate = { organization_id: organizationId, caller_sha256: digest, completed_at, erased };
  return { id, dry_run: false, complete: true, ...counted, erased, certificate };
}

/**
 * Ids that notifications may know the caller by: without their kind. Null: no id of theirs is like
 * this one.
 */
function toPerson(id: string): Payload<'person.erased'> | null {
  const name = id.slice(id.indexOf(':') + 1);
  const person = { user_ids: [name], emails: id.startsWith('mailto:') ? [name] : [] };
  return contracts['person.erased'].payload.safeParse(person).data ?? null;
}
