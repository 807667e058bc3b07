// DELETE /v1/bots/{bot_id}: archives a bot, or purges it with everything under it.
import { AppError } from '@parley/envelopes';
import { hasScope, type Caller } from '@parley/http';
import type { Deps } from '../deps.ts';
import { getLiveBot, lockBot, refuseStaleBot } from './bot-rows.ts';
import { purgeBot, type PurgeDeps } from './purge-bot.ts';

export interface BotDeletion {
  readonly purge: boolean;
  readonly ifMatch: string | undefined;
}

/**
 * Archived, a bot is gone from everywhere but the list with status=archived; its conversations stay. Purged, nothing is left but
 * the figures of the analytics, which name nobody. An archived bot can be purged.
 * @throws AppError not_found, stale_version, insufficient_scope
 */
export async function deleteBot(
  deps: PurgeDeps & Pick<Deps, 'transact'>,
  caller: Caller,
  botId: string,
  { purge, ifMatch }: BotDeletion,
): Promise<{ id: string; deleted: true }> {
  if (purge && !hasScope(caller, 'admin')) {
    throw new AppError('insufficient_scope', 'purge=true needs the scope "admin"');
  }
  const key = { organizationId: caller.organizationId, id: botId };
  await deps.transact(async (tx, sql) => {
    await lockBot(sql, key);
    const bot = purge
      ? await tx.bot.findUnique({ where: { organizationId_id: key } })
      : await getLiveBot(tx, key);
    if (!bot) throw new AppError('not_found', `no bot "${botId}"`);
    refuseStaleBot(ifMatch, bot);
    const now = new Date(deps.clock());
    if (!purge) {
      await tx.bot.update({
        where: { organizationId_id: key },
        data: { status: 'archived', version: bot.version + 1, updatedAt: now },
      });
      return;
    }
    await tx.bot.delete({ where: { organizationId_id: key } });
    const purging = { organizationId: key.organizationId, botId };
    await tx.botPurge.upsert({
      where: { organizationId_botId: purging },
      create: { ...purging, requestedAt: now },
      update: { requestedAt: now },
    });
  });
  if (purge) await purgeBot(deps, { organizationId: key.organizationId, botId });
  return { id: botId, deleted: true };
}
