// Sends stored events again on request: one delivery (retry) or all of a period (replay). A
// redelivery keeps id and body of the event, is signed with the current secret and has one attempt
// that never disables the webhook (docs/voice-api.md#schedule).
import { AppError } from '@parley/envelopes';
import { Reply, type Caller, type EndpointTransaction } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import { firstIdAt } from '@parley/server/runtime';
import { REENQUEUE_AFTER_MS } from '@parley/jobs';
import type { Deps } from './deps.ts';
import { insertPlan } from './insert-deliveries.ts';
import { buildBotCondition } from '../lists.ts';
import { findWebhook } from '../webhooks/manage-webhooks.ts';
import { planBatches, type DeliveryRow } from './plan-deliveries.rules.ts';
import { findDelivery } from './log/read-deliveries.ts';
import type { ReplayRequest } from './schemas.ts';
import { toDeliveryView, type StoredDelivery } from './log/delivery-views.ts';

/** Redeliveries of one call. They are written in one transaction. */
export const REPLAYS_MAX = 10_000;

type RedeliverDeps = Pick<Deps, 'clock' | 'ids' | 'deliveryEnqueuer'>;

/**
 * Makes the planned attempt of a pending delivery now. Creates a redelivery for any other delivery,
 * and for one of a disabled webhook, whose planned attempt would be skipped.
 * Answers 202 with the delivery to watch.
 * @throws AppError not_found; conflict when an attempt is in flight or the body is no longer stored
 */
export async function retryDelivery(
  deps: RedeliverDeps,
  caller: Caller,
  givenId: string,
  deliveryId: string,
  { sql, afterCommit }: EndpointTransaction,
): Promise<Reply> {
  const { id: webhookId, status: webhookStatus } = await findWebhook(sql, caller, givenId);
  const row = await findDelivery(sql, caller, webhookId, deliveryId, 'FOR UPDATE OF delivery');
  if (row.body === null)
    throw new AppError(
      'conflict',
      'The event of this delivery is no longer stored, so it cannot be sent again.',
    );
  if (row.status === 'quarantined')
    throw new AppError('conflict', 'This delivery is quarantined. Only an operator can release it.');
  if (row.status === 'pending') {
    if (row.nextAttemptAt === null)
      throw new AppError('conflict', 'An attempt of this delivery is in flight. Wait for its result.');
    if (webhookStatus === 'active') {
      await attemptNow(deps, sql, row, Buffer.byteLength(row.body), afterCommit);
      return new Reply(toDeliveryView({ ...row, nextAttemptAt: null }));
    }
  }
  const [redelivery] = await redeliver(
    deps,
    sql,
    webhookId,
    [{ ...row, bytes: Buffer.byteLength(row.body) }],
    afterCommit,
  );
  return new Reply(toDeliveryView(redelivery as StoredDelivery));
}

/** Moves the delivery to a batch of its own that is due now. */
async function attemptNow(
  deps: RedeliverDeps,
  sql: Sql,
  row: StoredDelivery,
  bytes: number,
  afterCommit: (work: () => void) => void,
): Promise<void> {
  const nowMs = deps.clock();
  const dueAt = new Date(nowMs);
  const id = deps.ids('dlb');
  await sql(
    `WITH moved AS (
       UPDATE webhook_deliveries SET round = round + 1, next_attempt_at = NULL WHERE id = $2 RETURNING id, round
     )
     INSERT INTO webhook_delivery_batches (id, delivery_ids, round, due_at, next_ring_at, rings, bytes)
     SELECT $1, ARRAY[id], round, $3::timestamptz, $4::timestamptz, 0, $5::int FROM moved`,
    [id, row.id, dueAt, new Date(nowMs + REENQUEUE_AFTER_MS), bytes],
  );
  afterCommit(() => deps.deliveryEnqueuer.enqueue([{ id, count: 1, dueAt, rings: 0 }]));
}

