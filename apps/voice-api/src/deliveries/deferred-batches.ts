// Batches that went back to Postgres while their receiver was in doubt. They are due within a minute; once the receiver answers
// again they are made due at once, some at a time. Known to the process that sent them back and to no other: after a restart they
// come when they are due. Made by send-deliveries.ts.
import { LRUCache } from 'lru-cache';
import type { Deps } from '../deps.ts';
import { bringBatchesForward } from './claim-batches.ts';
import type { DueBatch } from './delivery-bell.ts';
import { DEFERRAL_MS_MAX } from './pacing.rules.ts';

/** Receivers in doubt at once; those beyond are served when their deliveries are due. */
const LANES_MAX = 1_000;
/** What a fast receiver takes within a minute. The rest of a longer backlog is due by then anyway. */
const BATCHES_PER_LANE_MAX = 500;
/** Up to 500 deliveries: one that hangs every other time must not have its whole backlog moved to and fro. */
const FORWARD_MAX = 10;

export interface DoubtedBatches {
  keep(lane: string, batch: DueBatch): void;
  /** Those with batches. */
  lanes(): readonly string[];
  /** Makes the next batches of this lane due now, and rings for them. Should it fail, they come when they are due. */
  bringForward(lane: string): Promise<void>;
}

export function createDoubtedBatches(
  deps: Pick<Deps, 'sql' | 'clock' | 'log' | 'deliveryBell'>,
): DoubtedBatches {
  const { sql, clock, log, deliveryBell } = deps;
  const kept = new LRUCache<string, DueBatch[]>({ max: LANES_MAX, ttl: DEFERRAL_MS_MAX });
  const stillWaiting = (lane: string) => (kept.get(lane) ?? []).filter(({ dueAtMs }) => dueAtMs > clock());

  return {
    keep: (lane, batch) => {
      const batches = stillWaiting(lane);
      if (batches.length < BATCHES_PER_LANE_MAX) batches.push(batch);
      kept.set(lane, batches);
    },
    lanes: () => [...kept.keys()],
    bringForward: async (lane) => {
      const batches = stillWaiting(lane);
      const ids = batches.splice(0, FORWARD_MAX).map(({ id }) => id);
      if (batches.length > 0) kept.set(lane, batches);
      else kept.delete(lane);
      if (ids.length === 0) return;
      const due = await bringBatchesForward(sql, ids, clock());
      deliveryBell.ring(due);
      log.info({ batches: due.length }, 'delivery.brought_forward'); // not the lane: an address may hold a token
    },
  };
}
