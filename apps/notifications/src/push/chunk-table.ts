// The work table `push_chunks`, and the job that rings for a chunk. It has a queue of its own, so that a broadcast to everybody does
// not stand in front of what is sent to one user.
import {
  createWorkTable,
  type JobKind,
  type WorkRow,
  type WorkTable,
  type WorkTableOptions,
} from '@parley/queues';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import { CLOCKS_APART_MS } from '../notify/delivery-table.ts';

export const chunkJob: JobKind<{ id: string }> = {
  name: 'push.chunk',
  queue: 'push-chunks',
  payload: z.object({ id: z.string() }),
  attempts: 6, // 0.5 s doubling: half a minute; a longer outage is the sweeper's
  timeoutMs: 60_000, // it claims and hands over, once there is a place
};

export function chunkTable(
  deps: Pick<Deps, 'pool' | 'queues' | 'clock' | 'config'>,
  more: Pick<WorkTableOptions<WorkRow>, 'onQuarantine'> = {},
): WorkTable<WorkRow> {
  return createWorkTable<WorkRow>({
    ...deps,
    ...more,
    table: 'push_chunks',
    columns: { lease: 'claim' },
    leaseMs: deps.config.DELIVERY_LEASE_MS,
    earlyMs: CLOCKS_APART_MS,
    toJobs: (rows) =>
      rows.map((row) => {
        const { id, rings } = row;
        return {
          kind: chunkJob,
          newJob: { row: id, attempt: 1, enqueueNumber: rings, payload: { id } },
          rows: [row],
        };
      }),
  });
}
