// Removes the webhook data of conversations: event bodies and answers of receivers. Runs in the
// transaction of a purge.
import type { Sql } from '@parley/server/postgres';

/** Returns the number of deleted events. Deliveries in flight complete without a trace. */
export async function purgeWebhookTraces(
  sql: Sql,
  organizationId: string,
  conversationIds: readonly string[],
): Promise<number> {
  const [purged] = await sql<{ count: number; deliveries: string[] | null }>(
    `WITH event AS (
       DELETE FROM webhook_events AS event WHERE event.organization_id = $1 AND event.conversation_id = ANY($2::text[])
       RETURNING event.delivery_ids
     ), delivery AS (
       DELETE FROM webhook_deliveries USING event, unnest(event.delivery_ids) AS member (id)
       WHERE webhook_deliveries.id = member.id
     ), attempt AS (
       DELETE FROM webhook_delivery_attempts USING event, unnest(event.delivery_ids) AS member (id)
       WHERE webhook_delivery_attempts.delivery_id = member.id
     )
     SELECT count(*)::int AS count, (SELECT array_agg(id) FROM event, unnest(delivery_ids) AS member (id)) AS deliveries FROM event`,
    [organizationId, conversationIds],
  );
  // After the deliveries: finishing a delivery locks in the same order.
  await sql('DELETE FROM webhook_delivery_orders WHERE delivery_id = ANY($1::text[])', [
    purged?.deliveries ?? [],
  ]);
  return purged?.count ?? 0;
}
