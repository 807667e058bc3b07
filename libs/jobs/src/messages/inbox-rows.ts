// The table `inbox`: ids of messages whose effect is committed or will never be.
import { inBatches, type Sql } from '@parley/server/postgres';
import { INBOX_RETENTION_MS } from '../work/reenqueue.rules.ts';
import type { ContractName } from './contracts.ts';
import type { Envelope } from './envelope.ts';

/**
 * Returns the messages that are new. Waits while another transaction applies one of them. Messages
 * that were added directly are not recorded: nothing re-enqueues them, and their ids are not ours.
 */
export async function rememberMessages(
  sql: Sql,
  contract: ContractName,
  messages: readonly Envelope[],
  now: Date,
): Promise<Set<Envelope>> {
  const fresh = new Set(messages.filter(({ producer }) => !producer));
  const remembered = new Map<string, Envelope>();
  for (const message of messages) {
    if (message.producer && !remembered.has(message.id)) remembered.set(message.id, message);
  }
  if (remembered.size === 0) return fresh;
  const added = await sql<{ message_id: string }>(
    `INSERT INTO inbox (message_id, contract, producer, received_at)
     SELECT message.id, $3, message.producer, $4 FROM unnest($1::text[], $2::text[]) AS message (id, producer)
     ORDER BY message.id
     ON CONFLICT (message_id) DO NOTHING RETURNING message_id`,
    [[...remembered.keys()], [...remembered.values()].map(({ producer }) => producer), contract, now],
  );
  for (const row of added) fresh.add(remembered.get(row.message_id)!);
  return fresh;
}

/** Keeps each statement at milliseconds. */
const TRIM_LIMITS = { rowsMax: 5_000, batchesMax: 100 };

/**
 * Deletes ids that nothing can re-enqueue any more (reenqueue.rules.ts). Returns the number of
 * rows.
 */
export async function trimInbox(sql: Sql, nowMs: number): Promise<number> {
  return inBatches(TRIM_LIMITS, (limit) =>
    sql(
      `DELETE FROM inbox WHERE message_id IN
         (SELECT message_id FROM inbox WHERE received_at < $1 ORDER BY received_at LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING 1 AS one`,
      [new Date(nowMs - INBOX_RETENTION_MS), limit],
    ),
  );
}
