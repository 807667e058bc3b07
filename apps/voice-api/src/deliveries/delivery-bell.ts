// Rings for batches of deliveries: the job of the queue `webhook-deliveries` that is the voice API's own. Made in deps.ts; called
// after every commit that leaves a batch to be attempted, and by the sweeper.
import { z } from 'zod';
import type { JobKind, Queues, Ring } from '@parley/queues';
import { BATCH_DELIVERIES_MAX } from './plan-deliveries.rules.ts';

/** A batch that somebody should claim. */
export interface DueBatch {
  readonly id: string;
  /** How many deliveries it holds. */
  readonly count: number;
  /** When it may be claimed, epoch ms. */
  readonly dueAtMs: number;
  /** How often it was rung before. */
  readonly rings: number;
}

/** As many ids as a job may carry; each batch has at least one delivery. */
export const attemptJob: JobKind<{ batches: string[] }> = {
  name: 'delivery.attempt',
  queue: 'webhook-deliveries',
  payload: z.object({ batches: z.array(z.string().min(1).max(64)).min(1).max(BATCH_DELIVERIES_MAX) }),
  // The sweeper rings again for what is not claimed: BullMQ need not be patient.
  attempts: 3,
  /** It claims and hands over; the sending goes on after it. */
  timeoutMs: 20_000,
};

/** Batches that are due at once wait so long for others, to share a job: a job costs ten times a delivery's share of one. */
const GATHER_MS = 2;
/** Delayed jobs become due by Redis' reckoning; a job that came a moment early would find nothing to claim. */
const DELAY_MARGIN_MS = 10;

export interface DeliveryBell {
  /** Returns at once and never throws. */
  ring(batches: readonly DueBatch[]): void;
  /** Rings for what is gathered and waits for it. */
  close(): Promise<void>;
}

export function createDeliveryBell(queues: Queues, clock: () => number): DeliveryBell {
  const producer = queues.producer(attemptJob);
  const ringing = new Set<Promise<unknown>>();
  let gathered: DueBatch[] = [];
  let count = 0;
  let timer: NodeJS.Timeout | undefined;

  function put(rings: Ring<{ batches: string[] }>[]): void {
    const bell = producer.ring(rings).finally(() => ringing.delete(bell));
    ringing.add(bell);
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const batches = gathered;
    gathered = [];
    count = 0;
    put(jobsOf(batches));
  }

  return {
    ring: (batches) => {
      const nowMs = clock();
      const later = batches.filter((batch) => batch.dueAtMs > nowMs);
      if (later.length > 0) {
        put(
          later.map((batch) => ({
            ...ringOf([batch]),
            delayMs: Math.ceil(batch.dueAtMs - nowMs) + DELAY_MARGIN_MS,
          })),
        );
      }
      for (const batch of batches) {
        if (batch.dueAtMs > nowMs) continue;
        gathered.push(batch);
        count += batch.count;
      }
      if (count >= BATCH_DELIVERIES_MAX) flush();
      else if (gathered.length > 0) timer ??= setTimeout(flush, GATHER_MS);
    },
    close: async () => {
      if (gathered.length > 0) flush();
      await Promise.all(ringing);
    },
  };
}

/** As few jobs as there can be with at most BATCH_DELIVERIES_MAX deliveries in each. */
function jobsOf(batches: readonly DueBatch[]): Ring<{ batches: string[] }>[] {
  const jobs: Ring<{ batches: string[] }>[] = [];
  let together: DueBatch[] = [];
  let deliveries = 0;
  for (const batch of batches) {
    if (together.length > 0 && deliveries + batch.count > BATCH_DELIVERIES_MAX) {
      jobs.push(ringOf(together));
      together = [];
      deliveries = 0;
    }
    together.push(batch);
    deliveries += batch.count;
  }
  if (together.length > 0) jobs.push(ringOf(together));
  return jobs;
}

/** The job is named by its first batch: rung twice at once, the second ring is dropped, and the sweeper's has another number. */
function ringOf(batches: readonly DueBatch[]): Ring<{ batches: string[] }> {
  const [first] = batches as [DueBatch];
  return { row: first.id, attempt: 1, ring: first.rings, payload: { batches: batches.map(({ id }) => id) } };
}
