// Erases the data of conversations in every table and anonymises their callers
// (docs/voice-api.md#deletion), and lets the flow builder erase what it stores of them. The caller
// holds the transaction and the locks of the conversations.
import { randomBytes } from 'node:crypto';
import { ERASED_IDS_MAX, eraseHandovers, type Outbox } from '@parley/jobs';
import type { Sql } from '@parley/server/postgres';
import type { Clock } from '@parley/server/runtime';
import { releaseCopies } from '../../recordings/copies.ts';
import { callerDigest } from '../../analytics/record-facts.ts';
import { purgeWebhookTraces } from '../../deliveries/purge-traces.ts';
import { withIndexTerms, buildWhere } from '../lists/where.ts';
import type { Erased } from './schemas.ts';

export const NOTHING_ERASED: Erased = {
  conversations: 0,
  turns: 0,
  recorded_turns: 0,
  events: 0,
  webhook_events: 0,
  deliveries: 0,
  callers: 0,
  recording_copies: 0,
};

export function addErased(one: Erased, other: Erased): Erased {
  const names = Object.keys(one) as (keyof Erased)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as Erased;
}

/** What erasing needs besides its transaction. */
export interface EraseDeps {
  readonly outbox: Pick<Outbox, 'write'>;
  readonly clock: Clock;
}

export async function eraseConversations(
  { outbox, clock }: EraseDeps,
  sql: Sql,
  organizationId: string,
  ids: readonly string[],
): Promise<Erased> {
  if (ids.length === 0) return NOTHING_ERASED;
  const key = [organizationId, ids];
  const [counted] = await sql<{ deliveries: number }>(
    `SELECT COALESCE(sum(cardinality(delivery_ids)), 0)::int AS deliveries FROM webhook_events
     WHERE organization_id = $1 AND conversation_id = ANY($2::text[])`,
    key,
  );
  const webhook_events = await purgeWebhookTraces(sql, organizationId, ids);
  const remove = async (table: string, column = 'conversation_id') => {
    const text = `DELETE FROM ${table} WHERE organization_id = $1 AND ${column} = ANY($2::text[])`;
    const [row] = await sql<{ count: number }>(
      `WITH gone AS (${text} RETURNING 1) SELECT count(*)::int AS count FROM gone`,
      key,
    );
    return row!.count;
  };
  const turns = await remove('turns');
  const recorded_turns = await remove('conversation_turns');
  const events = await remove('conversation_events');
  await remove('search_documents');
  await remove('import_reports');
  await remove('import_states');
  const recording_copies = await releaseCopies(sql, organizationId, ids, new Date(clock()));
  await failExports(sql, organizationId, ids);
  // A quarantined message contains the text.
  await sql(
    `DELETE FROM inbox_suspects WHERE organization_id = $1 AND contract = 'conversation.event'
       AND data::jsonb #>> '{payload,conversation_id}' = ANY($2::text[])`,
    key,
  );
  const callers = await sql<{ from_address: string }>(
    `SELECT DISTINCT from_address FROM conversations
     WHERE organization_id = $1 AND id = ANY($2::text[]) AND from_address IS NOT NULL`,
    key,
  );
  const conversations = await remove('conversations', 'id');
  let forgotten = 0;
  for (const { from_address: from } of callers)
    if (await anonymizeCaller(sql, organizationId, from)) forgotten += 1;
  await eraseHandovers(sql, organizationId, ids);
  for (let from = 0; from < ids.length; from += ERASED_IDS_MAX) {
    const payload = { conversation_ids: ids.slice(from, from + ERASED_IDS_MAX) };
    // The sweeper sends it within seconds.
    await outbox.write(sql, [{ contract: 'conversation.erased', organizationId, payload }]);
  }
  const { deliveries } = counted!;
  return {
    conversations,
    turns,
    recorded_turns,
    events,
    webhook_events,
    deliveries,
    callers: forgotten,
    recording_copies,
  };
}

/**
 * Anonymises a caller without conversations: a random digest replaces theirs in the figures.
 * Returns whether the caller was anonymised.
 */
async function anonymizeCaller(sql: Sql, organizationId: string, from: string): Promise<boolean> {
  const where = withIndexTerms(buildWhere({ organizationId }, { from }));
  const [other] = await sql(
    `SELECT 1 FROM conversations WHERE ${where.conditions.join(' AND ')} LIMIT 1`,
    where.values,
  );
  if (other) return false;
  const values = [organizationId, callerDigest(organizationId, from), randomBytes(32).toString('hex')];
  // Facts first: a concurrent fold may turn one into a caller, which exists once that fold has
  // committed.
  for (const [table, column] of [
    ['analytics_facts', 'caller'],
    ['analytics_callers', 'digest'],
  ])
    await sql(
      `UPDATE ${table} SET ${column} = decode($3, 'hex') WHERE organization_id = $1 AND ${column} = decode($2, 'hex')`,
      values,
    );
  return true;
}

/** Fails the exports that contain one of these conversations, in the erasing transaction. */
async function failExports(sql: Sql, organizationId: string, ids: readonly string[]): Promise<void> {
  await sql(
    `WITH hit AS (
       SELECT DISTINCT export_id FROM export_parts WHERE organization_id = $1 AND conversation_ids && $2::text[]
     ), gone AS (
       DELETE FROM export_parts USING hit WHERE organization_id = $1 AND export_parts.export_id = hit.export_id
     )
     UPDATE exports SET status = 'failed', error = 'a conversation in it was erased', items = 0, bytes = 0, parts = 0
     FROM hit WHERE organization_id = $1 AND id = hit.export_id`,
    [organizationId, ids],
  );
}
