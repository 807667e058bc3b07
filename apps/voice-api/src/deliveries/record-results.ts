// Writes the results of deliveries in one transaction: one statement for all, and a few more for
// failed attempts.
import type { Sql } from '@parley/server/postgres';
import { recordDeliveryAttempts } from '../analytics/record-facts.ts';
import type { Deps } from './deps.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import type { DeliveryBatch } from './delivery-batches.ts';
import type { DeliveryStatus } from './delivery.rules.ts';
import { GONE } from '../webhooks/disable.rules.ts';
import { raiseWebhookAlerts, type WebhookAlert } from '../webhooks/disable-webhooks.ts';
import { advanceQueues } from './pace/ordered-deliveries.ts';
import { hasRoom, type OpenBatch } from './plan-deliveries.rules.ts';

/** A completed attempt. */
export interface CompletedAttempt {
  readonly attempt: number;
  readonly atMs: number;
  readonly ms: number;
  readonly ok: boolean;
  readonly status: number | null;
  readonly errorClass: string | null;
  readonly message: string | null;
  /** The first 4 KiB. */
  readonly answer: string | null;
  /** See mask-exchange.ts. */
  readonly exchange: string | null;
}

/** The result of one claimed delivery. */
export interface DeliveryResult {
  readonly delivery: ClaimedDelivery;
  readonly attempt: CompletedAttempt | null;
  /** `pending`: it continues in another batch, due at `nextAttemptAtMs`. */
  readonly status: DeliveryStatus;
  readonly nextAttemptAtMs: number | null;
  /** The lane it was deferred from, with a receiver in doubt; null otherwise. */
  readonly deferredLane: string | null;
  /** Why its webhook must be disabled. */
  readonly disable: string | null;
  /** The alert for its organisation about failing deliveries. */
  readonly warning: string | null;
}

/** A batch of deliveries that continue together. */
export interface LaterBatch extends DeliveryBatch {
  readonly deferredLane: string | null;
}

export interface RecordedResults {
  /** Batches to enqueue after the commit. */
  readonly batches: readonly LaterBatch[];
  readonly disabled: readonly WebhookAlert[];
}

/** The sweeper re-enqueues a retry so long after its due time; the queue's timer fires earlier. */
const RETRY_RING_GRACE_MS = 2_000;

/**
 * `finished` are batches that these results complete; they are deleted if this worker still holds
 * them. A result counts only for the claimed round: after a lost lease another worker may have been
 * faster. A success counts even if the delivery was superseded in flight.
 */
export async function recordResults(
  deps: Pick<Deps, 'clock' | 'ids'>,
  sql: Sql,
  results: readonly DeliveryResult[],
  finished: readonly string[],
  lease: string,
): Promise<RecordedResults> {
  const nowMs = deps.clock();
  // A plan prepared while the tables are small would otherwise keep reading them whole.
  await sql('SELECT set_config($1, $2, true)', ['enable_seqscan', 'off']);
  const applied = await updateDeliveries(sql, results, finished, lease, new Date(nowMs));
  await insertAttempts(sql, results);
  const later = await insertLaterBatches(deps, sql, results, applied);
  const ordered = results.flatMap(({ delivery }) => (delivery.ordered ? delivery.id : []));
  const next = ordered.length === 0 ? [] : await advanceQueues(deps, sql, { finished: ordered });
  const batches = [...later, ...next.map((batch) => ({ ...batch, deferredLane: null }))];
  const troubles = toAlerts(results, applied);
  const disabled = troubles.length === 0 ? [] : await raiseWebhookAlerts(sql, troubles, nowMs);
  const attempts = results.flatMap(({ attempt, delivery }) =>
    attempt === null
      ? []
      : [
          {
            organizationId: delivery.source.organizationId,
            atMs: attempt.atMs,
            ok: attempt.ok,
            ms: attempt.ms,
          },
        ],
  );
  await recordDeliveryAttempts(sql, attempts);
  return { batches, disabled };
}

/** Returns the updated deliveries that were not delivered. Successes need nothing further. */
async function updateDeliveries(
  sql: Sql,
  results: readonly DeliveryResult[],
  finished: readonly string[],
  lease: string,
  now: Date,
): Promise<ReadonlySet<string>> {
  const successfulAttempt = (result: DeliveryResult) =>
    result.status === 'delivered' ? result.attempt : null;
  const rows = await sql<{ id: string; status: DeliveryStatus }>(
    `WITH finished AS (
       DELETE FROM webhook_delivery_batches WHERE id = ANY($1::text[]) AND lease = $2
     ), updated AS (
       UPDATE webhook_deliveries AS delivery
       SET status = CASE WHEN delivery.status = 'superseded' AND result.status <> 'delivered'
                         THEN 'superseded' ELSE result.status END,
           next_attempt_at = CASE WHEN delivery.status <> 'superseded' THEN result.next_attempt_at END,
           finished_at = CASE WHEN result.status <> 'pending' THEN $3::timestamptz ELSE delivery.finished_at END,
           attempts = result.attempts, round = result.round,
           answer_status = result.answer_status, answer_ms = result.answer_ms, answer = result.answer,
           exchange = result.exchange
       FROM unnest($4::text[], $5::int[], $6::text[], $7::smallint[], $8::int[], $9::timestamptz[],
                   $10::smallint[], $11::int[], $12::text[], $13::text[])
         AS result (id, claimed_round, status, attempts, round, next_attempt_at, answer_status, answer_ms, answer, exchange)
       WHERE delivery.id = result.id AND delivery.round = result.claimed_round
         AND delivery.status IN ('pending', 'superseded', 'quarantined')
       RETURNING delivery.id, delivery.status
     )
     SELECT id, status FROM updated WHERE status <> 'delivered'`,
    [
      finished,
      lease,
      now,
      results.map(({ delivery }) => delivery.id),
      results.map(({ delivery }) => delivery.round),
      results.map(({ status }) => status),
      results.map(({ delivery, attempt }) => delivery.attempts + (attempt === null ? 0 : 1)),
      results.map(({ delivery, status }) => delivery.round + (status === 'pending' ? 1 : 0)),
      results.map(({ nextAttemptAtMs }) => (nextAttemptAtMs === null ? null : new Date(nextAttemptAtMs))),
      results.map((result) => successfulAttempt(result)?.status ?? null),
      results.map((result) => successfulAttempt(result)?.ms ?? null),
      results.map((result) => successfulAttempt(result)?.answer ?? null),
      results.map((result) => successfulAttempt(result)?.exchange ?? null),
    ],
  );
  const wanted = new Map(results.map(({ delivery, status }) => [delivery.id, status]));
  return new Set(rows.filter((row) => row.status === wanted.get(row.id)).map((row) => row.id));
}

