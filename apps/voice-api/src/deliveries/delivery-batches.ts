// Batches of deliveries: their work table, the job that wakes up workers for its rows, and
// enqueueing after a commit (docs/platform.md#leases-and-rings).
import { z } from 'zod';
import { createGroupCommit } from '@parley/server/runtime';
import {
  createWorkTable,
  type JobKind,
  type WorkJob,
  type WorkRow,
  type WorkTable,
  type WorkTableOptions,
} from '@parley/jobs';
import type { BaseDeps } from '../base-deps.ts';
import { BATCH_DELIVERIES_MAX } from './plan-deliveries.rules.ts';

/** Deliveries that are enqueued, claimed and leased together. */
export interface DeliveryBatch extends WorkRow {
  readonly count: number;
}

/** A job carries as many ids as deliveries, because each batch has at least one. */
export const attemptJob: JobKind<{ batches: string[] }> = {
  name: 'delivery.attempt',
  queue: 'webhook-deliveries',
  payload: z.object({ batches: z.array(z.string().min(1).max(64)).min(1).max(BATCH_DELIVERIES_MAX) }),
  // The sweeper re-enqueues what no worker claims, so few attempts suffice.
  attempts: 3,
  /** The job only claims and passes on; sending continues after it. */
  timeoutMs: 20_000,
};

/** Bytes of bodies that one claim loads. */
const CLAIM_BYTES_MAX = 4 * 1024 * 1024;
const CLAIM_BYTES = { of: 'bytes', max: CLAIM_BYTES_MAX };

export function deliveryBatches(
  { pool, queues, clock }: Pick<BaseDeps, 'pool' | 'queues' | 'clock'>,
  more: Pick<WorkTableOptions<DeliveryBatch>, 'onQuarantine'> = {},
): WorkTable<DeliveryBatch> {
  return createWorkTable<DeliveryBatch>({
    ...more,
    claimBytes: CLAIM_BYTES,
    table: 'webhook_delivery_batches',
    columns: { leasedUntil: 'lease_until' },
    select: 'cardinality(delivery_ids) AS count',
    toJobs: (batches) => toJobs(batches, clock()),
    pool,
    queues,
    clock,
  });
}

/** As few jobs as possible, of BATCH_DELIVERIES_MAX deliveries. Later batches are delayed. */
function toJobs(batches: readonly DeliveryBatch[], nowMs: number): WorkJob<DeliveryBatch>[] {
  const jobs: DeliveryBatch[][] = [];
  let open: DeliveryBatch[] | undefined;
  let deliveries = 0;
  for (const batch of batches) {
    if (batch.dueAt.getTime() > nowMs) {
      jobs.push([batch]);
    } else if (open && deliveries + batch.count <= BATCH_DELIVERIES_MAX) {
      open.push(batch);
      deliveries += batch.count;
    } else {
      jobs.push((open = [batch]));
      deliveries = batch.count;
    }
  }
  return jobs.map((rows) => {
    const [{ id, rings }] = rows as [DeliveryBatch];
    const payload = { batches: rows.map((batch) => batch.id) };
    return { kind: attemptJob, newJob: { row: id, attempt: 1, enqueueNumber: rings, payload }, rows };
  });
}

/** Batches wait this long to share a job, which costs ten times a delivery's share. */
const GATHER_MS = 2;
/** Deliveries whose jobs are enqueued with one command. */
const GROUP_DELIVERIES_MAX = 10_000;

export interface DeliveryEnqueuer {
  /** Enqueues committed batches. Returns immediately and never throws. */
  enqueue(batches: readonly DeliveryBatch[]): void;
  /** Enqueues what is gathered and waits for it. */
  close(): Promise<void>;
}

export function createDeliveryEnqueuer(table: Pick<WorkTable<DeliveryBatch>, 'enqueue'>): DeliveryEnqueuer {
  const group = createGroupCommit<readonly DeliveryBatch[]>({
    groupMax: GROUP_DELIVERIES_MAX,
    measureWeight: (batches) => batches.reduce((sum, { count }) => sum + count, 0),
    waitMs: GATHER_MS,
    write: async (calls) => void (await table.enqueue(calls.flat())),
  });
  return {
    enqueue: (batches) => {
      if (batches.length > 0) void group.add(batches);
    },
    close: () => group.close(),
  };
}
