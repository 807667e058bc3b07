// Messages with which workers died (docs/platform.md#quarantine). The queue counts the deaths; a row says that the message was taken
// alone, so that a worker that dies then is known to have died of it. What is set aside stays here until an operator puts it back.
import type pg from 'pg';
import { inTransaction, sqlOf, type Sql } from '@parley/postgres';
import { ignoreFailure, type Clock, type Log } from '@parley/runtime';
import type { Queues } from '../queues.ts';
import type { JobOutcome } from '../recorder.ts';
import { NEVER } from '../work/ring.rules.ts';
import { QUARANTINE_DEATHS } from '../work/work-statements.ts';
import { parseOrMalformed } from '../worker.ts';
import type { Acks } from './acks.ts';
import { isContractName, type ContractName } from './contracts.ts';
import { envelope, messageKind, renewed, type Envelope } from './envelope.ts';
import { rememberMessages } from './inbox-rows.ts';
import type { PairKeys } from './message-keys.ts';

/** A message that is set aside, as its organisation is told of it. */
export interface QuarantinedMessage {
  readonly id: string;
  readonly organizationId: string;
  readonly contract: ContractName;
}

export interface SuspectOptions {
  readonly pool: pg.Pool;
  readonly acks: Acks;
  readonly clock: Clock;
  readonly log: Log;
  readonly setAside?: (sql: Sql, message: QuarantinedMessage) => Promise<(() => void) | void>;
}

/** Nobody else is at work in this process: `run` applies the message, unless a worker died when it was alone before. */
export async function applyAlone<Outcome extends JobOutcome>(
  options: SuspectOptions,
  contract: ContractName,
  data: unknown,
  deaths: number,
  run: () => Promise<Outcome>,
): Promise<Outcome | 'quarantined'> {
  const { pool, acks, clock, log } = options;
  const message = parseOrMalformed(envelope, data);
  const { id, organization_id: organizationId, producer } = message;
  const verdict = await suspect(pool, contract, message, deaths);
  const facts = { message_id: id, organization_id: organizationId, contract };
  if (verdict === 'alone') {
    log.warn(facts, 'message.taken_alone');
    try {
      return await run();
    } finally {
      await ignoreFailure(cleared(pool, message), 'it is taken alone once more', log);
    }
  }
  if (verdict === 'guilty') {
    const after = await inTransaction(pool, async (sql) => {
      const now = new Date(clock());
      await setAside(sql, message, now);
      if (producer) await rememberMessages(sql, contract, [message], now);
      return options.setAside?.(sql, { id, organizationId, contract });
    });
    log.error(facts, 'message.quarantined');
    after?.();
  }
  if (producer) acks.add(producer, id);
  return 'quarantined';
}

/**
 * Before it is taken alone. `guilty`: it was alone already when a worker died. `known`: it is set aside.
 * `deaths`: of its job, so far.
 */
async function suspect(
  pool: pg.Pool,
  contract: ContractName,
  message: Envelope,
  deaths: number,
): Promise<'alone' | 'guilty' | 'known'> {
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
    return 'alone';
  });
}

/** The worker lives. */
async function cleared(pool: pg.Pool, { organization_id: organizationId, id }: Envelope): Promise<void> {
  await sqlOf(pool)('DELETE FROM inbox_suspects WHERE organization_id = $1 AND id = $2', [
    organizationId,
    id,
  ]);
}

async function setAside(sql: Sql, message: Envelope, now: Date): Promise<void> {
  await sql(
    `UPDATE inbox_suspects SET deaths = ${QUARANTINE_DEATHS}, quarantined_at = $3 WHERE organization_id = $1 AND id = $2`,
    [message.organization_id, message.id, now],
  );
}

/** Put back in one transaction: a message may hold a mebibyte. */
const PUT_BACK_MAX = 10;

/** Rings for messages that an operator put back, as new ones. Several replicas may do it at once. */
export async function ringForPutBack(
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
      [new Date(nowMs), PUT_BACK_MAX],
    );
    await sql('DELETE FROM inbox WHERE message_id = ANY($1::text[])', [rows.map(({ id }) => id)]);
    for (const { id, contract, data } of rows) {
      if (!isContractName(contract)) throw new Error(`"${contract}" is a message of another release`);
      const message = renewed(contract, JSON.parse(data) as Envelope, keys, nowMs);
      const rung = await queues
        .producer(messageKind(contract))
        .ring([{ row: id, attempt: PUT_BACK, ring: nowMs, payload: message }]);
      if (!rung) throw new Error('the queue engine is away: they stay until it is back');
    }
  });
}

/** The attempt in the name of its job, which no ring of its producer has. */
const PUT_BACK = 2;
