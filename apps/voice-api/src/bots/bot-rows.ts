// Bots in the database and on the wire.
import { AppError, voiceApiDialect } from '@parley/envelopes';
import { reachesBot, Reply, type Reach } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { Bot } from '@parley/store-voice-api';

const { time } = voiceApiDialect;

export interface BotKey extends Reach {
  readonly id: string;
}

export function toBotView(bot: Bot) {
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
    recording: bot.recording,
    tags: bot.tags,
    metadata: bot.metadata,
    version: bot.version,
    created_at: time(bot.createdAt),
    updated_at: time(bot.updatedAt),
  };
}

export function toBotReply(
  bot: Bot,
  options: { status?: number; headers?: Record<string, string> } = {},
): Reply {
  return new Reply(toBotView(bot), {
    ...options,
    headers: { etag: computeBotEtag(bot), ...options.headers },
  });
}

export function computeBotEtag({ version }: Pick<Bot, 'version'>): string {
  return `"${version}"`;
}

/** Column of each member of a row. */
const columns = {
  organizationId: 'organization_id',
  id: 'id',
  name: 'name',
  description: 'description',
  status: 'status',
  flowId: 'flow_id',
  flowVersion: 'flow_version',
  language: 'language',
  voice: 'voice',
  model: 'model',
  transcriber: 'transcriber',
  systemPrompt: 'system_prompt',
  firstMessage: 'first_message',
  maxDurationSeconds: 'max_duration_seconds',
  silenceTimeoutSeconds: 'silence_timeout_seconds',
  interruptible: 'interruptible',
  recording: 'recording',
  tags: 'tags',
  metadata: 'metadata',
  version: 'version',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
} as const satisfies Record<keyof Bot, string>;
const members = Object.keys(columns) as (keyof Bot)[];

export const BOT_COLUMNS = members.map((member) => `${columns[member]} AS "${member}"`).join(', ');

/**
 * Includes archived bots. `lock` holds the row until the transaction ends.
 * @throws AppError not_found, also when the key may not access the bot
 */
export async function getBotRow(sql: Sql, key: BotKey, lock: '' | 'FOR UPDATE' = ''): Promise<Bot> {
  const bot = reachesBot(key, key.id) ? await findBotRow(sql, key, lock) : null;
  if (!bot) throw new AppError('not_found', `There is no bot "${key.id}".`);
  return bot;
}

/** Regardless of the bots that a key is bound to. */
export async function findBotRow(
  sql: Sql,
  { organizationId, id }: BotKey,
  lock: '' | 'FOR UPDATE' = '',
): Promise<Bot | null> {
  const [bot] = await sql<Bot>(
    `SELECT ${BOT_COLUMNS} FROM bots WHERE organization_id = $1 AND id = $2 ${lock}`,
    [organizationId, id],
  );
  return bot ?? null;
}

/** Archived bots exist only in lists and in their versions. @throws AppError not_found */
export async function getLiveBot(sql: Sql, key: BotKey, lock: '' | 'FOR UPDATE' = ''): Promise<Bot> {
  const bot = await getBotRow(sql, key, lock);
  if (bot.status === 'archived') throw new AppError('not_found', `There is no bot "${key.id}".`);
  return bot;
}

const columnList = Object.values(columns).join(', ');
const values = members.map((_, index) => `$${index + 1}`).join(', ');
/** Also stores the row as a version (read-versions.ts). */
const withVersion = (statement: string) => `
  WITH bot AS (${statement} RETURNING *), version AS (
    INSERT INTO bot_versions (organization_id, bot_id, version, data, at)
    SELECT organization_id, id, version, to_jsonb(bot), updated_at FROM bot)
  SELECT ${BOT_COLUMNS} FROM bot`;
const store = {
  insert: withVersion(`INSERT INTO bots (${columnList}) VALUES (${values})`),
  update: withVersion(
    `UPDATE bots SET (${columnList}) = ROW(${values}) WHERE organization_id = $1 AND id = $2`,
  ),
};

/** Returns the stored bot. To update, the caller must hold the lock. */
export async function storeBot(sql: Sql, how: 'insert' | 'update', bot: Bot): Promise<Bot> {
  const [stored] = await sql<Bot>(
    store[how],
    members.map((member) => bot[member]),
  );
  return stored!;
}

/**
 * If-Match (RFC 9110 §13.1.1).
 * @throws AppError stale_version when the header does not name the bot's tag
 */
export function requireCurrentVersion(ifMatch: string | undefined, bot: Bot): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (tags.includes(computeBotEtag(bot))) return;
  throw new AppError(
    'stale_version',
    `If-Match does not match the current version, which is ${bot.version}. Read the bot again.`,
  );
}
