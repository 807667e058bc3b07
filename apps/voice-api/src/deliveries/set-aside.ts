// Deliveries with which workers died (docs/platform.md#quarantine): each says so in its log, and its organisation is told.
import type { Sql } from '@parley/postgres';
import type { Deps } from '../deps.ts';
import { tellSetAside } from '../notices.ts';

/** In the transaction that sets their batches aside. Gives what is to be done after it. */
export async function deliveriesSetAside(
  deps: Pick<Deps, 'clock' | 'outbox' | 'log'>,
  sql: Sql,
  batchIds: readonly string[],
): Promise<() => void> {
  const rows = await sql<{ id: string; organization_id: string }>(
    `UPDATE webhook_deliveries AS delivery SET status = 'quarantined', finished_at = $2, next_attempt_at = NULL
     FROM (SELECT unnest(delivery_ids) AS id, round FROM webhook_delivery_batches WHERE id = ANY($1::text[])) AS member,
       webhook_events AS event
     WHERE delivery.id = member.id AND delivery.round = member.round AND delivery.status = 'pending' AND event.id = delivery.event_id
     RETURNING delivery.id, event.organization_id`,
    [batchIds, new Date(deps.clock())],
  );
  const told = rows.map(({ id, organization_id: organizationId }) => ({
    organizationId,
    what: `delivery ${id}`,
  }));
  return tellSetAside(deps, sql, told);
}
