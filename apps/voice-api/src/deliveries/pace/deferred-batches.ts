// Batches that were deferred because their receiver was in doubt. They are due within a minute.
// When the receiver answers again, some at a time become due immediately
// (docs/voice-api.md#batches-and-lanes). Only the process that deferred them knows them; after a
// restart they run when they are due.
import { LRUCache } from 'lru-cache';
import { DEFERRAL_MS_MAX, type WorkTable } from '@parley/jobs';
import type { Deps } from '../deps.ts';
import type { DeliveryBatch } from '../delivery-batches.ts';

/** Receivers in doubt at a time. Deliveries of further ones run when they are due. */
const LANES_MAX = 1_000;
/** What a fast receiver takes within a minute. Longer backlogs are due by then anyway. */
const BATCHES_PER_LANE_MAX = 500;
/** Up to 500 deliveries. Bounds the moves for a receiver that fails every other time. */
const FORWARD_MAX = 10;

export interface DeferredBatches {
  keep(lane: string, batch: DeliveryBatch): void;
  /** Makes the next batches of free lanes due now and enqueues them. */
  bringForward(isFree: (lane: string) => boolean): Promise<void>;
}

export function createDeferredBatches(
  { clock, log }: Pick<Deps, 'clock' | 'log'>,
  table: WorkTable<DeliveryBatch>,
): DeferredBatches {
  const batchesByLane = new LRUCache<string, DeliveryBatch[]>({ max: LANES_MAX, ttl: DEFERRAL_MS_MAX });
  const listWaiting = (lane: string) =>
    (batchesByLane.get(lane) ?? []).filter(({ dueAt }) => dueAt.getTime() > clock());

  return {
    keep: (lane, batch) => {
      const batches = listWaiting(lane);
      if (batches.length < BATCHES_PER_LANE_MAX) batches.push(batch);
      batchesByLane.set(lane, batches);
    },
    bringForward: async (isFree) => {
      for (const lane of [...batchesByLane.keys()].filter(isFree)) {
        const batches = listWaiting(lane);
        const ids = batches.splice(0, FORWARD_MAX).map(({ id }) => id);
        if (batches.length > 0) batchesByLane.set(lane, batches);
        else batchesByLane.delete(lane);
        if (ids.length === 0) continue;
        const due = await table.bringForward(ids);
        // Without the lane: an address may hold a token.
        log.info({ batches: due.length }, 'delivery.brought_forward');
        await table.enqueue(due);
      }
    },
  };
}
