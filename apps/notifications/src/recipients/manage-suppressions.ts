// GET, POST and DELETE /v1/suppressions: the addresses of an organisation that get no mail.
import { AppError, decodeCursor, notificationsDialect, toPage } from '@parley/envelopes';
import { audit } from '@parley/server/audit';
import type { Caller } from '@parley/server/http';
import { suppressionContext } from '@parley/server/sealed-columns';
import { hashAddress } from '../addresses/address-hash.ts';
import type { Deps } from '../deps.ts';
import { addSuppressions } from '../people/suppression.ts';
import type { SuppressionReason, SuppressionSource } from '../people/suppression.rules.ts';
import type { NewSuppressions, SuppressionListQuery } from './schemas.ts';

/** Enough to compare an address with an entry of the audit log. */
const HASH_CHARS = 16;

interface SuppressionRow {
  readonly id: string;
  readonly hash: Buffer;
  readonly reason: SuppressionReason;
  readonly source: SuppressionSource;
  readonly detail: string | null;
  readonly notificationId: string | null;
  readonly sealed: string | null;
  readonly createdAt: Date;
}

/** Newest first; `email` finds an address that was erased too. */
export async function listSuppressions(
  deps: Deps,
  { organizationId }: Caller,
  { email, reason, limit, cursor }: SuppressionListQuery,
) {
  const [beforeId] = cursor === undefined ? [null] : decodeCursor(cursor, 'text');
  const rows = await deps.sql<SuppressionRow>(
    `SELECT id, address_hash AS hash, reason, source, detail, notification_id AS "notificationId", sealed,
       created_at AS "createdAt" FROM suppressions
     WHERE organization_id = $1 AND ($2::text IS NULL OR id < $2) AND ($3::bytea IS NULL OR address_hash = $3)
       AND ($4::text IS NULL OR reason = $4)
     ORDER BY id DESC LIMIT $5::int`,
    [
      organizationId,
      beforeId,
      email === undefined ? null : hashAddress(organizationId, email),
      reason ?? null,
      limit + 1,
    ],
  );
  const views = await Promise.all(rows.map((row) => toWire(deps, organizationId, row)));
  return toPage(
    views,
    limit,
    ({ id }) => [id],
    (view) => view,
  );
}

async function toWire(
  { dataSealer }: Pick<Deps, 'dataSealer'>,
  organizationId: string,
  { id, sealed, hash, reason, source, detail, notificationId, createdAt }: SuppressionRow,
) {
  const context = suppressionContext({ organizationId, id });
  return {
    id,
    email: sealed === null ? null : await dataSealer.unseal(sealed, context),
    email_hash: hash.toString('hex').slice(0, HASH_CHARS),
    reason,
    source,
    detail,
    notification_id: notificationId,
    created_at: notificationsDialect.time(createdAt),
  };
}

/**
 * Only these count against the plan: a bounce or a complaint is always stored, since a refused one
 * would be mailed again.
 * @throws AppError limit_exceeded
 */
export async function suppressAddresses(deps: Deps, caller: Caller, { emails, reason }: NewSuppressions) {
  const { organizationId } = caller;
  const given = [...new Set(emails.map((email) => email.toLowerCase()))].map((address) => ({
    address,
    reason,
    source: 'api' as const,
    detail: null,
    notificationId: null,
  }));
  const added = await deps.transact(async (sql) => {
    const count = await addSuppressions(deps, sql, organizationId, given);
    if (count === 0) return 0;
    await deps.limits.caps.added(sql, organizationId, 'suppressions', 'limit_exceeded', count);
    const details = { reason, count };
    await audit(sql, deps, caller, { action: 'suppression.added', target: organizationId, details });
    return count;
  });
  return { added, known: given.length - added };
}

/** @throws AppError not_found */
export async function removeSuppression(deps: Deps, caller: Caller, id: string): Promise<void> {
  const { organizationId } = caller;
  await deps.transact(async (sql) => {
    const [removed] = await sql<Pick<SuppressionRow, 'hash' | 'reason'>>(
      `DELETE FROM suppressions WHERE organization_id = $1 AND id = $2 RETURNING address_hash AS hash, reason`,
      [organizationId, id],
    );
    if (!removed) throw new AppError('not_found', `there is no suppression "${id}"`);
    const details = { reason: removed.reason, email_hash: removed.hash.toString('hex').slice(0, HASH_CHARS) };
    await audit(sql, deps, caller, { action: 'suppression.removed', target: id, details });
  });
}
