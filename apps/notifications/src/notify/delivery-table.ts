// The work table `deliveries`, one row a channel of a notification, and the job that rings for a row
// (docs/platform.md#leases-and-rings).
import {
  createWorkTable,
  type ChannelName,
  type JobKind,
  type QueueName,
  type WorkRow,
  type WorkTable,
  type WorkTableOptions,
} from '@parley/queues';
import { z } from 'zod';
import type { Channel } from '../channels/channel.ts';
import type { Deps } from '../deps.ts';

export interface DueDelivery extends WorkRow {
  readonly channel: string;
  readonly status: string;
  /** Begun so far, with the one that is under way. */
  readonly attempts: number;
}

/** It claims and hands over: half a minute of repeats from half a second is for an outage of Postgres, then the sweeper comes. */
const ATTEMPTS = 6;
const TIMEOUT_MS = 60_000;
/**
 * Clocks of two replicas differ. A job that arrives at a worker whose clock is a little behind would otherwise find its row
 * not due yet, and wait for the sweeper.
 */
export const CLOCKS_APART_MS = 2_000;

export function deliveryJob(queue: QueueName): JobKind<{ id: string }> {
  const payload = z.strictObject({ id: z.string() });
  return { name: 'delivery.send', queue, payload, attempts: ATTEMPTS, timeoutMs: TIMEOUT_MS };
}

/** Rows may hold a name that this version or this deployment does not know. What stands behind a dot says what of the channel it is. */
export function channelOf({ channels }: Pick<Deps, 'channels'>, name: string): Channel | undefined {
  return channels.get(name.split('.')[0] as ChannelName);
}

/** A message and a subject in the widest characters; the rest of what a delivery makes a worker load is its own. */
export const NOTICE_BYTES = 41_000;
const CLAIM_BYTES = {
  of: `${NOTICE_BYTES} + octet_length(plan) + COALESCE(octet_length(sealed), 0) + COALESCE(shared_bytes, 0)`,
  max: 4 * 1024 * 1024,
};

export function deliveryTable(
  deps: Pick<Deps, 'channels' | 'pool' | 'queues' | 'clock' | 'config'>,
  more: Pick<WorkTableOptions<DueDelivery>, 'onQuarantine'> = {},
): WorkTable<DueDelivery> {
  return createWorkTable<DueDelivery>({
    ...deps,
    ...more,
    claimBytes: CLAIM_BYTES,
    table: 'deliveries',
    columns: { dueAt: 'next_attempt_at' },
    select: 'channel, status, attempts',
    setOnRelease: "status = 'queued', attempts = attempts - 1",
    leaseMs: deps.config.DELIVERY_LEASE_MS,
    earlyMs: CLOCKS_APART_MS,
    toJobs: (rows) =>
      rows.flatMap((row) => {
        const queue = channelOf(deps, row.channel)?.queue;
        if (!queue) return [];
        const attempt = row.status === 'sending' ? row.attempts : row.attempts + 1;
        const newJob = { row: row.id, attempt, enqueueNumber: row.rings, payload: { id: row.id } };
        return [{ kind: deliveryJob(queue), newJob, rows: [row] }];
      }),
  });
}
