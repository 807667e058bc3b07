// PUT and DELETE /v1/conversations/{conversation_id}/hold: a legal hold keeps a conversation from
// removal and deletion (docs/voice-api.md#legal-hold).
import { AppError } from '@parley/envelopes';
import { audit } from '@parley/server/audit';
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { buildBotCondition } from '../../lists.ts';
import type { ConversationRow } from '../conversation-rows.ts';
import { toReaderView } from '../lists/conversation-view.ts';

type HoldDeps = Pick<Deps, 'transact' | 'clock' | 'ids' | 'retentionRules'>;

/** A second hold replaces the reason. @throws AppError not_found */
export async function holdConversation(
  deps: HoldDeps,
  caller: Caller,
  id: string,
  { reason }: { readonly reason: string },
) {
  const hold = { reason, at: new Date(deps.clock()).toISOString(), by: caller.principal };
  return changeHold(deps, caller, id, hold);
}

/** Releasing twice is no error. @throws AppError not_found */
export async function releaseConversation(deps: HoldDeps, caller: Caller, id: string) {
  return changeHold(deps, caller, id, null);
}

async function changeHold(deps: HoldDeps, caller: Caller, id: string, hold: ConversationRow['hold']) {
  const row = await deps.transact(async (sql) => {
    const [before] = await sql<Pick<ConversationRow, 'hold'>>(
      `SELECT hold FROM conversations WHERE organization_id = $1 AND id = $2 AND ${buildBotCondition('bot_id', '$3')} FOR UPDATE`,
      [caller.organizationId, id, caller.botIds ?? null],
    );
    if (!before) throw new AppError('not_found', `There is no conversation "${id}".`);
    if (hold !== null || before.hold !== null)
      await audit(sql, deps, caller, {
        action: hold === null ? 'conversation.released' : 'conversation.held',
        target: id,
        details: { reason: (hold ?? before.hold)!.reason },
      });
    const [after] = await sql<ConversationRow>(
      `UPDATE conversations SET hold = $3::jsonb, updated_at = $4 WHERE organization_id = $1 AND id = $2 RETURNING *`,
      [caller.organizationId, id, hold && JSON.stringify(hold), new Date(deps.clock())],
    );
    return after!;
  });
  return toReaderView(deps, caller, row);
}
