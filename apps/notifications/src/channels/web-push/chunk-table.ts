// The work table `push_chunks` and its job. Its own queue keeps broadcasts from delaying sends to
// one user.
import {
  createWorkTable,
  toRowJob,
  type JobKind,
  type WorkRow,
  type WorkTable,
  type WorkTableOptions,
} from '@parley/jobs';
import { z } from 'zod';
import type { BaseDeps } from '../../base-deps.ts';
import { CLOCKS_APART_MS } from '../../config/delivery.ts';

export const chunkJob: JobKind<{ id: string }> = {
  name: 'push.chunk',
  queue: 'push-chunks',
  payload: z.object({ id: z.string() }),
  attempts: 6, // 0.5 s doubling: half a minute, then the sweeper takes over
  timeoutMs: 60_000, // claims and passes on, once there is a free place
};

export function chunkTable(
  deps: Pick<BaseDeps, 'pool' | 'queues' | 'leaseMs' | 'clock' | 'config'>,
  more: Pick<WorkTableOptions<WorkRow>, 'onQuarantine'> = {},
): WorkTable<WorkRow> {
  return createWorkTable<WorkRow>({
    ...deps,
    ...more,
    table: 'push_chunks',
    columns: { lease: 'claim' },
    leaseMs: deps.leaseMs,
    earlyMs: CLOCKS_APART_MS,
    toJobs: (rows) => rows.map((row) => toRowJob(chunkJob, row)),
  });
}
