// The work table `topic_sends`, and the job that rings for a send to a topic. It has a queue of its own, so that a large topic does not
// stand in front of what is sent to one user.
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

export const topicJob: JobKind<{ id: string }> = {
  name: 'topic.send',
  queue: 'topic-sends',
  payload: z.strictObject({ id: z.string() }),
  attempts: 6, // 0.5 s doubling: half a minute; a longer outage is the sweeper's
  timeoutMs: 60_000, // it claims and hands over, once there is a place
};

export function topicTable(
  deps: Pick<Deps, 'pool' | 'queues' | 'clock' | 'config'>,
  more: Pick<WorkTableOptions<WorkRow>, 'onQuarantine'> = {},
): WorkTable<WorkRow> {
  return createWorkTable<WorkRow>({
    ...deps,
    ...more,
    table: 'topic_sends',
    claimable: 'outcome IS NULL',
    leaseMs: deps.config.DELIVERY_LEASE_MS,
    earlyMs: CLOCKS_APART_MS,
    toJobs: (rows) =>
      rows.map((row) => {
        const { id, rings } = row;
        return {
          kind: topicJob,
          newJob: { row: id, attempt: 1, enqueueNumber: rings, payload: { id } },
          rows: [row],
        };
      }),
  });
}
