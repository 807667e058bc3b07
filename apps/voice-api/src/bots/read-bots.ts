// GET /v1/bots and GET /v1/bots/{bot_id}
import type { z } from 'zod';
import { toPage, voiceApiDialect } from '@parley/envelopes';
import type { Caller, Reply } from '@parley/http';
import type { Deps } from '../deps.ts';
import { likeLiteral, readTimeCursor } from '../lists.ts';
import { botReply, botView, getLiveBot } from './bot-rows.ts';
import type { botListQuery } from './schemas.ts';

/** @throws AppError not_found */
export async function getBot(deps: Pick<Deps, 'db'>, caller: Caller, botId: string): Promise<Reply> {
  return botReply(await getLiveBot(deps.db, { organizationId: caller.organizationId, id: botId }));
}

/** Newest first. Keyset on (created_at, id), which never change: pages are stable. */
export async function listBots(deps: Pick<Deps, 'db'>, caller: Caller, query: z.output<typeof botListQuery>) {
  const after = readTimeCursor(query.cursor);
  // Prisma passes `%` and `_` on to LIKE as they are.
  const contains =
    query.q === undefined ? undefined : { contains: likeLiteral(query.q), mode: 'insensitive' as const };
  const rows = await deps.db.bot.findMany({
    where: {
      organizationId: caller.organizationId,
      status: query.status ?? { not: 'archived' },
      ...(query.tag === undefined ? {} : { tags: { has: query.tag } }),
      AND: [
        contains ? { OR: [{ name: contains }, { description: contains }, { id: contains }] } : {},
        after === null
          ? {}
          : {
              OR: [
                { createdAt: { lt: after.createdAt } },
                { createdAt: after.createdAt, id: { lt: after.id } },
              ],
            },
      ],
    },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: query.limit + 1,
  });
  return voiceApiDialect.page(toPage(rows, query.limit, (row) => [row.createdAt.getTime(), row.id], botView));
}
