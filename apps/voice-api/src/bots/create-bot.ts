// POST /v1/bots and PUT /v1/bots/{bot_id}
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '@parley/envelopes';
import { audit } from '@parley/server/audit';
import { createOrReplace, type Caller, type EndpointTransaction, type Reply } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { Bot } from '@parley/store-voice-api';
import type { Deps } from '../conversations/deps.ts';
import { MAX_DURATION_SECONDS } from '../conversations/reaper.rules.ts';
import { findBotRow, requireCurrentVersion, storeBot, toBotReply, type BotKey } from './bot-rows.ts';
import { BOT_DEFAULTS, type NewBot } from './schemas.ts';

type CreateDeps = Pick<Deps, 'clock' | 'limits'>;

/** Only the name is required; everything else has a default. @throws AppError limit_exceeded */
export function createBot(
  deps: CreateDeps & Pick<Deps, 'ids'>,
  { organizationId }: Caller,
  input: NewBot,
  { sql }: EndpointTransaction,
): Promise<Reply> {
  return insertBot(deps, sql, toNewBot({ organizationId, id: deps.ids('bot') }, input, deps.clock()));
}

/**
 * Creates the bot, or replaces it: absent members get their defaults, and an archived bot is
 * restored. An equal bot stays as it is.
 * @throws AppError not_found, stale_version, conflict, limit_exceeded
 */
export function putBot(
  deps: CreateDeps & Pick<Deps, 'ids' | 'transact'>,
  caller: Caller,
  botId: string,
  input: NewBot,
  ifMatch: string | undefined,
): Promise<Reply> {
  const key = { ...caller, id: botId };
  const wanted = toNewBot(key, input, deps.clock());
  return deps.transact((sql) =>
    createOrReplace(
      sql,
      { organizationId: caller.organizationId, prefix: 'bot', id: botId },
      {
        find: () => findBotRow(sql, key, 'FOR UPDATE'),
        create: async () => {
          if (ifMatch !== undefined)
            throw new AppError('stale_version', `There is no bot "${botId}", so If-Match cannot match.`);
          await refusePurged(sql, key);
          return insertBot(deps, sql, wanted);
        },
        replace: async (bot) => {
          requireCurrentVersion(ifMatch, bot);
          const { version, createdAt, updatedAt } = bot;
          const same = { ...wanted, version, createdAt, updatedAt };
          if (isDeepStrictEqual(same, bot)) return toBotReply(bot);
          if (bot.status === 'archived')
            await audit(sql, deps, caller, { action: 'bot.restored', target: botId });
          return toBotReply(
            await storeBot(sql, 'update', { ...same, version: version + 1, updatedAt: wanted.updatedAt }),
          );
        },
      },
    ),
  );
}

async function insertBot({ limits }: CreateDeps, sql: Sql, wanted: Bot): Promise<Reply> {
  const bot = await storeBot(sql, 'insert', wanted);
  await limits.caps.added(sql, bot.organizationId, 'bots');
  return toBotReply(bot, { status: 201, headers: { location: `/v1/bots/${encodeURIComponent(bot.id)}` } });
}

/** The purge would take the conversations of a new bot along. */
async function refusePurged(sql: Sql, { organizationId, id }: BotKey): Promise<void> {
  const [purge] = await sql('SELECT 1 AS one FROM bot_purges WHERE organization_id = $1 AND bot_id = $2', [
    organizationId,
    id,
  ]);
  if (purge)
    throw new AppError('conflict', `The bot "${id}" is still being purged. Try again in a few minutes.`);
}

function toNewBot({ organizationId, id }: BotKey, input: NewBot, nowMs: number): Bot {
  const now = new Date(nowMs);
  return {
    organizationId,
    id,
    name: input.name,
    description: input.description ?? null,
    status: input.status ?? 'active',
    flowId: input.flow_id ?? null,
    flowVersion: input.flow_version ?? null,
    language: input.language ?? 'en',
    voice: { ...BOT_DEFAULTS.voice, ...input.voice },
    model: { ...BOT_DEFAULTS.model, ...input.model },
    transcriber: { ...BOT_DEFAULTS.transcriber, ...input.transcriber },
    systemPrompt: input.system_prompt ?? null,
    firstMessage: input.first_message ?? null,
    maxDurationSeconds: input.max_duration_seconds ?? MAX_DURATION_SECONDS,
    silenceTimeoutSeconds: input.silence_timeout_seconds ?? null,
    interruptible: input.interruptible ?? true,
    recording: input.recording ?? 'full',
    tags: input.tags ?? [],
    metadata: input.metadata ?? {},
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}
