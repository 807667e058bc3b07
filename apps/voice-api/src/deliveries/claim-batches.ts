// The life of a batch in Postgres: claimed, leased while its deliveries are in hand, rung again by the sweeper
// when its lease ran out or its bell was lost. Called by send-deliveries.ts and sweep-deliveries.ts.
//
// The lateral look-ups are fenced (OFFSET 0) so that every plan goes through the primary keys: prepared while the tables are new
// and small, a plan that reads them whole would be kept while they grow.
import type { Sql } from '@parley/postgres';
import type { DueBatch } from './delivery-bell.ts';
import type { DeliveryKind } from './delivery.rules.ts';

/** A killed worker's deliveries are free again after so long, and a sweep (platform §2). */
export const LEASE_MS = 10_000;
/** A third: one renewal may fail. */
export const RENEW_EVERY_MS = LEASE_MS / 3;

/** What a delivery delivers. One for all deliveries of the event that were claimed together: bodies are most of what is in hand. */
export interface ClaimedEvent {
  readonly id: string;
  readonly organizationId: string;
  /** UTF-8. */
  readonly body: Buffer;
  readonly target: string | null;
  readonly superseded: boolean;
  readonly requestId: string | null;
  readonly traceparent: string | null;
}

/** A delivery that is to be attempted, with all that it takes. */
export interface ClaimedDelivery {
  readonly batchId: string;
  readonly id: string;
  readonly round: number;
  readonly webhookId: string | null;
  readonly kind: DeliveryKind;
  readonly event: string;
  /** Attempts made so far. */
  readonly attempts: number;
  readonly createdAt: Date;
  readonly source: ClaimedEvent;
}

export interface Claim {
  /** The batches that are ours now. */
  readonly batchIds: readonly string[];
  /** Those of their deliveries that are still to be attempted. */
  readonly deliveries: readonly ClaimedDelivery[];
}

/**
 * Claims those of the batches that are due and nobody's. Of two workers that claim at once, the second waits for the first's
 * row and then sees its lease.
 */
export async function claimBatches(
  sql: Sql,
  batchIds: readonly string[],
  lease: string,
  nowMs: number,
): Promise<Claim> {
  const rows = await sql<MemberRow>(
    `WITH claimed AS (
       UPDATE webhook_delivery_batches SET lease = $2, lease_until = $4, next_ring_at = $4
       WHERE id = ANY($1::text[]) AND due_at <= $3 AND (lease_until IS NULL OR lease_until <= $3)
       RETURNING id, round, delivery_ids
     )
     SELECT claimed.id AS "batchId", claimed.round, delivery.id, delivery.webhook_id AS "webhookId", delivery.kind,
            delivery.event, delivery.attempts, delivery.created_at AS "createdAt", delivery.event_id AS "eventId"
     FROM claimed
     CROSS JOIN LATERAL unnest(claimed.delivery_ids) AS member (id)
     LEFT JOIN LATERAL (
       SELECT * FROM webhook_deliveries AS row
       WHERE row.id = member.id AND row.round = claimed.round AND row.status = 'pending' OFFSET 0
     ) AS delivery ON true`,
    [batchIds, lease, new Date(nowMs), new Date(nowMs + LEASE_MS)],
  );
  const events = await readEvents(sql, [...new Set(rows.flatMap(({ eventId }) => eventId ?? []))]);
  return {
    batchIds: [...new Set(rows.map((row) => row.batchId))],
    deliveries: rows.flatMap((row) => {
      if (row.id === null) return [];
      const source = events.get(row.eventId);
      if (source === undefined) return []; // a delivery whose event was purged meanwhile is purged itself
      const { batchId, id, round, webhookId, kind, event, attempts, createdAt } = row;
      return { batchId, id, round, webhookId, kind, event, attempts, createdAt, source };
    }),
  };
}

/** A member of a claimed batch; all but the batch is null where it is not to be attempted any more. */
type MemberRow =
  | (Omit<ClaimedDelivery, 'source'> & { readonly eventId: string })
  | { readonly batchId: string; readonly id: null; readonly eventId: null };

