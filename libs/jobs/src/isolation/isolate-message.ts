// Crash isolation of messages (docs/platform.md#quarantine). The queue counts the workers that died
// with a message; a row of inbox_suspects records that it was isolated when another one died.
// Quarantined messages stay there until an operator releases them.
import type pg from 'pg';
import { inTransaction, sqlOf, type Sql } from '@parley/server/postgres';
import { ignoreFailure, type Clock, type Log } from '@parley/server/runtime';
import { NEVER } from '../reenqueue.rules.ts';
import { QUARANTINE_DEATHS } from './deaths.ts';

export interface SuspectedMessage {
  readonly id: string;
  readonly organizationId: string;
  readonly contract: string;
  /** The message with its envelope, as JSON. */
  readonly data: string;
}

export interface IsolationOptions {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly log: Log;
  /** Runs in the transaction that quarantines the message. May return work for after the commit. */
  readonly onQuarantine: (sql: Sql, now: Date) => Promise<(() => void) | void>;
}

/**
 * Call it while no other work runs in this process. `run` applies the message, unless a worker died
 * with it while it was isolated. `deaths`: those of its job so far.
 */
export async function applyIsolated<Outcome>(
  { pool, clock, log, onQuarantine }: IsolationOptions,
  message: SuspectedMessage,
  deaths: number,
  run: () => Promise<Outcome>,
): Promise<Outcome | 'quarantined'> {
  const { id, organizationId, contract } = message;
  const verdict = await recordIsolation(pool, message, deaths);
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
      return onQuarantine(sql, now);
    });
    log.error(facts, 'message.quarantined');
    after?.();
  }
  return 'quarantined';
}

/**
 * Before the message is isolated. `guilty`: a worker died while it was isolated. `known`: it is
 * quarantined.
 */
async function recordIsolation(
  pool: pg.Pool,
  { organizationId, id, contract, data }: SuspectedMessage,
  deaths: number,
): Promise<'isolated' | 'guilty' | 'known'> {
  return inTransaction(pool, async (sql) => {
    const [before] = await sql<{ deaths: number; quarantined_at: Date | null }>(
      'SELECT deaths, quarantined_at FROM inbox_suspects WHERE organization_id = $1 AND id = $2 FOR UPDATE',
      [organizationId, id],
    );
    if (before?.quarantined_at) return 'known';
    if (before && before.deaths < deaths) return 'guilty';
    await sql(
      `INSERT INTO inbox_suspects (organization_id, id, contract, data, deaths, next_ring_at) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (organization_id, id) DO UPDATE SET deaths = excluded.deaths`,
      [organizationId, id, contract, data, deaths, NEVER],
    );
    return 'isolated';
  });
}

/** The worker survived. */
async function clearDeaths(pool: pg.Pool, { organizationId, id }: SuspectedMessage): Promise<void> {
  const sql = sqlOf(pool);
  await sql('DELETE FROM inbox_suspects WHERE organization_id = $1 AND id = $2', [organizationId, id]);
}

async function quarantine(sql: Sql, { organizationId, id }: SuspectedMessage, now: Date): Promise<void> {
  await sql(
    `UPDATE inbox_suspects SET deaths = ${QUARANTINE_DEATHS}, quarantined_at = $3 WHERE organization_id = $1 AND id = $2`,
    [organizationId, id, now],
  );
}

/** Removes and returns messages that an operator released. */
export function takeReleased(
  sql: Sql,
  nowMs: number,
  max: number,
): Promise<Pick<SuspectedMessage, 'id' | 'contract' | 'data'>[]> {
  return sql(
    `DELETE FROM inbox_suspects WHERE (organization_id, id) IN
       (SELECT organization_id, id FROM inbox_suspects WHERE next_ring_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING id, contract, data`,
    [new Date(nowMs), max],
  );
}
