// The table `suppressions`: addresses of an organisation that get no mail
// (docs/notifications.md#suppressions). One row for each address and reason.
import type { Sql } from '@parley/server/postgres';
import { suppressionContext } from '@parley/server/sealed-columns';
import { hashAddress } from '../addresses/address-hash.ts';
import { getAddress } from '../addresses/mailbox.rules.ts';
import type { BaseDeps } from '../base-deps.ts';
import type { SuppressionReason, SuppressionSource } from './suppression.rules.ts';

export interface NewSuppression {
  readonly address: string;
  readonly reason: SuppressionReason;
  readonly source: SuppressionSource;
  /** Status code or event of the source. */
  readonly detail: string | null;
  readonly notificationId: string | null;
}

/** Suppressions by address, as it was spelled in `addresses`. */
export type Suppressed = ReadonlyMap<string, ReadonlySet<SuppressionReason>>;

/** Known suppressions stay as they are. @returns the number of new ones. */
export async function addSuppressions(
  { dataSealer, ids, clock, log }: Pick<BaseDeps, 'dataSealer' | 'ids' | 'clock' | 'log'>,
  sql: Sql,
  organizationId: string,
  given: readonly NewSuppression[],
): Promise<number> {
  if (given.length === 0) return 0;
  const rows = await Promise.all(
    given.map(async (one) => {
      const id = ids('sup');
      const address = getAddress(one.address);
      return {
        ...one,
        id,
        hash: hashAddress(organizationId, address),
        sealed: await dataSealer.seal(address, suppressionContext({ organizationId, id })),
      };
    }),
  );
  // In one order, so that two batches about the same addresses cannot deadlock.
  rows.sort((one, other) => Buffer.compare(one.hash, other.hash));
  const added = await sql<{ reason: string }>(
    `INSERT INTO suppressions (id, organization_id, address_hash, reason, source, detail, notification_id, sealed, created_at)
     SELECT id, $1::text, hash, reason, source, detail, notification_id, sealed, $2::timestamptz
     FROM unnest($3::text[], $4::bytea[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
       AS given (id, hash, reason, source, detail, notification_id, sealed)
     ON CONFLICT (organization_id, address_hash, reason) DO NOTHING RETURNING reason`,
    [
      organizationId,
      new Date(clock()),
      rows.map(({ id }) => id),
      rows.map(({ hash }) => hash),
      rows.map(({ reason }) => reason),
      rows.map(({ source }) => source),
      rows.map(({ detail }) => detail),
      rows.map(({ notificationId }) => notificationId),
      rows.map(({ sealed }) => sealed),
    ],
  );
  if (added.length > 0) {
    const reasons = [...new Set(added.map(({ reason }) => reason))];
    log.info({ organization_id: organizationId, addresses: added.length, reasons }, 'address.suppressed');
  }
  return added.length;
}

/** Runs no query without addresses. */
export async function findSuppressed(
  sql: Sql,
  organizationId: string,
  addresses: readonly string[],
): Promise<Suppressed> {
  if (addresses.length === 0) return new Map();
  const hashes = addresses.map((address) => hashAddress(organizationId, address));
  const rows = await sql<{ hash: string; reason: SuppressionReason }>(
    `SELECT encode(address_hash, 'hex') AS hash, reason FROM suppressions
     WHERE organization_id = $1 AND address_hash = ANY($2::bytea[])`,
    [organizationId, hashes],
  );
  const byHash = new Map<string, Set<SuppressionReason>>();
  for (const { hash, reason } of rows) byHash.set(hash, (byHash.get(hash) ?? new Set()).add(reason));
  return new Map(
    addresses.flatMap((address, index) => {
      const reasons = byHash.get(hashes[index]!.toString('hex'));
      return reasons ? [[address, reasons] as const] : [];
    }),
  );
}

/** Erases the address. Its digest stays, so that a new recipient with it gets no mail either. */
export async function eraseSuppressedAddress(
  sql: Sql,
  organizationId: string,
  address: string,
): Promise<void> {
  await sql(
    'UPDATE suppressions SET sealed = NULL, notification_id = NULL WHERE organization_id = $1 AND address_hash = $2',
    [organizationId, hashAddress(organizationId, address)],
  );
}