async function readEvents(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, ClaimedEvent>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<Omit<ClaimedEvent, 'body'> & { body: string }>(
    `SELECT event.id, organization_id AS "organizationId", body, target, superseded, request_id AS "requestId", traceparent
     FROM unnest($1::text[]) AS wanted (id)
     CROSS JOIN LATERAL (SELECT * FROM webhook_events AS row WHERE row.id = wanted.id OFFSET 0) AS event`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, { ...row, body: Buffer.from(row.body) }]));
}

/** Gives those that are still ours. */
export async function renewLeases(
  sql: Sql,
  batchIds: readonly string[],
  lease: string,
  nowMs: number,
): Promise<ReadonlySet<string>> {
  const rows = await sql<{ id: string }>(
    `UPDATE webhook_delivery_batches SET lease_until = $3, next_ring_at = $3
     WHERE id = ANY($1::text[]) AND lease = $2 RETURNING id`,
    [batchIds, lease, new Date(nowMs + LEASE_MS)],
  );
  return new Set(rows.map((row) => row.id));
}

/** Batches of which everything is settled already: the worker that held them was killed before it could delete them. */
export async function deleteBatches(sql: Sql, batchIds: readonly string[], lease: string): Promise<void> {
  await sql('DELETE FROM webhook_delivery_batches WHERE id = ANY($1::text[]) AND lease = $2', [
    batchIds,
    lease,
  ]);
}

/** Hands batches back that were not finished, for another worker to claim at once. */
export async function releaseBatches(
  sql: Sql,
  batchIds: readonly string[],
  lease: string,
  nowMs: number,
): Promise<readonly DueBatch[]> {
  return sql<DueBatch>(
    `UPDATE webhook_delivery_batches SET lease = NULL, lease_until = NULL, next_ring_at = $3, rings = rings + 1
     WHERE id = ANY($1::text[]) AND lease = $2
     RETURNING id, cardinality(delivery_ids) AS count, rings, extract(epoch FROM due_at)::float8 * 1000 AS "dueAtMs"`,
    [batchIds, lease, new Date(nowMs)],
  );
}

/** Makes batches that nobody has claimed due now; gives them for the bell, under another number than that of their later ring. */
export async function bringBatchesForward(
  sql: Sql,
  batchIds: readonly string[],
  nowMs: number,
): Promise<readonly DueBatch[]> {
  return sql<DueBatch>(
    `UPDATE webhook_delivery_batches SET due_at = $2, next_ring_at = $3, rings = rings + 1
     WHERE id = ANY($1::text[]) AND due_at > $2 AND lease IS NULL
     RETURNING id, cardinality(delivery_ids) AS count, rings, extract(epoch FROM due_at)::float8 * 1000 AS "dueAtMs"`,
    [batchIds, new Date(nowMs), new Date(nowMs + RING_AGAIN_MS)],
  );
}

/** Batches that one sweep rings for; the next one is five seconds away, and others sweep as well. */
export const SWEEP_BATCHES_MAX = 1_000;
const RING_AGAIN_MS = 10_000;
const RING_AGAIN_MS_MAX = 10 * 60_000;

/**
 * Takes the batches whose bell was lost, or whose lease ran out, and gives each a new ring number. While nobody claims them (the
 * queue is long, or Redis is away) they are rung after 10, 20, 40 … s, up to every ten minutes. Several may sweep at once.
 */
export async function takeLostBatches(sql: Sql, nowMs: number): Promise<readonly DueBatch[]> {
  return sql<DueBatch>(
    `UPDATE webhook_delivery_batches
     SET rings = rings + 1,
         next_ring_at = $1::timestamptz + least(${RING_AGAIN_MS} * 2 ^ least(rings, 16), ${RING_AGAIN_MS_MAX}) * interval '1 ms'
     WHERE id IN (
       SELECT id FROM webhook_delivery_batches WHERE next_ring_at <= $1
       ORDER BY next_ring_at LIMIT ${SWEEP_BATCHES_MAX} FOR UPDATE SKIP LOCKED
     )
     RETURNING id, cardinality(delivery_ids) AS count, rings, extract(epoch FROM due_at)::float8 * 1000 AS "dueAtMs"`,
    [new Date(nowMs)],
  );
}
