// Rings for deliveries that are due and have no job: the engine was away or wiped, a worker was killed, the time of a
// scheduled send has come. Run by every worker process; several may at once (platform §2).
import { inTransaction, type Sql } from '@parley/postgres';
import { jobIdOf } from '@parley/queues';
import { ignoreFailure } from '@parley/runtime';
import type { Deps } from '../deps.ts';
import { deliverChannel } from './deliver-channel.ts';
import { queueOf, ringDeliveries, type Due } from './ring-deliveries.ts';
import { ringWaitMs } from './ring.rules.ts';

/** Rows that a transaction holds while it rings for them. */
const SWEEP_ROWS_MAX = 200;
/** Batches in one round; a larger backlog goes on in the next round. */
const SWEEP_BATCHES_MAX = 50;

interface DueRow extends Due {
  readonly status: string;
}

/** One round. Gives how many deliveries were rung, or done here because their channel has no queue. */
export async function sweepDeliveries(deps: Deps): Promise<number> {
  let swept = 0;
  for (let batch = 0; batch < SWEEP_BATCHES_MAX; batch += 1) {
    const { rung, inline, more } = await inTransaction(deps.pool, (sql) => sweepBatch(deps, sql));
    // Outside of the sweep's transaction: each claims its row for itself.
    for (const { id } of inline) {
      const never = new AbortController().signal;
      await ignoreFailure(deliverChannel(deps, id, never), 'a later round comes back to it', deps.log);
    }
    swept += rung + inline.length;
    if (!more) break;
  }
  return swept;
}

/**
 * The rows stay locked while the bell is rung, so that another sweeper takes others; with the engine away they keep their
 * time, and the next round finds them due again.
 */
async function sweepBatch(deps: Deps, sql: Sql): Promise<{ rung: number; inline: Due[]; more: boolean }> {
  const nowMs = deps.clock();
  const due = await sql<DueRow>(
    `SELECT id, channel, status, attempts, rings FROM deliveries
     WHERE next_ring_at <= $1 ORDER BY next_ring_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
    [new Date(nowMs), SWEEP_ROWS_MAX],
  );
  if (due.length === 0) return { rung: 0, inline: [], more: false };
  const inline = due.filter(({ channel }) => queueOf(deps, channel) === null);
  const queued = due.filter((row) => !inline.includes(row));
  const waiting = await stillQueued(deps, queued);
  const silent = queued.filter((row) => waiting && !waiting.has(row.id));
  const rung = await ringDeliveries(
    deps,
    silent.map((row) => ({ ...row, rings: row.rings + 1 })),
  );
  const doneHere = inline.map((row) => ({ ...row, rings: row.rings + 1 })); // tried here, which is a ring as well
  const moved = [...doneHere, ...queued.filter(({ id }) => waiting?.has(id)), ...rung];
  await sql(
    `UPDATE deliveries SET rings = next.rings, next_ring_at = next.at
     FROM unnest($1::text[], $2::int[], $3::timestamptz[]) AS next (id, rings, at) WHERE deliveries.id = next.id`,
    [
      moved.map(({ id }) => id),
      moved.map(({ rings }) => rings),
      moved.map(({ rings }) => new Date(nowMs + ringWaitMs(rings))),
    ],
  );
  return { rung: rung.length, inline, more: due.length === SWEEP_ROWS_MAX && moved.length === due.length };
}

/**
 * Ids of the rows whose last job still waits; undefined while the engine is away. They are not rung: with the workers
 * behind by an hour, the queue would hold dozens of jobs for each of them.
 */
async function stillQueued(deps: Deps, rows: readonly DueRow[]): Promise<ReadonlySet<string> | undefined> {
  const waiting = new Set<string>();
  for (const queue of new Set(rows.map(({ channel }) => queueOf(deps, channel)!))) {
    const ofQueue = rows.filter(({ channel }) => queueOf(deps, channel) === queue);
    const found = await deps.queues.findQueued(queue, ofQueue.map(lastJobId));
    if (!found) return undefined;
    for (const row of ofQueue) if (found.has(lastJobId(row))) waiting.add(row.id);
  }
  return waiting;
}

/** The job that was rung last. That of a broken-off attempt bears the number of that attempt. */
function lastJobId({ id, status, attempts, rings }: DueRow): string {
  return jobIdOf(id, status === 'sending' ? attempts : attempts + 1, rings);
}
