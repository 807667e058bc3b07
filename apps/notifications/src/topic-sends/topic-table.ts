// The work table `topic_sends` and its job. Its own queue keeps large topics from delaying sends to
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
import type { Deps } from '../deps.ts';
import { CLOCKS_APART_MS } from '../config/delivery.ts';

export const topicJob: JobKind<{ id: string }> = {
  name: 'topic.send',
  queue: 'topic-sends',
  payload: z.strictObject({ id: z.string() }),
  attempts: 6, // 0.5 s doubling: half a minute, then the sweeper takes over
  timeoutMs: 60_000, // claims and passes on, once there is a free place
};

export function topicTable(
  deps: Pick<Deps, 'pool' | 'queues' | 'leaseMs' | 'clock' | 'config'>,
  more: Pick<WorkTableOptions<WorkRow>, 'onQuarantine'> = {},
): WorkTable<WorkRow> {
  return createWorkTable<WorkRow>({
    ...deps,
    ...more,
    table: 'topic_sends',
    claimable: 'outcome IS NULL',
    leaseMs: deps.leaseMs,
    earlyMs: CLOCKS_APART_MS,
    toJobs: (rows) => rows.map((row) => toRowJob(topicJob, row)),
  });
}
