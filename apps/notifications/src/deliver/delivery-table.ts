// The work table `deliveries`, one row for each channel of a notification, and the job that wakes a
// worker for a row (docs/platform.md#leases-and-rings).
import {
  createWorkTable,
  type ChannelName,
  type JobKind,
  type QueueName,
  type WorkRow,
  type WorkTable,
  type WorkTableOptions,
} from '@parley/jobs';
import { z } from 'zod';
import type { Channel } from '../channels/channel.ts';
import type { Deps } from '../deps.ts';
import { CLOCKS_APART_MS } from '../config/delivery.ts';

export interface DueDelivery extends WorkRow {
  readonly channel: string;
  readonly status: string;
  /** Attempts begun, including the one in flight. */
  readonly attempts: number;
}

/** Half a minute of retries without Postgres; after that the sweeper re-enqueues. */
const ATTEMPTS = 6;
const TIMEOUT_MS = 60_000;

export function deliveryJob(queue: QueueName): JobKind<{ id: string }> {
  const payload = z.strictObject({ id: z.string() });
  return { name: 'delivery.send', queue, payload, attempts: ATTEMPTS, timeoutMs: TIMEOUT_MS };
}

/** Stands for a channel name: a notification has one delivery of each name. */
export const WITHDRAWAL = 'web_push.withdraw';

/** SQL condition for a delivery that is a withdrawal. */
export function isWithdrawal(table: string): string {
  return `${table}.channel = '${WITHDRAWAL}'`;
}

/** A suffix after a dot marks a special delivery of the channel. */
export function findChannel({ channels }: Pick<Deps, 'channels'>, name: string): Channel | undefined {
  return channels.get(name.split('.')[0] as ChannelName);
}

/** Message and subject in the widest characters; the rest is counted from the row. */
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
        const queue = findChannel(deps, row.channel)?.queue;
        if (!queue) return [];
        const attempt = row.status === 'sending' ? row.attempts : row.attempts + 1;
        const newJob = { row: row.id, attempt, enqueueNumber: row.rings, payload: { id: row.id } };
        return [{ kind: deliveryJob(queue), newJob, rows: [row] }];
      }),
  });
}
