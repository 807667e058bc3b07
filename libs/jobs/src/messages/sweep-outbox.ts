// Re-enqueues messages that were not acknowledged, and consumes acknowledgements. Every worker
// process of a producing service runs it; several may run concurrently.
import type pg from 'pg';
import { sqlOf } from '@parley/server/postgres';
import { repeat, type Clock, type Log, type RepeatedTask } from '@parley/server/runtime';
import type { Queues } from '../queues.ts';
import { onJob, type Route } from '../worker.ts';
import { ackKind, toSignedPart } from './acks.ts';
import { contracts, type Service } from './contracts.ts';
import { handOver } from './handover.ts';
import { listConsumed, type MessageKeys } from './message-keys.ts';
import { createOutboxTable } from './outbox.ts';

export interface OutboxSweeperOptions {
  readonly service: Service;
  readonly pool: pg.Pool;
  readonly queues: Queues;
  readonly messageKeys: MessageKeys;
  readonly clock: Clock;
  readonly log: Log;
  /** Default: 5 s (docs/platform.md#leases-and-rings). */
  readonly sweepEveryMs?: number;
  /** How long acknowledged messages are stored (handover.ts). Default: not at all. */
  readonly handoverDays?: number;
  /** Messages that share the queue of the acknowledgements. */
  readonly routes?: readonly Route[];
}

const SWEEP_EVERY_MS = 5_000;

/** Starts the sweeper and the worker on the service's own acknowledgements. */
export function startOutboxSweeper(options: OutboxSweeperOptions): RepeatedTask {
  const { service, pool, queues, messageKeys, log, sweepEveryMs: everyMs = SWEEP_EVERY_MS } = options;
  const { handoverDays = 0, routes = [] } = options;
  const kind = ackKind(service);
  const sql = sqlOf(pool);
  // Ids that are already deleted do not matter.
  const forget = onJob(kind, async (acknowledgement) => {
    (await messageKeys.current()).check(...toSignedPart(acknowledgement, service), acknowledgement.mac);
    // A consumer can acknowledge only its own messages.
    const { from, message_ids: ids, refused = [] } = acknowledgement;
    const consumed = from ? listConsumed(from) : Object.keys(contracts);
    const stored = handoverDays > 0 ? ids.filter((id) => !refused.includes(id)) : [];
    if (stored.length > 0) await handOver(sql, stored, consumed);
    if (stored.length < ids.length)
      await sql('DELETE FROM outbox WHERE id = ANY($1::text[]) AND contract = ANY($2::text[])', [
        ids,
        consumed,
      ]);
  });
  const acks = queues.worker(kind.queue, [forget, ...routes]);
  const sweeper = repeat({ everyMs, name: 'outbox.sweep', log }, () => sweepOutbox(options));
  return {
    close: async () => {
      await sweeper.close();
      await acks.close();
    },
  };
}

/** One round: enqueues all due messages. Returns their number. */
export async function sweepOutbox(options: OutboxSweeperOptions): Promise<number> {
  const { enqueued, jobless, givenUp } = await createOutboxTable(
    options,
    await options.messageKeys.current(),
  ).sweep();
  for (const { id, contract } of jobless)
    options.log.warn({ message_id: id, contract }, 'outbox.unknown_contract');
  for (const { id, contract } of givenUp) options.log.error({ message_id: id, contract }, 'outbox.given_up');
  return enqueued;
}
