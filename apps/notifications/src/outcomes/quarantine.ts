// Marks deliveries that workers died with as quarantined and alerts operators
// (docs/platform.md#quarantine). Other work of the organisation continues.
import { raiseQuarantined } from '@parley/platform/alerts';
import type { Sql } from '@parley/server/postgres';
import type { BaseDeps } from '../base-deps.ts';
import { markCallbacks } from './settle-delivery.ts';

const QUARANTINED = 'Workers died while they sent it. It is quarantined until the operator releases it.';

interface Quarantined {
  readonly id: string;
  readonly organization_id: string;
  readonly notification_id: string;
  readonly channel: string;
}

/** Quarantines whole deliveries. They are not attempted again. */
export async function quarantineDeliveries(deps: BaseDeps, sql: Sql, ids: readonly string[]): Promise<void> {
  const rows = await sql<Quarantined>(
    `UPDATE deliveries SET status = 'quarantined', last_error_class = 'quarantined', last_error = $2
     WHERE id = ANY($1::text[]) RETURNING id, organization_id, notification_id, channel`,
    [ids, QUARANTINED],
  );
  await markCallbacks(
    sql,
    new Date(deps.clock()),
    rows.map((row) => row.notification_id),
  );
  await alertAll(deps, sql, 'deliveries', rows);
}

/** Other chunks and devices continue, so the delivery stays open. */
export async function quarantineParts(
  deps: BaseDeps,
  sql: Sql,
  table: 'push_chunks' | 'push_retries',
  deliveryIds: readonly string[],
): Promise<void> {
  const rows = await sql<Quarantined>(
    `UPDATE deliveries SET last_error_class = 'quarantined', last_error = $2
     WHERE id = ANY($1::text[]) RETURNING id, organization_id, notification_id, channel`,
    [deliveryIds, QUARANTINED],
  );
  await alertAll(deps, sql, table, rows);
}

async function alertAll(deps: Pick<BaseDeps, 'log'>, sql: Sql, table: string, rows: readonly Quarantined[]) {
  for (const { id, organization_id: organizationId, notification_id: notificationId, channel } of rows) {
    const facts = { id, organization_id: organizationId, notification_id: notificationId, channel };
    deps.log.error(facts, 'delivery.quarantined');
  }
  const named = rows.map((row) => ({
    organizationId: row.organization_id,
    what: `notification ${row.notification_id} over ${row.channel}`,
  }));
  await raiseQuarantined(sql, table, named);
}
