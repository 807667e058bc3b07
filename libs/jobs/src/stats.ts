// Sizes of the queues and the outbox for /metrics. Everything here is bounded, and nothing throws
// because the engine is away.
import type { Sql } from '@parley/server/postgres';
import { type Clock, within } from '@parley/server/runtime';
import { COMMAND_TIMEOUT_MS, type Engine } from './engine/engine.ts';
import { NEVER } from './reenqueue.rules.ts';

export interface QueueStats {
  readonly queue: string;
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  /** Malformed jobs, stored for inspection. */
  readonly failed: number;
  /** How long the first waiting job has been ready (ms); 0 when none waits. */
  readonly oldestMs: number;
}

/** Omits queues that cannot be read. */
export async function readQueueStats(
  engine: Engine,
  names: readonly string[],
  clock: Clock,
): Promise<QueueStats[]> {
  const read = async (name: string): Promise<QueueStats | undefined> => {
    const queue = await engine.queue(name);
    if (!queue) return undefined;
    const [counts, [first]] = await Promise.all([
      queue.getJobCounts('waiting', 'active', 'delayed', 'failed'),
      queue.getJobs(['waiting'], 0, 0, true),
    ]);
    const { waiting = 0, active = 0, delayed = 0, failed = 0 } = counts;
    const oldestMs = first ? Math.max(0, clock() - first.timestamp - (first.opts.delay ?? 0)) : 0;
    return { queue: name, waiting, active, delayed, failed, oldestMs };
  };
  const stats = await Promise.all(
    names.map((name) => within(read(name), COMMAND_TIMEOUT_MS).catch(() => undefined)),
  );
  return stats.filter((one) => one !== undefined);
}

export interface OutboxStats {
  /** Messages without an acknowledgement; counted up to OUTBOX_COUNT_MAX. */
  readonly unacknowledged: number;
  /** Age of the oldest of them (ms). */
  readonly oldestMs: number;
  /** Those that are not re-enqueued any more: an operator must look (README). */
  readonly stuck: number;
}

/** A larger number would say nothing more and cost too much to count. */
export const OUTBOX_COUNT_MAX = 10_000;

export async function readOutboxStats(sql: Sql, clock: Clock): Promise<OutboxStats> {
  const [row] = await sql<{ unacknowledged: number; stuck: number; oldest: Date | null }>(
    `SELECT (SELECT count(*)::int FROM (SELECT 1 FROM outbox LIMIT $1) AS few) AS unacknowledged,
            (SELECT count(*)::int FROM (SELECT 1 FROM outbox WHERE next_ring_at >= $2 LIMIT $1) AS few) AS stuck,
            (SELECT created_at FROM outbox ORDER BY id LIMIT 1) AS oldest`, // ids sort by time
    [OUTBOX_COUNT_MAX, NEVER],
  );
  const { unacknowledged = 0, stuck = 0, oldest = null } = row ?? {};
  return { unacknowledged, stuck, oldestMs: oldest ? Math.max(0, clock() - oldest.getTime()) : 0 };
}
