// GET /v1/bots/{bot_id}/versions: earlier versions of a bot, newest first (docs/voice-api.md#bots).
import type { z } from 'zod';
import { decodeCursor, toPage, voiceApiDialect } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import { countFitting, boundBytesSql, type SizedRow } from '@parley/server/postgres';
import type { Bot } from '@parley/store-voice-api';
import type { Deps } from '../conversations/deps.ts';
import { BOT_COLUMNS, toBotView, getBotRow } from './bot-rows.ts';
import type { versionListQuery } from './schemas.ts';

/** Includes archived bots, whose conversations refer to versions. @throws AppError not_found */
export async function listBotVersions(
  deps: Pick<Deps, 'sql'>,
  caller: Caller,
  botId: string,
  query: z.output<typeof versionListQuery>,
) {
  const { organizationId } = caller;
  await getBotRow(deps.sql, { ...caller, id: botId });
  const [before] = query.cursor === undefined ? [null] : decodeCursor(query.cursor, 'integer');
  const rows = await deps.sql<Bot & SizedRow>(VERSIONS, [organizationId, botId, before, query.limit + 1]);
  return voiceApiDialect.page(
    toPage(rows, countFitting(rows, query.limit), ({ version }) => [version], toBotView),
  );
}

const VERSIONS = boundBytesSql(
  `SELECT ${BOT_COLUMNS} FROM (
     SELECT bot.* FROM bot_versions AS stored, jsonb_populate_record(NULL::bots, stored.data) AS bot
     WHERE stored.organization_id = $1 AND stored.bot_id = $2 AND ($3::int IS NULL OR stored.version < $3)
     ORDER BY stored.version DESC LIMIT $4::int) AS versions`,
  `octet_length(COALESCE("systemPrompt", '')) + octet_length(COALESCE("firstMessage", '')) + octet_length(metadata::text)`,
  'version DESC',
);