async function insertAttempts(sql: Sql, results: readonly DeliveryResult[]): Promise<void> {
  const failed = results.flatMap(({ delivery, attempt }) =>
    attempt === null || attempt.ok ? [] : [{ id: delivery.id, ...attempt }],
  );
  if (failed.length === 0) return;
  await sql(
    `INSERT INTO webhook_delivery_attempts (delivery_id, attempt, at, status, error_class, message, ms, answer, exchange)
     SELECT attempt.*
     FROM unnest($1::text[], $2::smallint[], $3::timestamptz[], $4::smallint[], $5::text[], $6::text[], $7::int[],
                 $8::text[], $9::text[]) AS attempt (delivery_id, attempt, at, status, error_class, message, ms, answer, exchange)
     JOIN webhook_deliveries AS delivery ON delivery.id = attempt.delivery_id -- not of one that was purged meanwhile
     ON CONFLICT (delivery_id, attempt) DO NOTHING`,
    [
      failed.map((row) => row.id),
      failed.map((row) => row.attempt),
      failed.map((row) => new Date(row.atMs)),
      failed.map((row) => row.status),
      failed.map((row) => row.errorClass),
      failed.map((row) => row.message),
      failed.map((row) => row.ms),
      failed.map((row) => row.answer),
      failed.map((row) => row.exchange),
    ],
  );
}

/** One batch for deliveries with the same due time, round and lane in doubt. */
async function insertLaterBatches(
  { ids }: Pick<Deps, 'ids'>,
  sql: Sql,
  results: readonly DeliveryResult[],
  applied: ReadonlySet<string>,
): Promise<readonly LaterBatch[]> {
  const open: (Omit<LaterBatch, 'count' | 'rings'> & OpenBatch & { readonly round: number })[] = [];
  const latest = new Map<string, (typeof open)[number]>();
  for (const { delivery, status, nextAttemptAtMs, deferredLane } of results) {
    if (status !== 'pending' || nextAttemptAtMs === null || !applied.has(delivery.id)) continue;
    const round = delivery.round + 1;
    const key = `${round} ${nextAttemptAtMs} ${deferredLane ?? ''}`;
    let batch = latest.get(key);
    const bytes = delivery.source.body.length;
    if (!batch || !hasRoom(batch, bytes)) {
      const dueAt = new Date(nextAttemptAtMs);
      batch = { id: ids('dlb'), round, dueAt, deferredLane, deliveryIds: [], bytes: 0 };
      open.push(batch);
      latest.set(key, batch);
    }
    batch.deliveryIds.push(delivery.id);
    batch.bytes += bytes;
  }
  if (open.length === 0) return [];
  await sql(
    `INSERT INTO webhook_delivery_batches (id, delivery_ids, round, due_at, next_ring_at, rings, bytes)
     SELECT id, string_to_array(delivery_ids, ' '), round, due_at, due_at + ${RETRY_RING_GRACE_MS} * interval '1 ms', 0, bytes
     FROM unnest($1::text[], $2::text[], $3::int[], $4::timestamptz[], $5::int[]) AS batch (id, delivery_ids, round, due_at, bytes)`,
    [
      open.map((batch) => batch.id),
      open.map((batch) => batch.deliveryIds.join(' ')),
      open.map((batch) => batch.round),
      open.map((batch) => batch.dueAt),
      open.map((batch) => batch.bytes),
    ],
  );
  return open.map(({ id, dueAt, deferredLane, deliveryIds }) => {
    return { id, dueAt, deferredLane, count: deliveryIds.length, rings: 0 };
  });
}

function toAlerts(results: readonly DeliveryResult[], applied: ReadonlySet<string>): WebhookAlert[] {
  return results.flatMap(({ delivery, attempt, disable, warning }) => {
    const reason = disable ?? warning;
    if (reason === null || delivery.webhookId === null || !applied.has(delivery.id)) return [];
    const { organizationId } = delivery.source;
    return [
      {
        webhookId: delivery.webhookId,
        organizationId,
        deliveryId: delivery.id,
        reason,
        disables: disable !== null,
        isGone: attempt?.status === GONE,
      },
    ];
  });
}
