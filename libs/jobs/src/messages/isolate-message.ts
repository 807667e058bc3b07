// Crash isolation of messages (docs/platform.md#quarantine). The queue counts the workers that died
// with a message; a row records that it was isolated when another one died. Quarantined messages
// stay here until an operator releases them.
import type pg from 'pg';
import { inTransaction, sqlOf, type Sql } from '@parley/server/postgres';
import { ignoreFailure, type Clock, type Log } from '@parley/server/runtime';
import type { Queues } from '../queues.ts';
import type { JobOutcome } from '../recorder.ts';
import { NEVER } from '../work/reenqueue.rules.ts';
import { QUARANTINE_DEATHS } from '../work/work-statements.ts';
import { parseOrMalformed } from '../worker.ts';
import type { Acks } from './acks.ts';
import { isContractName, type ContractName } from './contracts.ts';
import { envelope, messageKind, renewMessage, type Envelope } from './envelope.ts';
import { rememberMessages } from './inbox-rows.ts';
import type { PairKeys } from './message-keys.ts';

/** A quarantined message, as its organisation is notified of it. */
export interface QuarantinedMessage {
  readonly id: string;
  readonly organizationId: string;
  readonly contract: ContractName;
}

export interface IsolationOptions {
  readonly pool: pg.Pool;
  readonly acks: Acks;
  readonly clock: Clock;
  readonly log: Log;
  readonly onQuarantine?: (sql: Sql, message: QuarantinedMessage) => Promise<(() => void) | void>;
}

/**
 * Call it while no other work runs in this process. `run` applies the message, unless a worker died
 * with it while it was isolated.
 */
export async function applyIsolated<Outcome extends JobOutcome>(
  options: IsolationOptions,
  contract: ContractName,
  data: unknown,
  deaths: number,
  run: () => Promise<Outcome>,
): Promise<Outcome | 'quarantined'> {
  const { pool, acks, clock, log } = options;
  const message = parseOrMalformed(envelope, data);
  const { id, organization_id: organizationId, producer } = message;
  const verdict = await recordIsolation(pool, contract, message, deaths);
  const facts = { message_id: id, organization_id: organizationId, contract };
  if (verdict === 'isolated') {
    log.warn(facts, 'message.taken_alone');
    try {
      return await run();
    } finally {
      await ignoreFailure(clearDeaths(pool, message), 'the message is isolated once more', log);
    }
  }
  if (verdict === 'guilty') {
    const after = await inTransaction(pool, async (sql) => {
      const now = new Date(clock());
      await quarantine(sql, message, now);
      if (producer) await rememberMessages(sql, contract, [message], now);
      return options.onQuarantine?.(sql, { id, organizationId, contract });
    });
    log.error(facts, 'message.quarantined');
    after?.();
  }
  if (producer) acks.add(producer, id);
  return 'quarantined';
}

/**
 * Before the message is isolated. `guilty`: a worker died while it was isolated. `known`: it is
 * quarantined. `deaths`: those of its job so far.
 */
async function recordIsolation(
  pool: pg.Pool,
  contract: ContractName,
  message: Envelope,
  deaths: number,
): Promise<'isolated' | 'guilty' | 'known'> {
  const key = [message.organization_id, message.id];
  return inTransaction(pool, async (sql) => {
    const [before] = await sql<{ deaths: number; quarantined_at: Date | null }>(
      'SELECT deaths, quarantined_at FROM inbox_suspects WHERE organization_id = $1 AND id = $2 FOR UPDATE',
      key,
    );
    if (before?.quarantined_at) return 'known';
    if (before && before.deaths < deaths) return 'guilty';
    await sql(
      `INSERT INTO inbox_suspects (organization_id, id, contract, data, deaths, next_ring_at) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (organization_id, id) DO UPDATE SET deaths = excluded.deaths`,
      [...key, contract, JSON.stringify(message), deaths, NEVER],
    );
    return 'isolated';
  });
}

/** The worker survived. */
async function clearDeaths(pool: pg.Pool, { organization_id: organizationId, id }: Envelope): Promise<void> {
  await sqlOf(pool)('DELETE FROM inbox_suspects WHERE organization_id = $1 AND id = $2', [
    organizationId,
    id,
  ]);
}

async function quarantine(sql: Sql, message: Envelope, now: Date): Promise<void> {
  await sql(
    `UPDATE inbox_suspects SET deaths = ${QUARANTINE_DEATHS}, quarantined_at = $3 WHERE organization_id = $1 AND id = $2`,
    [message.organization_id, message.id, now],
  );
}

/** Released in one transaction: a message may hold 1 MiB. */
const RELEASED_MAX = 10;

/** Enqueues released messages as new ones. Several replicas may run it concurrently. */
export async function enqueueReleased(
  pool: pg.Pool,
  queues: Queues,
  keys: PairKeys,
  nowMs: number,
): Promise<void> {
  await inTransaction(pool, async (sql) => {
    const rows = await sql<{ id: string; contract: string; data: string }>(
      `DELETE FROM inbox_suspects WHERE (organization_id, id) IN
         (SELECT organization_id, id FROM inbox_suspects WHERE next_ring_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING id, contract, data`,
      [new Date(nowMs), RELEASED_MAX],
    );
    await sql('DELETE FROM inbox WHERE message_id = ANY($1::text[])', [rows.map(({ id }) => id)]);
    for (const { id, contract, data } of rows) {
      if (!isContractName(contract)) throw new Error(`"${contract}" is a message of another release`);
      const message = renewMessage(contract, JSON.parse(data) as Envelope, keys, nowMs);
      const areEnqueued = await queues
        .producer(messageKind(contract))
        .enqueue([{ row: id, attempt: RELEASED_ATTEMPT, enqueueNumber: nowMs, payload: message }]);
      if (!areEnqueued) throw new Error('the queue engine is away: the messages stay until it is back');
    }
  });
}

/** The attempt in the job's id, which no job of the producer has. */
const RELEASED_ATTEMPT = 2;
