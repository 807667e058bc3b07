// GET /v1/bots and GET /v1/bots/{bot_id}
import type { z } from 'zod';
import { toPage, voiceApiDialect } from '@parley/envelopes';
import type { Caller, Reply } from '@parley/server/http';
import { countFitting, boundBytesSql, type SizedRow } from '@parley/server/postgres';
import type { Bot } from '@parley/store-voice-api';
import type { Deps } from '../conversations/deps.ts';
import { escapeLike, buildBotCondition, readTimeCursor } from '../lists.ts';
import { BOT_COLUMNS, toBotReply, toBotView, getLiveBot } from './bot-rows.ts';
import type { botListQuery } from './schemas.ts';

/** @throws AppError not_found */
export async function getBot(deps: Pick<Deps, 'sql'>, caller: Caller, botId: string): Promise<Reply> {
  return toBotReply(await getLiveBot(deps.sql, { ...caller, id: botId }));
}

/** Newest first. The keyset (created_at, id) never changes, so pages are stable. */
export async function listBots(
  deps: Pick<Deps, 'sql'>,
  caller: Caller,
  query: z.output<typeof botListQuery>,
) {
  const after = readTimeCursor(query.cursor);
  const rows = await deps.sql<Bot & SizedRow>(LIST, [
    caller.organizationId,
    query.status ?? null,
    query.tag ?? null,
    query.q === undefined ? null : `%${escapeLike(query.q)}%`,
    after?.createdAt ?? null,
    after?.id ?? null,
    query.limit + 1,
    caller.botIds ?? null,
  ]);
  return voiceApiDialect.page(
    toPage(rows, countFitting(rows, query.limit), (row) => [row.createdAt.getTime(), row.id], toBotView),
  );
}

const LIST = boundBytesSql(
  `SELECT ${BOT_COLUMNS} FROM bots
     WHERE organization_id = $1
       AND CASE WHEN $2::text IS NULL THEN status <> 'archived' ELSE status = $2 END
       AND ($3::text IS NULL OR tags @> ARRAY[$3])
       AND ($4::text IS NULL OR name ILIKE $4 OR description ILIKE $4 OR id ILIKE $4)
       AND ${buildBotCondition('id', '$8')}
       AND ($5::timestamptz IS NULL OR (created_at, id) < ($5, $6::text))
     ORDER BY created_at DESC, id DESC LIMIT $7::int`,
  `octet_length(COALESCE("systemPrompt", '')) + octet_length(COALESCE("firstMessage", '')) + octet_length(metadata::text)`,
  '"createdAt" DESC, id DESC',
);
