// Claims batches: one statement for their deliveries, another for the events, each event once.
//
// OFFSET 0 in the lateral queries forces index scans: a plan prepared while the tables are small
// would otherwise keep reading them whole.
import type { Sql } from '@parley/server/postgres';
import type { WorkTable } from '@parley/jobs';
import type { Deps } from './deps.ts';
import type { DeliveryBatch } from './delivery-batches.ts';
import type { DeliveryKind } from './delivery.rules.ts';

/** What a delivery sends, shared by all deliveries of the event in a claim. */
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

/** A delivery to attempt, with everything it needs. */
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
  /** Later deliveries of its conversation wait for it (ordered-deliveries.ts). */
  readonly ordered: boolean;
  readonly source: ClaimedEvent;
}

export interface ClaimedBatches {
  /** The claimed batches. */
  readonly batchIds: readonly string[];
  /** Their deliveries that are still to be attempted. */
  readonly deliveries: readonly ClaimedDelivery[];
}

/** A member of a claimed batch. All but the batch is null when there is nothing to attempt. */
type Member =
  | (Omit<ClaimedDelivery, 'source'> & { readonly eventId: string })
  | { readonly batchId: string; readonly id: null; readonly eventId: null };

/**
 * Claims the due batches that no worker holds. A batch with which workers crashed is split into
 * batches of one delivery each, which run in isolation one after the other.
 */
export function createDeliveryClaim(
  { sql, ids }: Pick<Deps, 'sql' | 'ids'>,
  table: WorkTable<DeliveryBatch>,
): (batchIds: readonly string[], lease: string, alone: boolean) => Promise<ClaimedBatches> {
  const claim = table.prepareClaim<Member>({
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
      await table.enqueue(await sql<DeliveryBatch>(SPLIT, [batchIds, lease, parts, open]));
      return { batchIds: [], deliveries: [] };
    }
    const events = await readEvents(sql, [...new Set(members.flatMap(({ eventId }) => eventId ?? []))]);
    const deliveries: ClaimedDelivery[] = [];
    for (const member of members) {
      const source = member.id === null ? undefined : events.get(member.eventId);
      if (member.id === null || !source) continue; // the event was purged, and the delivery will be
      const { batchId, id, round, webhookId, kind, event, attempts, createdAt, ordered } = member;
      deliveries.push({ batchId, id, round, webhookId, kind, event, attempts, createdAt, ordered, source });
    }
    return { batchIds: [...new Set(members.map((member) => member.batchId))], deliveries };
  };
}

/** The size of each delivery is unknown, so each part has that of the whole. */
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
