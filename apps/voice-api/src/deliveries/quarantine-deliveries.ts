// Quarantines deliveries with which workers crashed, logs each and alerts the operators
// (docs/platform.md#quarantine).
import { raiseQuarantined } from '@parley/platform/alerts';
import type { Sql } from '@parley/server/postgres';
import type { Deps } from './deps.ts';

/** Runs in the transaction that quarantines their batches. */
export async function quarantineDeliveries(
  deps: Pick<Deps, 'clock' | 'log'>,
  sql: Sql,
  batchIds: readonly string[],
): Promise<void> {
  const rows = await sql<{ id: string; organization_id: string }>(
    `UPDATE webhook_deliveries AS delivery SET status = 'quarantined', finished_at = $2, next_attempt_at = NULL
     FROM (SELECT unnest(delivery_ids) AS id, round FROM webhook_delivery_batches WHERE id = ANY($1::text[])) AS member,
       webhook_events AS event
     WHERE delivery.id = member.id AND delivery.round = member.round AND delivery.status = 'pending' AND event.id = delivery.event_id
     RETURNING delivery.id, event.organization_id`,
    [batchIds, new Date(deps.clock())],
  );
  const quarantined = rows.map(({ id, organization_id: organizationId }) => ({
    organizationId,
    what: `delivery ${id}`,
  }));
  for (const { organizationId, what } of quarantined)
    deps.log.error({ organization_id: organizationId, what }, 'work.quarantined');
  await raiseQuarantined(sql, 'webhook_delivery_batches', quarantined);
}
