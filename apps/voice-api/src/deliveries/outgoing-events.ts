// What the intake of conversation events calls: an event becomes one delivery for every webhook that selected its type, in the
// transaction that applies the event, and after its commit the bell is rung (docs/platform.md#leases-and-rings).
import type { Sql } from '@parley/postgres';
import type { Trace } from '@parley/queues';
import type { Deps } from '../deps.ts';
import type { DeliveryBatch } from './delivery-batches.ts';
import type { EventType } from '../webhooks/event-types.ts';
import { passes, type WebhookFilter } from '../webhooks/webhook-filter.ts';
import { insertPlan } from './insert-deliveries.ts';
import { moveOrders } from './pace/ordered-deliveries.ts';
import { planDeliveries, spokenTurns, type WebhookSelection } from './plan-deliveries.rules.ts';

/** A fact of a conversation as webhooks are told it. */
export interface OutgoingEvent {
  readonly organizationId: string;
  readonly conversationId: string;
  readonly botId: string | null;
  readonly type: EventType;
  readonly occurredAt: Date;
  /** Grows by one per conversation. */
  readonly sequence: number;
  /** Of speech.* and bot.message; null for the others. */
  readonly turnIndex: number | null;
  /** The complete `data`, in wire spelling. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The request or message that caused it; absent when time did. Sent along with its deliveries (docs/platform.md#request-ids). */
  readonly trace?: Trace | undefined;
}

/**
 * Writes the events, for the feed and the streams, and one delivery for each webhook that selected their type; for a disabled webhook it is `skipped` at once.
 * Interims of earlier calls whose turn is spoken of again are superseded, and those within this call as well.
 * Three statements at most, however many events, and three more where a webhook is told in order. Gives the batches to ring for (deps.deliveryBell) once the transaction has
 * committed; what is not rung for is found by the sweeper. `known`: all webhooks of their organisations, where they are read already.
 */
export async function writeDeliveries(
  deps: Pick<Deps, 'ids' | 'clock'>,
  sql: Sql,
  events: readonly OutgoingEvent[],
  known?: readonly WebhookSelection[],
): Promise<readonly DeliveryBatch[]> {
  if (events.length === 0) return [];
  const webhooks = known ?? (await readSelections(sql, events));
  const now = new Date(deps.clock());
  const turns = spokenTurns(events, webhooks);
  const overtaken = turns.length > 0 ? await supersede(sql, turns, now) : [];
  const plan = planDeliveries(events, webhooks, deps.ids);
  const batches = await insertPlan(sql, plan, now);
  const waiting = plan.deliveries.filter(({ place }) => place);
  if (waiting.length === 0 && overtaken.length === 0) return batches;
  return [...batches, ...(await moveOrders(deps, sql, { added: waiting, finished: overtaken }))];
}

/** The webhooks of their organisations. */
export async function readSelections(
  sql: Sql,
  of: readonly { readonly organizationId: string }[],
): Promise<WebhookSelection[]> {
  const rows = await sql<Omit<WebhookSelection, 'passes'> & { readonly filter: WebhookFilter | null }>(
    `SELECT id, organization_id AS "organizationId", events, filter, bot_ids AS "botIds", ordered, status FROM webhooks
     WHERE organization_id = ANY($1::text[]) ORDER BY id`,
    [[...new Set(of.map(({ organizationId }) => organizationId))]],
  );
  return rows.map((row) => ({ ...row, passes: (data: OutgoingEvent['data']) => passes(row.filter, data) }));
}

/**
 * A delivery whose attempt is being written down at this moment is locked and left out: waiting for it here could be a
 * deadlock. The mark on its event makes sure that it has no further attempt. Gives those that others of their conversation wait for.
 */
async function supersede(
  sql: Sql,
  turns: ReturnType<typeof spokenTurns>,
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
