// Single worker steps for tests: accept a named row and wait for its result.
import type { Deps } from '../src/deps.ts';
import { createDeliveryClaim, type ClaimedDelivery } from '../src/deliver/delivery-table.ts';
import { deliveryTable } from '../src/deliver/delivery-table.ts';
import { createDeliverySender } from '../src/deliver/send-deliveries.ts';
import { createChunkSender } from '../src/channels/web-push/send-chunk.ts';
import type { PushDeps } from '../src/channels/web-push/send-devices.ts';

export const never = new AbortController().signal;

/** Claims a delivery, attempts it and waits for its outcome. */
export async function deliver(deps: Deps, id: string): Promise<void> {
  const sender = createDeliverySender(deps);
  await sender.accept(id, never);
  await sender.close();
}

/** One round of the sweeper. */
export async function sweep(deps: Deps): Promise<number> {
  const sender = createDeliverySender(deps);
  const swept = await sender.sweep();
  await sender.close();
  return swept;
}

/** Claims a delivery and does nothing with it, like a killed worker. */
export async function claim(deps: Deps, id: string): Promise<ClaimedDelivery> {
  const [claimed] = await createDeliveryClaim(deliveryTable(deps))([id], 'a worker that is killed');
  return claimed!;
}

/** Sends all chunks of a delivery. */
export async function sendChunks(deps: PushDeps, deliveryId: string): Promise<void> {
  const rows = await deps.sql<{ id: string }>('SELECT id FROM push_chunks WHERE delivery_id = $1', [
    deliveryId,
  ]);
  const sender = createChunkSender(deps);
  for (const { id } of rows) await sender.accept([id], never);
  await sender.close();
}