/**
 * Without `status`, redelivers skipped and exhausted deliveries whose event neither arrived since
 * nor is in flight. Each event is redelivered once, however many of its deliveries match.
 * @throws AppError not_found, limit_exceeded
 */
export async function replayDeliveries(
  deps: RedeliverDeps,
  caller: Caller,
  givenId: string,
  input: ReplayRequest,
  { sql, afterCommit }: EndpointTransaction,
) {
  const { id: webhookId } = await findWebhook(sql, caller, givenId);
  const matched = await sql<OriginalDelivery>(
    `SELECT min(delivery.id) AS id, delivery.event_id AS "eventId", min(delivery.event) AS event,
       (SELECT octet_length(told.body) FROM webhook_events AS told WHERE told.id = delivery.event_id) AS bytes
     FROM webhook_deliveries AS delivery
     WHERE delivery.webhook_id = $1 AND delivery.id >= $2 AND delivery.kind IN ('event', 'replay')
       AND ($5::text IS NULL OR delivery.event = $5)
     GROUP BY delivery.event_id
     HAVING bool_or(delivery.id < $3 AND delivery.status = ANY($4::text[]))
        AND NOT bool_or(delivery.status = ANY($6::text[]))
        AND EXISTS (SELECT 1 FROM webhook_events AS event WHERE event.id = delivery.event_id AND event.organization_id = $7
          AND ${buildBotCondition('event.bot_id', '$8')})
     ORDER BY min(delivery.id) LIMIT ${REPLAYS_MAX + 1}`,
    [
      webhookId,
      firstIdAt('dlv', input.since.getTime()),
      firstIdAt('dlv', input.until.getTime()),
      input.status === undefined ? ['skipped', 'exhausted'] : [input.status],
      input.event ?? null,
      input.status === undefined ? ['delivered', 'pending'] : ['pending'],
      caller.organizationId,
      caller.botIds ?? null,
    ],
  );
  if (matched.length > REPLAYS_MAX) {
    throw new AppError(
      'limit_exceeded',
      `More than ${REPLAYS_MAX} events match. Replay shorter periods one after the other.`,
    );
  }
  if (!input.dry_run) await redeliver(deps, sql, webhookId, matched, afterCommit);
  return { matched: matched.length, replayed: input.dry_run ? 0 : matched.length, dry_run: input.dry_run };
}

type OriginalDelivery = Pick<StoredDelivery, 'id' | 'eventId' | 'event'> & {
  /** Of its body. */
  readonly bytes: number;
};

/** Creates one delivery for each and returns them as stored. */
async function redeliver(
  deps: RedeliverDeps,
  sql: Sql,
  webhookId: string,
  originals: readonly OriginalDelivery[],
  afterCommit: (work: () => void) => void,
): Promise<StoredDelivery[]> {
  const now = new Date(deps.clock());
  const deliveries = originals.map(({ id, eventId, event }): DeliveryRow => ({
    id: deps.ids('dlv'),
    webhookId,
    eventId,
    event,
    kind: 'replay',
    status: 'pending',
    replayOf: id,
  }));
  const sizes = new Map(originals.map(({ eventId, bytes }) => [eventId, bytes]));
  const planned = planBatches(deliveries, deps.ids, (event) => sizes.get(event)!);
  const batches = await insertPlan(sql, { events: [], deliveries, batches: planned }, now);
  // A purge finds deliveries through their event.
  await sql(
    `UPDATE webhook_events AS event SET delivery_ids = event.delivery_ids || repetition.id
     FROM unnest($1::text[], $2::text[]) AS repetition (event_id, id) WHERE event.id = repetition.event_id`,
    [deliveries.map((row) => row.eventId), deliveries.map((row) => row.id)],
  );
  afterCommit(() => deps.deliveryEnqueuer.enqueue(batches));
  return deliveries.map((row) => ({
    ...row,
    attempts: 0,
    nextAttemptAt: null,
    createdAt: now,
    finishedAt: null,
    answerStatus: null,
    answerMs: null,
    answer: null,
  }));
}
