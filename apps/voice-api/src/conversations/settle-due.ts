// What becomes of conversations with time: the end of those that last too long (the reaper), and the final state of those that have
// ended (docs/voice-api.md#settling-and-the-reaper). Several replicas may do it at once.
import { inTransaction } from '@parley/postgres';
import type { Deps } from '../deps.ts';
import { settle } from './conversation.rules.ts';
import { conversationOf, type ConversationRow } from './conversation-rows.ts';
import { forgetInterims } from './event-rows.ts';
import { ring, writeConversations } from './write-conversations.ts';

/** How often it is looked for conversations that are due; a settled transcript is late by at most so much. */
export const SETTLE_EVERY_MS = 250;
/** Conversations in one transaction: their transcripts are in memory. */
const SETTLE_BATCH_MAX = 100;
/** Batches of one round; the next round comes at once. */
const BATCHES_MAX = 50;

type SettleDeps = Pick<Deps, 'pool' | 'clock' | 'ids' | 'outbox' | 'deliveryBell' | 'log'>;

/** Gives how many conversations were settled. */
export async function settleDue(deps: SettleDeps): Promise<number> {
  let settled = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const count = await settleBatch(deps);
    settled += count;
    if (count < SETTLE_BATCH_MAX) break;
  }
  return settled;
}

async function settleBatch(deps: SettleDeps): Promise<number> {
  const nowMs = deps.clock();
  const { count, timedOut, rings } = await inTransaction(deps.pool, async (sql) => {
    // Locked ones are being changed at this moment: they are looked at again in the next round.
    const rows = await sql<ConversationRow>(
      `SELECT * FROM conversations WHERE due_at <= $1 ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [new Date(nowMs), SETTLE_BATCH_MAX],
    );
    if (rows.length === 0) return { count: 0, timedOut: 0, rings: undefined };
    const folded = rows.map((row) => settle(conversationOf(row), nowMs));
    const rings = await writeConversations(deps, sql, folded, nowMs);
    await forgetInterims(
      sql,
      rows.map(({ organization_id: organizationId, id: conversationId }) => ({
        organizationId,
        conversationId,
      })),
    );
    return { count: rows.length, timedOut: folded.filter(({ failedNow }) => failedNow).length, rings };
  });
  if (rings) {
    ring(deps, rings);
    deps.log.info({ count, timed_out: timedOut }, 'conversations.settled');
  }
  return count;
}
