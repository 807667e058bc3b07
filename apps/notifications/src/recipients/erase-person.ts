// Erases a person whom another service has erased
// (docs/notifications.md#erasure-of-a-person), in the transaction of the message person.erased. A
// repeated message finds nothing.
import type { Payload } from '@parley/jobs';
import type { Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import { eraseSuppressedAddress } from '../people/suppression.ts';
import { eraseRecipient } from './manage-recipients.ts';

export async function erasePerson(
  deps: Pick<Deps, 'dataSealer'>,
  sql: Sql,
  organizationId: string,
  { user_ids: userIds, emails }: Payload<'person.erased'>,
): Promise<void> {
  for (const userId of userIds) await eraseRecipient(deps, sql, organizationId, userId);
  for (const email of emails) await eraseSuppressedAddress(sql, organizationId, email);
  await sql(ERASE, [organizationId, userIds]);
}

/** Inbox, devices and push history. */
const ERASE = `
  WITH items AS (DELETE FROM in_app_items WHERE organization_id = $1 AND user_id = ANY($2::text[])),
    receipts AS (DELETE FROM in_app_receipts WHERE organization_id = $1 AND user_id = ANY($2::text[])),
    changes AS (DELETE FROM in_app_changes WHERE organization_id = $1 AND user_id = ANY($2::text[])),
    devices AS (DELETE FROM push_subscriptions WHERE organization_id = $1 AND user_id = ANY($2::text[]))
  DELETE FROM push_history WHERE organization_id = $1 AND user_id = ANY($2::text[])`;
