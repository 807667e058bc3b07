// POST /v1/bots/{bot_id}/restore
import { audit } from '@parley/server/audit';
import type { Caller, Reply } from '@parley/server/http';
import type { Deps } from '../conversations/deps.ts';
import { toBotReply, getBotRow, storeBot } from './bot-rows.ts';

/**
 * Restores an archived bot as paused. A bot that is not archived stays unchanged.
 * @throws AppError not_found
 */
export async function restoreBot(
  deps: Pick<Deps, 'transact' | 'clock' | 'ids'>,
  caller: Caller,
  botId: string,
): Promise<Reply> {
  return deps.transact(async (sql) => {
    const bot = await getBotRow(sql, { ...caller, id: botId }, 'FOR UPDATE');
    if (bot.status !== 'archived') return toBotReply(bot);
    await audit(sql, deps, caller, { action: 'bot.restored', target: botId });
    const updatedAt = new Date(deps.clock());
    return toBotReply(
      await storeBot(sql, 'update', { ...bot, status: 'paused', version: bot.version + 1, updatedAt }),
    );
  });
}
