// PATCH /v1/conversations/{conversation_id} and POST /v1/conversations/bulk-update: stores data
// that is known after the call (docs/voice-api.md#changing-conversations).
import { AppError } from '@parley/envelopes';
import type { Caller, Reach } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import { buildBotCondition } from '../../lists.ts';
import type { ConversationRow } from '../conversation-rows.ts';
import { planCopies } from '../../recordings/copies.ts';
import { toReaderView } from '../lists/conversation-view.ts';
import type { CallDetails } from '../../conversation-model/states.rules.ts';
import { processBatches, type BulkRequest } from './process-batches.ts';
import type { ConversationUpdate } from './schemas.ts';

/** @throws AppError not_found */
export async function updateConversation(
  deps: Pick<Deps, 'transact' | 'clock' | 'retentionRules'>,
  caller: Caller,
  id: string,
  changes: ConversationUpdate,
) {
  const now = new Date(deps.clock());
  const [row] = await deps.transact((sql) => changeConversations(sql, caller, [id], changes, now));
  if (!row) throw new AppError('not_found', `There is no conversation "${id}".`);
  return toReaderView(deps, caller, row);
}

export async function updateConversations(
  deps: Pick<Deps, 'pool' | 'sql' | 'clock'>,
  caller: Caller,
  { changes, ...turns }: BulkRequest & { readonly changes: ConversationUpdate },
) {
  const { held: _, ...result } = await processBatches(deps, caller, turns, async (sql, ids) => {
    await changeConversations(sql, caller, ids, changes, new Date(deps.clock()));
  });
  return result;
}

const columns = {
  metadata: ['metadata', 'jsonb'],
  tags: ['tags', 'text[]'],
  cost: ['cost', 'jsonb'],
  recording_url: ['recording_url', 'text'],
  summary: ['summary', 'text'],
  sentiment: ['sentiment', 'text'],
  success: ['success', 'boolean'],
  analysis: ['analysis', 'jsonb'],
} as const satisfies Record<keyof ConversationUpdate, readonly [string, string]>;

/** Members that events may set too. Later events no longer change them. */
const EVENT_FIELDS: Readonly<Partial<Record<keyof ConversationUpdate, keyof CallDetails>>> = {
  metadata: 'metadata',
  cost: 'cost',
  recording_url: 'recordingUrl',
};

/** The intake locks in the same order. */
export async function changeConversations(
  sql: Sql,
  { organizationId, botIds }: Reach,
  ids: readonly string[],
  changes: ConversationUpdate,
  now: Date,
): Promise<ConversationRow[]> {
  const locked = await sql<{ id: string }>(
    `SELECT id FROM conversations
     WHERE organization_id = $1 AND id = ANY($2::text[]) AND ${buildBotCondition('bot_id', '$3')} ORDER BY id FOR UPDATE`,
    [organizationId, ids, botIds ?? null],
  );
  const given = Object.entries(changes) as [keyof ConversationUpdate, unknown][];
  const values = given.map(([name, value]) =>
    columns[name][1] === 'jsonb' && value !== null ? JSON.stringify(value) : value,
  );
  const assigned = given.map(([name], at) => `${columns[name][0]} = $${at + 5}::${columns[name][1]}`);
  const changed = await sql<ConversationRow>(
    `UPDATE conversations SET updated_at = $3, ${assigned.join(', ')},
       facts = CASE WHEN cardinality($4::text[]) = 0 THEN facts ELSE jsonb_set(facts, '{set}', (
         SELECT jsonb_agg(name) FROM (
           SELECT jsonb_array_elements_text(COALESCE(facts -> 'set', '[]')) AS name UNION SELECT unnest($4::text[])) AS names)) END
     WHERE organization_id = $1 AND id = ANY($2::text[]) RETURNING *`,
    [
      organizationId,
      locked.map(({ id }) => id),
      now,
      given.flatMap(([name]) => EVENT_FIELDS[name] ?? []),
      ...values,
    ],
  );
  if (changes.recording_url === undefined) return changed;
  const changedIds = changed.map(({ id }) => id);
  await planCopies(sql, { organizationIds: changed.map(() => organizationId), ids: changedIds, now });
  return sql<ConversationRow>(
    'SELECT * FROM conversations WHERE organization_id = $1 AND id = ANY($2::text[]) ORDER BY id',
    [organizationId, changedIds],
  );
}
