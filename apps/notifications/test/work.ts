// A worker's hand for one step: takes what a test names, and waits for what comes of it.
import type { Deps } from '../src/deps.ts';
import { claimingDeliveries, type Claimed } from '../src/notify/claim-delivery.ts';
import { deliveryTable } from '../src/notify/delivery-table.ts';
import { createDeliverySender } from '../src/notify/send-deliveries.ts';
import { createChunkSender } from '../src/push/send-chunk.ts';
import type { PushDeps } from '../src/push/send-devices.ts';

export const never = new AbortController().signal;

/** Rings for a delivery. */
export async function deliver(deps: Deps, id: string): Promise<void> {
  const sender = createDeliverySender(deps);
  await sender.take(id, never);
  await sender.close();
}

/** One round of the sweeper. */
export async function sweep(deps: Deps): Promise<number> {
  const sender = createDeliverySender(deps);
  const swept = await sender.sweep();
  await sender.close();
  return swept;
}

/** Takes a delivery and does nothing with it, as a worker that is killed. */
export async function claim(deps: Deps, id: string): Promise<Claimed> {
  const [claimed] = await claimingDeliveries(deliveryTable(deps))([id], 'a worker that is killed');
  return claimed!;
}

/** Rings for all chunks of a delivery. */
export async function sendChunks(deps: PushDeps, deliveryId: string): Promise<void> {
  const rows = await deps.sql<{ id: string }>('SELECT id FROM push_chunks WHERE delivery_id = $1', [
    deliveryId,
  ]);
  const sender = createChunkSender(deps);
  for (const { id } of rows) await sender.take([id], never);
  await sender.close();
}
