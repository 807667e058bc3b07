// What is quarantined because workers died with it (docs/platform.md#quarantine): its delivery says so, and its operators get an
// alert. The rest of the organisation's work goes on.
import { raiseQuarantined } from '@parley/alerts';
import type { Sql } from '@parley/postgres';
import { markCallbacks } from '../callbacks/callback-rows.ts';
import type { Deps } from '../deps.ts';

const SET_ASIDE =
  'Workers ended without a word while they had it in hand. It is set aside until the operator puts it back.';

interface Quarantined {
  readonly id: string;
  readonly organization_id: string;
  readonly notification_id: string;
  readonly channel: string;
}

/** Deliveries that nobody attempts any more. */
export async function deliveriesSetAside(deps: Deps, sql: Sql, ids: readonly string[]): Promise<void> {
  const rows = await sql<Quarantined>(
    `UPDATE deliveries SET status = 'quarantined', last_error_class = 'quarantined', last_error = $2
     WHERE id = ANY($1::text[]) RETURNING id, organization_id, notification_id, channel`,
    [ids, SET_ASIDE],
  );
  await markCallbacks(
    sql,
    new Date(deps.clock()),
    rows.map((row) => row.notification_id),
  );
  await alertAll(deps, sql, 'deliveries', rows);
}

/** Parts of these deliveries, chunks or devices: the others go on, so the delivery is open until they are put back. */
export async function partsSetAside(
  deps: Deps,
  sql: Sql,
  table: 'push_chunks' | 'push_retries',
  deliveryIds: readonly string[],
): Promise<void> {
  const rows = await sql<Quarantined>(
    `UPDATE deliveries SET last_error_class = 'quarantined', last_error = $2
     WHERE id = ANY($1::text[]) RETURNING id, organization_id, notification_id, channel`,
    [deliveryIds, SET_ASIDE],
  );
  await alertAll(deps, sql, table, rows);
}

async function alertAll(deps: Pick<Deps, 'log'>, sql: Sql, table: string, rows: readonly Quarantined[]) {
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
