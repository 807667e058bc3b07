// Writes planned events, deliveries and batches with one statement, in the transaction of their
// cause.
import { WRITTEN_BY } from '@parley/server/event-streams';
import type { Sql } from '@parley/server/postgres';
import { REENQUEUE_AFTER_MS } from '@parley/jobs';
import type { DeliveryBatch } from './delivery-batches.ts';
import type { Plan } from './plan-deliveries.rules.ts';

/**
 * `now` becomes created_at; the batches are due immediately. Empty plans write nothing. An event
 * that is stored, because a fact was worked out again, stays and is delivered again under its id.
 */
export async function insertPlan(sql: Sql, plan: Plan, now: Date): Promise<readonly DeliveryBatch[]> {
  const { events, deliveries, batches } = plan;
  if (events.length + deliveries.length + batches.length === 0) return [];
  const members = batches.flatMap((batch) => batch.deliveryIds.map((id) => ({ batch, id })));
  const ofEvent = idsByEvent(plan);
  await sql(
    `WITH event AS (
       INSERT INTO webhook_events
         (id, organization_id, conversation_id, bot_id, sequence, created_at, body, target, interim_turn, superseded, delivery_ids, request_id,
          traceparent, written_by)
       SELECT id, organization_id, conversation_id, bot_id, sequence, $10, body, target, interim_turn, superseded,
              string_to_array(delivery_ids, ' '), request_id, traceparent,
              CASE WHEN conversation_id <> '' THEN ${WRITTEN_BY} END
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], string_to_array($5, chr(1)), $6::text[], $7::int[],
                   $8::boolean[], $9::text[], $21::text[], $22::text[], $25::int[])
         AS row (id, organization_id, conversation_id, bot_id, body, target, interim_turn, superseded, delivery_ids,
                 request_id, traceparent, sequence)
       ON CONFLICT (id) DO UPDATE SET delivery_ids = webhook_events.delivery_ids || excluded.delivery_ids
     ), batch AS (
       INSERT INTO webhook_delivery_batches (id, delivery_ids, round, due_at, next_ring_at, rings, bytes)
       SELECT batch_id, array_agg(delivery_id ORDER BY position), 1, $10::timestamptz, $11::timestamptz, 0, min(bytes)
       FROM unnest($12::text[], $13::text[], $23::int[]) WITH ORDINALITY AS member (batch_id, delivery_id, bytes, position)
       GROUP BY batch_id
     )
     INSERT INTO webhook_deliveries
       (id, webhook_id, event_id, event, kind, status, replay_of, ordered, attempts, round, created_at, finished_at)
     SELECT id, webhook_id, event_id, event, kind, status, replay_of, ordered, 0, 1, $10,
            CASE WHEN status <> 'pending' THEN $10::timestamptz END
     FROM unnest($14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $24::boolean[])
       AS row (id, webhook_id, event_id, event, kind, status, replay_of, ordered)`,
    [
      events.map((row) => row.id),
      events.map((row) => row.organizationId),
      events.map((row) => row.conversationId),
      events.map((row) => row.botId),
      // JSON has no raw control characters. As an array, each quote would be escaped and parsed
      // again.
      events.map((row) => row.body).join('\u0001'),
      events.map((row) => row.target),
      events.map((row) => row.interimTurn),
      events.map((row) => row.superseded),
      events.map((row) => ofEvent.get(row.id)?.join(' ') ?? ''),
      now,
      new Date(now.getTime() + REENQUEUE_AFTER_MS),
      members.map(({ batch }) => batch.id),
      members.map(({ id }) => id),
      deliveries.map((row) => row.id),
      deliveries.map((row) => row.webhookId),
      deliveries.map((row) => row.eventId),
      deliveries.map((row) => row.event),
      deliveries.map((row) => row.kind),
      deliveries.map((row) => row.status),
      deliveries.map((row) => row.replayOf),
      events.map((row) => row.requestId),
      events.map((row) => row.traceparent),
      members.map(({ batch }) => batch.bytes),
      deliveries.map((row) => row.place != null),
      events.map((row) => row.sequence),
    ],
  );
  return batches.map(({ id, deliveryIds }) => ({ id, count: deliveryIds.length, dueAt: now, rings: 0 }));
}

/** Deliveries of the plan's events. */
function idsByEvent({ deliveries }: Plan): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { id, eventId } of deliveries) {
    const known = ids.get(eventId);
    if (known) known.push(id);
    else ids.set(eventId, [id]);
  }
  return ids;
}
