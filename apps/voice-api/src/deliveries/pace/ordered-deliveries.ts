// Webhooks with ordered deliveries (docs/voice-api.md#in-order). Each conversation has a queue of
// deliveries at such a webhook; only the first delivery is in a batch. The transaction that
// finishes it creates a batch for the next one, so nothing polls and a crash leaves the queue
// intact.
import type { Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import type { DeliveryBatch } from '../delivery-batches.ts';
import { insertPlan } from '../insert-deliveries.ts';
import { planBatches, type DeliveryRow, type Place } from '../plan-deliveries.rules.ts';

type Queue = Omit<Place, 'sequence'>;

export interface QueueChanges {
  /** New deliveries, appended to their queues. */
  readonly added?: readonly DeliveryRow[];
  /** Deliveries that may be finished. Finished ones leave their queues. */
  readonly finished?: readonly string[];
}

/**
 * Returns the batches of deliveries whose turn has come, to enqueue after the commit. Holds the
 * lock of each queue until the transaction ends. Otherwise a delivery added while its predecessor
 * finishes would never run. Takes all locks at once and in one order.
 */
export async function advanceQueues(
  deps: Pick<Deps, 'ids' | 'clock'>,
  sql: Sql,
  { added = [], finished = [] }: QueueChanges,
): Promise<readonly DeliveryBatch[]> {
  const places = added.flatMap(({ id, place }) => (place ? [{ id, ...place }] : []));
  const leaving = finished.length === 0 ? [] : await readQueues(sql, finished);
  const queues = [...places, ...leaving];
  if (queues.length === 0) return [];
  const columns = toColumns(queues);
  await sql(
    `SELECT pg_advisory_xact_lock(key) FROM (
       SELECT DISTINCT hashtextextended(concat_ws(' ', organization_id, webhook_id, conversation_id), 0) AS key
       FROM unnest($1::text[], $2::text[], $3::text[]) AS queue (organization_id, webhook_id, conversation_id) ORDER BY key
     ) AS keys`,
    columns,
  );
  if (places.length > 0) await add(sql, places);
  if (leaving.length > 0)
    await sql(
      `DELETE FROM webhook_delivery_orders AS place WHERE delivery_id = ANY($1::text[]) AND NOT EXISTS (
         SELECT 1 FROM webhook_deliveries AS delivery WHERE delivery.id = place.delivery_id AND delivery.status = 'pending')`,
      [finished],
    );
  return release(deps, sql, columns);
}

/** Moves queues whose first delivery was purged or quarantined. Called by the sweeper. */
export async function advanceForgottenQueues(
  deps: Pick<Deps, 'ids' | 'clock'>,
  sql: Sql,
): Promise<readonly DeliveryBatch[]> {
  const over = await sql<{ id: string }>(
    `SELECT delivery_id AS id FROM webhook_delivery_orders AS place WHERE released AND NOT EXISTS (
       SELECT 1 FROM webhook_deliveries AS delivery WHERE delivery.id = place.delivery_id AND delivery.status = 'pending')
     LIMIT ${FORGOTTEN_MAX}`,
  );
  return advanceQueues(deps, sql, { finished: over.map(({ id }) => id) });
}
const FORGOTTEN_MAX = 1_000;

function readQueues(sql: Sql, deliveryIds: readonly string[]): Promise<Queue[]> {
  return sql<Queue>(
    `SELECT organization_id AS "organizationId", webhook_id AS "webhookId", conversation_id AS "conversationId"
     FROM webhook_delivery_orders WHERE delivery_id = ANY($1::text[])`,
    [deliveryIds],
  );
}

async function add(sql: Sql, places: readonly (Place & { readonly id: string })[]): Promise<void> {
  await sql(
    `INSERT INTO webhook_delivery_orders (organization_id, webhook_id, conversation_id, sequence, delivery_id, released)
     SELECT *, false FROM unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::text[])`,
    [...toColumns(places), places.map(({ sequence }) => sequence), places.map(({ id }) => id)],
  );
}

async function release(
  { ids, clock }: Pick<Deps, 'ids' | 'clock'>,
  sql: Sql,
  columns: readonly (readonly string[])[],
): Promise<readonly DeliveryBatch[]> {
  const heads = await sql<{ id: string; eventId: string; bytes: number | null }>(
    `WITH head AS (
       SELECT first.delivery_id
       FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[], $3::text[]) AS queue (organization_id, webhook_id, conversation_id)) AS queue
       CROSS JOIN LATERAL (
         SELECT delivery_id, released FROM webhook_delivery_orders AS place
         WHERE place.organization_id = queue.organization_id AND place.webhook_id = queue.webhook_id
           AND place.conversation_id = queue.conversation_id
         ORDER BY sequence, delivery_id LIMIT 1
       ) AS first
       WHERE NOT first.released
     ), released AS (
       UPDATE webhook_delivery_orders AS place SET released = true FROM head WHERE place.delivery_id = head.delivery_id
       RETURNING place.delivery_id AS id
     )
     SELECT delivery.id, delivery.event_id AS "eventId",
            (SELECT octet_length(event.body) FROM webhook_events AS event WHERE event.id = delivery.event_id) AS bytes
     FROM released JOIN webhook_deliveries AS delivery ON delivery.id = released.id`,
    columns,
  );
  const bytes = new Map(heads.map((head) => [head.eventId, head.bytes ?? 0]));
  const due = heads.map(({ id, eventId }) => ({ id, eventId, status: 'pending' as const }));
  const batches = planBatches(due, ids, (event) => bytes.get(event)!);
  return insertPlan(sql, { events: [], deliveries: [], batches }, new Date(clock()));
}

const toColumns = (queues: readonly Queue[]): [string[], string[], string[]] => [
  queues.map(({ organizationId }) => organizationId),
  queues.map(({ webhookId }) => webhookId),
  queues.map(({ conversationId }) => conversationId),
];
