// Rings again for messages that nobody acknowledged, and takes the acknowledgements. Every worker process of a producing
// service runs it; several may at once (platform §2).
import type pg from 'pg';
import { inTransaction, sqlOf, type Sql } from '@parley/postgres';
import type { Clock, Log } from '@parley/runtime';
import { ackKind } from './acks.ts';
import { contracts, isContractName, type Service } from './contracts.ts';
import { lastJobId, type OutboxRow } from './envelope.ts';
import { ringRows } from './outbox.ts';
import type { Queues } from '../queues.ts';
import { NEVER, nextRingAt } from '../ring.rules.ts';
import { repeat, type Repeating } from '../timing.ts';
import { onJob } from '../worker.ts';

export interface TendOptions {
  readonly service: Service;
  readonly pool: pg.Pool;
  readonly queues: Queues;
  readonly clock: Clock;
  readonly log: Log;
  /** Default 5 s (platform §2). */
  readonly sweepEveryMs?: number;
}

const SWEEP_EVERY_MS = 5_000;
/** Rows a transaction holds while it rings for them; each may carry a payload of 1 MiB. */
const SWEEP_ROWS_MAX = 50;
/** Batches in one round; a larger backlog goes on in the next round. */
const SWEEP_BATCHES_MAX = 200;
/** Acknowledgements are deletes by primary key: two at once keep up with any consumer. */
const ACK_CONCURRENCY = 2;

/** Starts the sweeper and the worker on the service's own acknowledgements. */
export function tendOutbox(options: TendOptions): Repeating {
  const { service, pool, queues, log, sweepEveryMs: everyMs = SWEEP_EVERY_MS } = options;
  const kind = ackKind(service);
  const acks = queues.worker(
    kind.queue,
    [onJob(kind, ({ message_ids: ids }) => deleteMessages(sqlOf(pool), ids))],
    { concurrency: ACK_CONCURRENCY },
  );
  const sweeper = repeat({ everyMs, firstAfterMs: everyMs, name: 'outbox.sweep', log }, () =>
    sweepOutbox(options),
  );
  return {
    close: async () => {
      await sweeper.close();
      await acks.close();
    },
  };
}

/** Forgets messages whose effect is committed. Ids that are gone already do not matter. */
async function deleteMessages(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql('DELETE FROM outbox WHERE id = ANY($1::text[])', [ids]);
}

/** One round: rings for everything that is due, batch by batch. Gives how many messages were rung. */
export async function sweepOutbox(options: TendOptions): Promise<number> {
  let rung = 0;
  for (let batch = 0; batch < SWEEP_BATCHES_MAX; batch += 1) {
    const swept = await inTransaction(options.pool, (sql) => sweepBatch(sql, options));
    rung += swept.rung;
    if (!swept.more) break;
  }
  return rung;
}

/**
 * The rows stay locked while the bell is rung, so that another sweeper takes others, and keep their old ring number and
 * time when the engine is away or this process is killed: the next round simply finds them due again.
 */
async function sweepBatch(sql: Sql, options: TendOptions): Promise<{ rung: number; more: boolean }> {
  const { service, queues, clock, log } = options;
  const nowMs = clock();
  const due = await sql<OutboxRow>(
    `SELECT id, organization_id, contract, payload, request_id, traceparent, rings, created_at
     FROM outbox WHERE next_ring_at <= $1 ORDER BY next_ring_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
    [new Date(nowMs), SWEEP_ROWS_MAX],
  );
  if (due.length === 0) return { rung: 0, more: false };

  const queued = await findQueued(queues, due);
  if (!queued) return { rung: 0, more: false }; // the engine is away
  const silent = due.filter((row) => isContractName(row.contract) && !queued.has(row));
  const again = silent.map((row) => ({ ...row, rings: row.rings + 1 }));
  const rung = await ringRows(queues, service, again);
  const waiting = due.filter((row) => !silent.includes(row));

  const moved = [...rung, ...waiting].map((row) => ({ row, at: nextRingAt(row.created_at, nowMs) }));
  for (const { row, at } of moved) {
    const facts = { message_id: row.id, contract: row.contract };
    if (!isContractName(row.contract)) log.warn(facts, 'outbox.unknown_contract'); // a newer version wrote it
    if (at === NEVER) log.error(facts, 'outbox.given_up');
  }
  await sql(
    `UPDATE outbox SET rings = next.rings, next_ring_at = next.at
     FROM unnest($1::text[], $2::int[], $3::timestamptz[]) AS next (id, rings, at) WHERE outbox.id = next.id`,
    [moved.map(({ row }) => row.id), moved.map(({ row }) => row.rings), moved.map(({ at }) => at)],
  );
  return { rung: rung.length, more: due.length === SWEEP_ROWS_MAX && moved.length === due.length };
}

/**
 * The rows whose last job still waits or runs; undefined when the engine is away. They are not rung: a consumer that is
 * down for an hour would find dozens of jobs for each of them, and Redis would have to hold them all.
 */
async function findQueued(
  queues: Queues,
  rows: readonly OutboxRow[],
): Promise<ReadonlySet<OutboxRow> | undefined> {
  const queued = new Set<OutboxRow>();
  for (const contract of new Set(rows.map((row) => row.contract))) {
    if (!isContractName(contract)) continue;
    const ofContract = rows.filter((row) => row.contract === contract);
    const found = await queues.findQueued(contracts[contract].queue, ofContract.map(lastJobId));
    if (!found) return undefined;
    for (const row of ofContract) if (found.has(lastJobId(row))) queued.add(row);
  }
  return queued;
}
