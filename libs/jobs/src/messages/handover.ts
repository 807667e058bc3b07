// Handovers: messages that their consumer acknowledged, stored for HANDOVER_DAYS. A consumer whose
// database was put back gets them again; its inbox drops those that it still has
// (docs/recovery.md#one-database-put-back). A table of its own keeps the outbox small.
import { inBatches, type Sql } from '@parley/server/postgres';
import { contracts, SERVICES, type Service } from './contracts.ts';
import { listConsumed } from './message-keys.ts';

/** Moves acknowledged messages out of the outbox. */
export async function handOver(sql: Sql, ids: readonly string[], consumed: readonly string[]): Promise<void> {
  await sql(
    `WITH acknowledged AS (
       DELETE FROM outbox WHERE id = ANY($1::text[]) AND contract = ANY($2::text[])
       RETURNING id, organization_id, contract, payload, about, request_id, traceparent, rings, created_at)
     INSERT INTO handovers (id, organization_id, contract, payload, about, request_id, traceparent, rings, created_at,
       acknowledged_at)
     SELECT id, organization_id, contract, payload, about, request_id, traceparent, rings, created_at, now()
     FROM acknowledged ON CONFLICT (id) DO NOTHING`,
    [ids, consumed],
  );
}

/** Keeps each statement at milliseconds. Together they keep up with 8,000 messages a second. */
const LIMITS = { rowsMax: 5_000, batchesMax: 100 };
const DAY_MS = 86_400_000;

/** Deletes handovers that are older. Returns the number of rows. */
export async function trimHandovers(sql: Sql, nowMs: number, days: number): Promise<number> {
  return inBatches(LIMITS, (limit) =>
    sql(
      `DELETE FROM handovers WHERE id IN
         (SELECT id FROM handovers WHERE acknowledged_at < $1 ORDER BY acknowledged_at LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING 1 AS one`,
      [new Date(nowMs - days * DAY_MS), limit],
    ),
  );
}

/** A message may hold 1 MiB. */
const REPLAY_ROWS = 500;

/**
 * Puts messages for a consumer that were acknowledged from `since` to `until` back into the outbox,
 * whose sweepers send them in their order. Returns their number. Each slice is a transaction.
 */
export async function replayHandovers(
  transact: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>,
  consumer: Service,
  { since, until }: { readonly since: Date; readonly until: Date },
): Promise<number> {
  return inBatches({ rowsMax: REPLAY_ROWS, batchesMax: Infinity }, (limit) =>
    transact((sql) =>
      sql(
        `WITH chosen AS (
           SELECT id FROM handovers WHERE acknowledged_at >= $1 AND acknowledged_at <= $4 AND contract = ANY($2::text[])
           ORDER BY acknowledged_at LIMIT $3 FOR UPDATE SKIP LOCKED),
         taken AS (
           DELETE FROM handovers WHERE id IN (SELECT id FROM chosen)
           RETURNING id, organization_id, contract, payload, about, request_id, traceparent, rings, created_at)
         INSERT INTO outbox (id, organization_id, contract, payload, about, request_id, traceparent, rings, created_at,
           next_ring_at)
         SELECT id, organization_id, contract, payload, about, request_id, traceparent, rings + 1, created_at, created_at
         FROM taken ON CONFLICT (id) DO UPDATE SET next_ring_at = excluded.next_ring_at RETURNING 1 AS one`,
        [since, listConsumed(consumer), limit, until],
      ),
    ),
  );
}

/**
 * Deletes the content of conversations. The outbox first: an acknowledgement that moves a row now
 * has committed before the second statement begins.
 */
export async function eraseHandovers(
  sql: Sql,
  organizationId: string,
  conversationIds: readonly string[],
): Promise<void> {
  const key = [organizationId, conversationIds];
  await sql(
    `DELETE FROM outbox WHERE organization_id = $1 AND about = ANY($2::text[]) AND contract <> 'conversation.erased'`,
    key,
  );
  await sql('DELETE FROM handovers WHERE organization_id = $1 AND about = ANY($2::text[])', key);
}

/** The services whose messages a consumer gets. */
export function listProducers(consumer: Service): Service[] {
  const rows = Object.values(contracts).filter((row) => row.consumer === consumer);
  const names: readonly string[] = rows.flatMap(({ producers }) => producers);
  return SERVICES.filter((service) => names.includes(service));
}
