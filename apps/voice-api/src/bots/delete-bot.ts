// DELETE /v1/bots/{bot_id}: archives or purges a bot.
import { audit } from '@parley/server/audit';
import { AppError } from '@parley/envelopes';
import { hasScope, type Caller } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { Deps } from '../conversations/deps.ts';
import { getBotRow, getLiveBot, requireCurrentVersion, storeBot } from './bot-rows.ts';
import { purgeBot, type PurgeDeps } from './purge-bot.ts';

export interface BotDeletion {
  readonly purge: boolean;
  readonly ifMatch: string | undefined;
}

/**
 * An archived bot appears only in lists with status=archived; its conversations stay. A purge
 * leaves only anonymous analytics figures. Archived bots can be purged.
 * @throws AppError not_found, stale_version, insufficient_scope, conflict: a legal hold
 */
export async function deleteBot(
  deps: PurgeDeps & Pick<Deps, 'transact' | 'ids'>,
  caller: Caller,
  botId: string,
  { purge, ifMatch }: BotDeletion,
): Promise<{ id: string; deleted: true }> {
  if (purge && !hasScope(caller, 'admin')) {
    throw new AppError('insufficient_scope', 'purge=true needs a credential with the scope "admin".');
  }
  const key = { ...caller, id: botId };
  await deps.transact(async (sql) => {
    const bot = await (purge ? getBotRow : getLiveBot)(sql, key, 'FOR UPDATE');
    requireCurrentVersion(ifMatch, bot);
    if (purge) await refuseHeld(sql, key.organizationId, botId);
    const now = new Date(deps.clock());
    await audit(sql, deps, caller, { action: purge ? 'bot.purged' : 'bot.archived', target: botId });
    if (!purge) {
      await storeBot(sql, 'update', { ...bot, status: 'archived', version: bot.version + 1, updatedAt: now });
      return;
    }
    await sql('DELETE FROM bots WHERE organization_id = $1 AND id = $2', [key.organizationId, botId]);
    await sql('DELETE FROM retention_rules WHERE organization_id = $1 AND bot_id = $2', [
      key.organizationId,
      botId,
    ]);
    await sql('DELETE FROM bot_versions WHERE organization_id = $1 AND bot_id = $2', [
      key.organizationId,
      botId,
    ]);
    await sql(
      `INSERT INTO bot_purges (organization_id, bot_id, requested_at) VALUES ($1, $2, $3)
       ON CONFLICT (organization_id, bot_id) DO UPDATE SET requested_at = EXCLUDED.requested_at`,
      [key.organizationId, botId, now],
    );
  });
  if (purge) await purgeBot(deps, { organizationId: key.organizationId, botId });
  return { id: botId, deleted: true };
}

/** A hold that is set while the purge works keeps its conversation. */
async function refuseHeld(sql: Sql, organizationId: string, botId: string): Promise<void> {
  const [held] = await sql<{ id: string }>(
    'SELECT id FROM conversations WHERE organization_id = $1 AND bot_id = $2 AND hold IS NOT NULL LIMIT 1',
    [organizationId, botId],
  );
  if (held)
    throw new AppError(
      'conflict',
      `Conversation "${held.id}" of the bot has a legal hold. Remove the hold before you purge the bot.`,
    );
}
