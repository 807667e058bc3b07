// POST /v1/bots
import type { Caller, EndpointTransaction, Reply } from '@parley/server/http';
import type { Deps } from '../conversations/deps.ts';
import { MAX_DURATION_SECONDS } from '../conversations/reaper.rules.ts';
import { toBotReply, storeBot } from './bot-rows.ts';
import { BOT_DEFAULTS, type NewBot } from './schemas.ts';

/** Only the name is required; everything else has a default. @throws AppError limit_exceeded */
export async function createBot(
  deps: Pick<Deps, 'clock' | 'ids' | 'limits'>,
  caller: Caller,
  input: NewBot,
  { sql }: EndpointTransaction,
): Promise<Reply> {
  const now = new Date(deps.clock());
  const bot = await storeBot(sql, 'insert', {
    organizationId: caller.organizationId,
    id: deps.ids('bot'),
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
  });
  await deps.limits.caps.added(sql, caller.organizationId, 'bots');
  return toBotReply(bot, { status: 201, headers: { location: `/v1/bots/${bot.id}` } });
}
