// The bell of chunks. They have a queue of their own, so that a broadcast to everybody does not stand in front of what is sent
// to one user. Called after commit by whoever opens a chunk, and by the sweeper.
import { jobIdOf, type JobKind } from '@parley/queues';
import { inTransaction } from '@parley/postgres';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import { ringWaitMs } from '../notify/ring.rules.ts';

export const CHUNK_QUEUE = 'push-chunks';

export const chunkJob: JobKind<{ id: string }> = {
  name: 'push.chunk',
  queue: CHUNK_QUEUE,
  payload: z.object({ id: z.string() }),
  attempts: 6, // 0.5 s doubling: half a minute; a longer outage is the sweeper's
  timeoutMs: 10 * 60_000, // ten batches, each with a service that never answers in time, twice over
};

interface Due {
  readonly id: string;
  readonly rings: number;
}

/** False when the engine is away: the sweeper rings. */
export function ringChunks({ queues }: Pick<Deps, 'queues'>, due: readonly Due[]): Promise<boolean> {
  return queues
    .producer(chunkJob)
    .ring(due.map(({ id, rings }) => ({ row: id, attempt: 1, ring: rings, payload: { id } })));
}

/** A broadcast has as many chunks open as workers have in hand, and one. */
const SWEEP_ROWS_MAX = 200;

/** Rings again for chunks that nobody holds: their job was lost, or their worker was. */
export async function sweepChunks(deps: Pick<Deps, 'pool' | 'queues' | 'clock'>): Promise<void> {
  await inTransaction(deps.pool, async (sql) => {
    const nowMs = deps.clock();
    const due = await sql<Due>(
      `SELECT id, rings + 1 AS rings FROM push_chunks WHERE next_ring_at <= $1
       ORDER BY next_ring_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [new Date(nowMs), SWEEP_ROWS_MAX],
    );
    if (due.length === 0) return;
    const lastJobs = due.map(({ id, rings }) => jobIdOf(id, 1, rings - 1));
    const waiting = await deps.queues.findQueued(CHUNK_QUEUE, lastJobs);
    const silent = due.filter((_, index) => waiting && !waiting.has(lastJobs[index]!));
    const rung = silent.length > 0 && (await ringChunks(deps, silent)) ? silent : [];
    const moved = [
      ...rung,
      ...due
        .filter((row) => waiting && !silent.includes(row))
        .map(({ id, rings }) => ({ id, rings: rings - 1 })),
    ];
    await sql(
      `UPDATE push_chunks SET rings = next.rings, next_ring_at = next.at
       FROM unnest($1::text[], $2::int[], $3::timestamptz[]) AS next (id, rings, at) WHERE push_chunks.id = next.id`,
      [
        moved.map(({ id }) => id),
        moved.map(({ rings }) => rings),
        moved.map(({ rings }) => new Date(nowMs + ringWaitMs(rings))),
      ],
    );
  });
}
