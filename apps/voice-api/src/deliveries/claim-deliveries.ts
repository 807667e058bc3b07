// Claims batches: one statement gives their deliveries, one more the bodies, each event once.
//
// The lateral look-ups are fenced (OFFSET 0) so that every plan goes through the primary keys: prepared while the tables are new
// and small, a plan that reads them whole would be kept while they grow.
import type { Sql } from '@parley/postgres';
import type { WorkTable } from '@parley/queues';
import type { Deps } from '../deps.ts';
import type { DeliveryBatch } from './delivery-batches.ts';
import type { DeliveryKind } from './delivery.rules.ts';

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
  /** Others of its conversation wait for it (ordered-deliveries.ts). */
  readonly ordered: boolean;
  readonly source: ClaimedEvent;
}

export interface ClaimedBatches {
  /** The batches that are ours now. */
  readonly batchIds: readonly string[];
  /** Those of their deliveries that are still to be attempted. */
  readonly deliveries: readonly ClaimedDelivery[];
}

/** A member of a claimed batch; all but the batch is null where it is not to be attempted any more. */
type Member =
  | (Omit<ClaimedDelivery, 'source'> & { readonly eventId: string })
  | { readonly batchId: string; readonly id: null; readonly eventId: null };

/**
 * Claims those of the batches that are due and nobody's. One with which workers died is made into batches of one delivery each: they
 * are taken alone, one after the other.
 */
export function claimingDeliveries(
  { sql, ids }: Pick<Deps, 'sql' | 'ids'>,
  table: WorkTable<DeliveryBatch>,
): (batchIds: readonly string[], lease: string, alone: boolean) => Promise<ClaimedBatches> {
  const claim = table.claiming<Member>({
    select: `SELECT claimed.id AS "batchId", claimed.round, delivery.id, delivery.webhook_id AS "webhookId", delivery.kind,
            delivery.event, delivery.attempts, delivery.created_at AS "createdAt", delivery.ordered, delivery.event_id AS "eventId"
     FROM claimed
     CROSS JOIN LATERAL unnest(claimed.delivery_ids) AS member (id)
     LEFT JOIN LATERAL (
       SELECT * FROM webhook_deliveries AS row
       WHERE row.id = member.id AND row.round = claimed.round AND row.status IN ('pending', 'quarantined') OFFSET 0
     ) AS delivery ON true`,
  });
  return async (batchIds, lease, alone) => {
    const members = await claim(batchIds, lease, [], alone);
    const open = members.flatMap(({ id }) => id ?? []);
    if (alone && open.length > 1) {
      const parts = open.map(() => ids('dlb'));
      await table.ring(await sql<DeliveryBatch>(SPLIT, [batchIds, lease, parts, open]));
      return { batchIds: [], deliveries: [] };
    }
    const events = await readEvents(sql, [...new Set(members.flatMap(({ eventId }) => eventId ?? []))]);
    const deliveries: ClaimedDelivery[] = [];
    for (const member of members) {
      const source = member.id === null ? undefined : events.get(member.eventId);
      if (member.id === null || !source) continue; // a delivery whose event was purged meanwhile is purged itself
      const { batchId, id, round, webhookId, kind, event, attempts, createdAt, ordered } = member;
      deliveries.push({ batchId, id, round, webhookId, kind, event, attempts, createdAt, ordered, source });
    }
    return { batchIds: [...new Set(members.map((member) => member.batchId))], deliveries };
  };
}

/** Which of them made it large is not known. */
const SPLIT = `
  WITH whole AS (DELETE FROM webhook_delivery_batches WHERE id = ANY($1::text[]) AND lease = $2 RETURNING *)
  INSERT INTO webhook_delivery_batches (id, delivery_ids, round, due_at, next_ring_at, rings, bytes, deaths)
  SELECT part.id, ARRAY[part.delivery_id], round, due_at, due_at, 0, bytes, deaths
  FROM whole, unnest($3::text[], $4::text[]) AS part (id, delivery_id)
  RETURNING id, rings, due_at AS "dueAt", 1 AS count`;

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
