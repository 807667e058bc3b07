// A bot as it goes out, and the statements that several use cases share.
import { AppError, voiceApiDialect } from '@parley/envelopes';
import { Reply } from '@parley/http';
import type { Sql } from '@parley/postgres';
import type { Bot } from '@parley/store-voice-api';
import type { Tx } from '../deps.ts';

const { time } = voiceApiDialect;

export interface BotKey {
  readonly organizationId: string;
  readonly id: string;
}

export function botView(bot: Bot) {
  return {
    id: bot.id,
    name: bot.name,
    description: bot.description,
    status: bot.status,
    flow_id: bot.flowId,
    flow_version: bot.flowVersion,
    language: bot.language,
    voice: bot.voice,
    model: bot.model,
    transcriber: bot.transcriber,
    system_prompt: bot.systemPrompt,
    first_message: bot.firstMessage,
    max_duration_seconds: bot.maxDurationSeconds,
    silence_timeout_seconds: bot.silenceTimeoutSeconds,
    interruptible: bot.interruptible,
    tags: bot.tags,
    metadata: bot.metadata,
    version: bot.version,
    created_at: time(bot.createdAt),
    updated_at: time(bot.updatedAt),
  };
}

export function botReply(
  bot: Bot,
  options: { status?: number; headers?: Record<string, string> } = {},
): Reply {
  return new Reply(botView(bot), { ...options, headers: { etag: botEtag(bot), ...options.headers } });
}

export function botEtag({ version }: Pick<Bot, 'version'>): string {
  return `"${version}"`;
}

/** An archived bot is not there, for everything but the list. @throws AppError not_found */
export async function getLiveBot(db: Pick<Tx, 'bot'>, key: BotKey): Promise<Bot> {
  const bot = await db.bot.findUnique({ where: { organizationId_id: key } });
  if (!bot || bot.status === 'archived') throw new AppError('not_found', `no bot "${key.id}"`);
  return bot;
}

/** Until the transaction ends nobody else changes the bot. */
export async function lockBot(sql: Sql, { organizationId, id }: BotKey): Promise<void> {
  await sql('SELECT 1 AS one FROM bots WHERE organization_id = $1 AND id = $2 FOR UPDATE', [
    organizationId,
    id,
  ]);
}

/** If-Match (RFC 9110 §13.1.1). @throws AppError stale_version when it is given and names no tag of `bot`. */
export function refuseStaleBot(ifMatch: string | undefined, bot: Bot): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (tags.includes(botEtag(bot))) return;
  throw new AppError('stale_version', `If-Match does not name the present version, which is ${bot.version}`);
}
