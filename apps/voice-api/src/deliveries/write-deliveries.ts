// Turns conversation events into webhook deliveries: one for each webhook that selects the type, in
// the transaction that applies the event. The caller enqueues them after the commit
// (docs/platform.md#leases-and-rings).
import type { Sql } from '@parley/server/postgres';
import type { Deps } from './deps.ts';
import type { DeliveryBatch } from './delivery-batches.ts';
import { readApplicationSelections, readSelections } from '../webhooks/webhook-selections.ts';
import type { WebhookSelection } from '../webhooks/selection.rules.ts';
import { insertPlan } from './insert-deliveries.ts';
import { advanceQueues } from './pace/ordered-deliveries.ts';
import { planDeliveries, listSpokenTurns, type OutgoingEvent } from './plan-deliveries.rules.ts';

/**
 * Writes the events for feed and streams, and a delivery for each webhook that selects their type;
 * for disabled webhooks it is `skipped`. Supersedes earlier interims of the same turns.
 * Takes at most four statements for any number of events, and three more with ordered webhooks.
 * Returns the batches to enqueue after the commit; otherwise the sweeper enqueues them. `known` are
 * the webhooks without application of the organisations, if they are already read.
 */
export async function writeDeliveries(
  deps: Pick<Deps, 'ids' | 'clock'>,
  sql: Sql,
  events: readonly OutgoingEvent[],
  known?: readonly WebhookSelection[],
): Promise<readonly DeliveryBatch[]> {
  if (events.length === 0) return [];
  const webhooks = [
    ...(known ?? (await readSelections(sql, events))),
    ...(await readApplicationSelections(sql, events)),
  ];
  const now = new Date(deps.clock());
  const turns = listSpokenTurns(events, webhooks);
  const supersededIds = turns.length > 0 ? await supersede(sql, turns, now) : [];
  const plan = planDeliveries(events, webhooks, deps.ids);
  const batches = await insertPlan(sql, plan, now);
  const waiting = plan.deliveries.filter(({ place }) => place);
  if (waiting.length === 0 && supersededIds.length === 0) return batches;
  return [...batches, ...(await advanceQueues(deps, sql, { added: waiting, finished: supersededIds }))];
}

/**
 * Skips a delivery whose result is being written, since waiting for its lock could deadlock. The
 * mark on its event prevents further attempts. Returns the superseded deliveries of ordered
 * webhooks.
 */
async function supersede(
  sql: Sql,
  turns: ReturnType<typeof listSpokenTurns>,
  now: Date,
): Promise<readonly string[]> {
  const rows = await sql<{ id: string; ordered: boolean }>(
    `WITH stale AS (
       UPDATE webhook_events AS event SET superseded = true
       FROM unnest($1::text[], $2::text[], $3::int[]) AS turn (organization_id, conversation_id, index)
       WHERE event.organization_id = turn.organization_id AND event.conversation_id = turn.conversation_id
         AND event.interim_turn = turn.index AND NOT event.superseded
       RETURNING event.delivery_ids
     ), open AS (
       SELECT delivery.id FROM stale, unnest(stale.delivery_ids) AS member (id)
       JOIN webhook_deliveries AS delivery ON delivery.id = member.id
       WHERE delivery.status = 'pending' AND delivery.kind = 'event'
       FOR UPDATE OF delivery SKIP LOCKED
     )
     UPDATE webhook_deliveries AS delivery SET status = 'superseded', next_attempt_at = NULL, finished_at = $4
     FROM open WHERE delivery.id = open.id RETURNING delivery.id, delivery.ordered`,
    [
      turns.map((turn) => turn.organizationId),
      turns.map((turn) => turn.conversationId),
      turns.map((turn) => turn.turnIndex),
      now,
    ],
  );
  return rows.flatMap(({ id, ordered }) => (ordered ? id : []));
}
