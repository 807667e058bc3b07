// PATCH /v1/bots/{bot_id}
import { isDeepStrictEqual } from 'node:util';
import type { Caller, Reply } from '@parley/server/http';
import type { Bot } from '@parley/store-voice-api';
import type { Deps } from '../conversations/deps.ts';
import { toBotReply, getLiveBot, requireCurrentVersion, storeBot } from './bot-rows.ts';
import type { BotUpdate } from './schemas.ts';

/**
 * Applies the given members. The version grows only if a value changes.
 * @throws AppError not_found, stale_version
 */
export async function updateBot(
  deps: Pick<Deps, 'transact' | 'clock'>,
  caller: Caller,
  botId: string,
  input: BotUpdate,
  ifMatch: string | undefined,
): Promise<Reply> {
  const key = { ...caller, id: botId };
  return deps.transact(async (sql) => {
    const bot = await getLiveBot(sql, key, 'FOR UPDATE');
    requireCurrentVersion(ifMatch, bot);
    const changes = Object.fromEntries(
      Object.entries(toChanges(bot, input)).filter(
        ([member, value]) => value !== undefined && !isDeepStrictEqual(value, bot[member as keyof Bot]),
      ),
    );
    if (Object.keys(changes).length === 0) return toBotReply(bot);
    const changed = { ...bot, ...changes, version: bot.version + 1, updatedAt: new Date(deps.clock()) };
    return toBotReply(await storeBot(sql, 'update', changed));
  });
}

/** Absent members are undefined. */
function toChanges(bot: Bot, input: BotUpdate) {
  const merged = (known: unknown, given: object | undefined) =>
    given ? { ...(known as object), ...given } : undefined;
  return {
    name: input.name,
    description: input.description,
    status: input.status,
    flowId: input.flow_id,
    flowVersion: input.flow_version,
    language: input.language,
    voice: merged(bot.voice, input.voice),
    model: merged(bot.model, input.model),
    transcriber: merged(bot.transcriber, input.transcriber),
    systemPrompt: input.system_prompt,
    firstMessage: input.first_message,
    maxDurationSeconds: input.max_duration_seconds,
    silenceTimeoutSeconds: input.silence_timeout_seconds,
    interruptible: input.interruptible,
    recording: input.recording,
    tags: input.tags,
    metadata: input.metadata,
  };
}
