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
import { readApplicationId } from '../../webhooks/selection.rules.ts';
import { buildBotCondition } from '../../lists.ts';
import type { ConversationRow } from '../conversation-rows.ts';
import { rememberDeleted } from '../lock-conversations.ts';
import { eraseConversations, NOTHING_ERASED, addErased } from './erase-conversations.ts';
import { processBatches, type BulkRequest } from './process-batches.ts';
import type { Erased } from './schemas.ts';

type DeleteDeps = Pick<
  Deps,
  'pool' | 'sql' | 'transact' | 'clock' | 'ids' | 'outbox' | 'deliveryEnqueuer' | 'feedNotifier'
>;

/** @throws AppError not_found, conflict: a legal hold */
export async function deleteConversation(deps: DeleteDeps, caller: Caller, id: string) {
  const { erased, deliveries, held } = await deps.transact((sql) => deleteSome(deps, sql, caller, [id]));
  if (held.length > 0)
    throw new AppError(
      'conflict',
      `Conversation "${id}" has a legal hold: ${held[0]!.reason}. Remove the hold before you delete it.`,
    );
  if (erased.conversations === 0) throw new AppError('not_found', `There is no conversation "${id}".`);
  wakeWorkers(deps, caller, deliveries);
  return { id, deleted: true, erased };
}

export async function deleteConversations(deps: DeleteDeps, caller: Caller, turns: BulkRequest) {
  let erased = NOTHING_ERASED;
  let held = 0;
  const result = await processBatches(deps, caller, turns, async (sql, ids, afterCommit) => {
    const some = await deleteSome(deps, sql, caller, ids);
    afterCommit(() => {
      erased = addErased(erased, some.erased);
      held += some.held.length;
      wakeWorkers(deps, caller, some.deliveries);
    });
  });
  return {
    ...result,
    matched: turns.dry_run ? result.matched : erased.conversations,
    ...(turns.dry_run ? {} : { erased }),
    ...withHeld(result.held ?? held),
  };
}

const withHeld = (held: number) => (held > 0 ? { held } : {});

/** Skips held conversations and returns their holds. */
async function deleteSome(
  deps: DeleteDeps,
  sql: Sql,
  caller: Caller,
  ids: readonly string[],
): Promise<{
  erased: Erased;
  deliveries: readonly DeliveryBatch[];
  held: readonly { readonly reason: string }[];
}> {
  const { organizationId } = caller;
  const now = new Date(deps.clock());
  // The intake locks in the same order.
  const found = await sql<Pick<ConversationRow, 'id' | 'bot_id' | 'metadata' | 'sequence' | 'hold'>>(
    `SELECT id, bot_id, metadata, sequence, hold FROM conversations
     WHERE organization_id = $1 AND id = ANY($2::text[]) AND ${buildBotCondition('bot_id', '$3')} ORDER BY id FOR UPDATE`,
    [organizationId, ids, caller.botIds ?? null],
  );
  const held = found.flatMap(({ hold }) => hold ?? []);
  const rows = found.filter(({ hold }) => hold === null);
  if (rows.length === 0) return { erased: NOTHING_ERASED, deliveries: [], held };
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
  const events = rows.map(({ id, bot_id: botId, metadata, sequence }) => ({
    id: computeEventId({ organizationId, conversationId: id }, 'conversation.deleted', ''),
    organizationId,
    conversationId: id,
    botId,
    applicationId: readApplicationId(metadata),
    type: 'conversation.deleted' as const,
    occurredAt: now,
    sequence: sequence + 1,
    turnIndex: null,
    data: { conversation_id: id, bot_id: botId, metadata: {}, sequence: sequence + 1 },
  }));
  return { erased, deliveries: await writeDeliveries(deps, sql, events), held };
}

function wakeWorkers(
  deps: DeleteDeps,
  { organizationId }: Caller,
  deliveries: readonly DeliveryBatch[],
): void {
  deps.feedNotifier.notify(organizationId);
  deps.deliveryEnqueuer.enqueue(deliveries);
}
