// DELETE /v1/conversations/{conversation_id} and POST /v1/conversations/bulk-delete: erases
// conversations and notifies the customer's webhooks (docs/voice-api.md#deletion).
import { audit } from '@parley/server/audit';
import { AppError } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import type { DeliveryBatch } from '../../deliveries/delivery-batches.ts';
import { computeEventId } from '../../deliveries/event-id.ts';
import { writeDeliveries } from '../../deliveries/write-deliveries.ts';
import { buildBotCondition } from '../../lists.ts';
import { rememberDeleted } from '../lock-conversations.ts';
import { eraseConversations, NOTHING_ERASED, addErased } from './erase-conversations.ts';
import { processBatches, type BulkRequest } from './process-batches.ts';
import type { Erased } from './schemas.ts';

type DeleteDeps = Pick<
  Deps,
  'pool' | 'sql' | 'transact' | 'clock' | 'ids' | 'outbox' | 'deliveryEnqueuer' | 'feedNotifier'
>;

/** @throws AppError not_found */
export async function deleteConversation(deps: DeleteDeps, caller: Caller, id: string) {
  const { erased, deliveries } = await deps.transact((sql) => deleteSome(deps, sql, caller, [id]));
  if (erased.conversations === 0) throw new AppError('not_found', `There is no conversation "${id}".`);
  wakeWorkers(deps, caller, deliveries);
  return { id, deleted: true, erased };
}

export async function deleteConversations(deps: DeleteDeps, caller: Caller, turns: BulkRequest) {
  let erased = NOTHING_ERASED;
  const result = await processBatches(deps, caller, turns, async (sql, ids, afterCommit) => {
    const some = await deleteSome(deps, sql, caller, ids);
    afterCommit(() => {
      erased = addErased(erased, some.erased);
      wakeWorkers(deps, caller, some.deliveries);
    });
  });
  return {
    ...result,
    matched: turns.dry_run ? result.matched : erased.conversations,
    ...(turns.dry_run ? {} : { erased }),
  };
}

async function deleteSome(
  deps: DeleteDeps,
  sql: Sql,
  caller: Caller,
  ids: readonly string[],
): Promise<{ erased: Erased; deliveries: readonly DeliveryBatch[] }> {
  const { organizationId } = caller;
  const now = new Date(deps.clock());
  // The intake locks in the same order.
  const rows = await sql<{ id: string; bot_id: string | null; sequence: number }>(
    `SELECT id, bot_id, sequence FROM conversations
     WHERE organization_id = $1 AND id = ANY($2::text[]) AND ${buildBotCondition('bot_id', '$3')} ORDER BY id FOR UPDATE`,
    [organizationId, ids, caller.botIds ?? null],
  );
  if (rows.length === 0) return { erased: NOTHING_ERASED, deliveries: [] };
  const erased = await eraseConversations(
    deps,
    sql,
    organizationId,
    rows.map(({ id }) => id),
  );
  const keys = rows.map(({ id: conversationId }) => ({ organizationId, conversationId }));
  await rememberDeleted(sql, keys, now);
  const [one, ...others] = rows;
  await audit(
    sql,
    deps,
    caller,
    others.length === 0
      ? { action: 'conversation.deleted', target: one!.id }
      : { action: 'conversations.deleted', target: organizationId, details: { count: rows.length } },
  );
  const events = rows.map(({ id, bot_id: botId, sequence }) => ({
    id: computeEventId({ organizationId, conversationId: id }, 'conversation.deleted', ''),
    organizationId,
    conversationId: id,
    botId,
    type: 'conversation.deleted' as const,
    occurredAt: now,
    sequence: sequence + 1,
    turnIndex: null,
    data: { conversation_id: id, bot_id: botId, metadata: {}, sequence: sequence + 1 },
  }));
  return { erased, deliveries: await writeDeliveries(deps, sql, events) };
}

function wakeWorkers(
  deps: DeleteDeps,
  { organizationId }: Caller,
  deliveries: readonly DeliveryBatch[],
): void {
  deps.feedNotifier.notify(organizationId);
  deps.deliveryEnqueuer.enqueue(deliveries);
}
