// Rings again for messages that nobody acknowledged, and takes the acknowledgements. Every worker process of a producing service
// runs it; several may at once.
import type pg from 'pg';
import { sqlOf } from '@parley/postgres';
import type { Clock, Log } from '@parley/runtime';
import type { Queues } from '../queues.ts';
import { repeat, type Repeating } from '../timing.ts';
import { onJob } from '../worker.ts';
import { ackKind, signedPart } from './acks.ts';
import { contracts, type Service } from './contracts.ts';
import { consumedBy, type MessageKeys } from './message-keys.ts';
import { outboxTable } from './outbox.ts';

export interface TendOptions {
  readonly service: Service;
  readonly pool: pg.Pool;
  readonly queues: Queues;
  readonly messageKeys: MessageKeys;
  readonly clock: Clock;
  readonly log: Log;
  /** Default 5 s (docs/platform.md#leases-and-rings). */
  readonly sweepEveryMs?: number;
}

const SWEEP_EVERY_MS = 5_000;

/** Starts the sweeper and the worker on the service's own acknowledgements. */
export function tendOutbox(options: TendOptions): Repeating {
  const { service, pool, queues, messageKeys, log, sweepEveryMs: everyMs = SWEEP_EVERY_MS } = options;
  const kind = ackKind(service);
  const sql = sqlOf(pool);
  // Ids that are gone already do not matter.
  const forget = onJob(kind, async (acknowledgement) => {
    (await messageKeys.current()).check(...signedPart(acknowledgement, service), acknowledgement.mac);
    // A consumer takes away what was meant for it, and nothing else.
    await sql('DELETE FROM outbox WHERE id = ANY($1::text[]) AND contract = ANY($2::text[])', [
      acknowledgement.message_ids,
      acknowledgement.from ? consumedBy(acknowledgement.from) : Object.keys(contracts),
    ]);
  });
  const acks = queues.worker(kind.queue, [forget]);
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

/** One round: rings for everything that is due. Gives how many messages were rung. */
export async function sweepOutbox(options: TendOptions): Promise<number> {
  const { rung, jobless, givenUp } = await outboxTable(options, await options.messageKeys.current()).sweep();
  for (const { id, contract } of jobless)
    options.log.warn({ message_id: id, contract }, 'outbox.unknown_contract');
  for (const { id, contract } of givenUp) options.log.error({ message_id: id, contract }, 'outbox.given_up');
  return rung;
}
