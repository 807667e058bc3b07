// The job of a delivery, and the bell for it. Called after commit by whoever wrote or moved delivery rows, and by the
// sweeper for rows whose job was lost.
import type { JobKind } from '@parley/queues';
import { z } from 'zod';
import { CHANNEL_NAMES, type ChannelName, type ChannelQueue } from '../channels/channel.ts';
import type { Deps } from '../deps.ts';

const payload = z.strictObject({ id: z.string() });
export type DeliveryJob = z.output<typeof payload>;

/** Half a minute of outage of ours (Postgres), then the sweeper: waits double from half a second. */
const ATTEMPTS = 6;
/** Above the time-outs of every channel (two mail providers one after the other among them), and below the stop. */
const TIMEOUT_MS = 60_000;

export function deliveryJob(queue: ChannelQueue): JobKind<DeliveryJob> {
  return { name: 'delivery.send', queue, payload, attempts: ATTEMPTS, timeoutMs: TIMEOUT_MS };
}

/** A delivery to ring for. `attempt` and `ring` make the job's id: a ring that was used before is dropped as a repeat. */
export interface Due {
  readonly id: string;
  readonly channel: string;
  /** Attempts begun so far. */
  readonly attempts: number;
  readonly rings: number;
  readonly delayMs?: number;
}

/** Rows may hold a name that this version does not know. */
export function isChannelName(name: string): name is ChannelName {
  return (CHANNEL_NAMES as readonly string[]).includes(name);
}

/** The queue of a channel; null for one that has none, or that this deployment does not have (any more). */
export function queueOf(deps: Pick<Deps, 'channels'>, channel: string): ChannelQueue | null {
  return (isChannelName(channel) ? deps.channels.get(channel)?.queue : undefined) ?? null;
}

/** Rings, queue by queue. Gives those that the engine took; the others are rung by the sweeper. Never throws. */
export async function ringDeliveries(
  deps: Pick<Deps, 'channels' | 'queues'>,
  due: readonly Due[],
): Promise<readonly Due[]> {
  const byQueue = new Map<ChannelQueue, Due[]>();
  for (const one of due) {
    const queue = queueOf(deps, one.channel);
    if (queue) byQueue.set(queue, [...(byQueue.get(queue) ?? []), one]);
  }
  const rung: Due[] = [];
  for (const [queue, ofQueue] of byQueue) {
    const rings = ofQueue.map(({ id, attempts, rings: ring, delayMs = 0 }) => ({
      row: id,
      attempt: attempts + 1,
      ring,
      payload: { id },
      delayMs,
    }));
    if (await deps.queues.producer(deliveryJob(queue)).ring(rings)) rung.push(...ofQueue);
  }
  return rung;
}
