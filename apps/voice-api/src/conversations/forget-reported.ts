// Forgets what an import said before, where its reports say something else now. The conversation
// opens again: the import's new events and the sweeper make it final as they do any other
// (docs/voice-api.md#imports). The caller holds the transaction.
import type { Sql } from '@parley/server/postgres';
import { negate, recordConversations } from '../analytics/record-facts.ts';
import type { Facts } from '../conversation-model/states.rules.ts';
import { PLANNED_ROW, toConversation, type PlannedRow } from './conversation-rows.ts';
import { readDigest } from './read-transcripts.ts';
import { toAnalyticsFact } from './write-conversations.ts';

export interface ReportedEvents {
  readonly organizationId: string;
  readonly conversationId: string;
  /** Ids of the import's events begin with it. */
  readonly prefix: string;
  /** Ids that still hold. */
  readonly keep: readonly string[];
  /** The reports know the end, so the reaper's guess is void. */
  readonly knowsEnd: boolean;
}

/** Removes the conversation from the figures until it is final again. */
export async function forgetReported(sql: Sql, reported: ReportedEvents): Promise<void> {
  const { organizationId, conversationId, prefix, keep } = reported;
  const [row] = await sql<PlannedRow>(
    `SELECT ${PLANNED_ROW} FROM conversations AS conversation WHERE organization_id = $1 AND id = $2 FOR UPDATE`,
    [organizationId, conversationId],
  );
  if (!row) return;
  const facts = selectLasting(row.facts, reported);
  const outdated = [organizationId, conversationId, prefix, keep];
  const [turns] = await sql<{ count: number; bytes: number }>(
    `SELECT count(*)::int AS count, coalesce(sum(bytes), 0)::int AS bytes FROM turns WHERE ${OUTDATED}`,
    outdated,
  );
  if (facts === row.facts && turns!.count === 0) return;
  const conversation = toConversation(row);
  if (row.counted) {
    const digest = await readDigest(sql, conversation, {});
    await recordConversations(sql, [negate(toAnalyticsFact(conversation, digest))]);
  }
  await sql(`DELETE FROM turns WHERE ${OUTDATED}`, outdated);
  await sql(
    `UPDATE conversations SET facts = $3::jsonb, turn_count = turn_count - $4, bytes = greatest(0, bytes - $5),
       settled_at = NULL, ended_at = NULL, due_at = NULL, counted = false,
       leased_until = CASE WHEN settled_at IS NULL THEN leased_until END,
       deaths = CASE WHEN settled_at IS NULL THEN deaths ELSE 0 END
     WHERE organization_id = $1 AND id = $2`,
    [
      organizationId,
      conversationId,
      JSON.stringify(row.settled_at === null ? facts : { ...facts, reopened: true }),
      turns!.count,
      turns!.bytes,
    ],
  );
}

const OUTDATED =
  'organization_id = $1 AND conversation_id = $2 AND starts_with(event_id, $3) AND event_id <> ALL($4::text[])';

const KINDS = ['bot', 'started', 'ended', 'fatal'] as const;

/** The same object when all of them last. */
function selectLasting(facts: Facts, { prefix, keep, knowsEnd }: ReportedEvents): Facts {
  const gone = KINDS.filter((kind) => {
    const id = facts[kind]?.id;
    if (id === undefined) return false;
    return (id.startsWith(prefix) && !keep.includes(id)) || (kind === 'fatal' && knowsEnd && isGuess(facts));
  });
  if (gone.length === 0) return facts;
  return Object.fromEntries(Object.entries(facts).filter(([kind]) => !gone.includes(kind as never)));
}

/** The reaper ended it. */
const isGuess = ({ fatal }: Facts) => fatal?.timedOut === true;
