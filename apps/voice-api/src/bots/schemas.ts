// Wire shapes of bots (docs/voice-api.md#bots).
import { z } from 'zod';
import { pageQuery, pathId, voiceApiDialect } from '@parley/envelopes';
import { metadata, TAG_CHARACTERS_MAX, tags } from '../conversation-model/metadata.ts';
import { RECORDINGS } from '../conversation-model/recorded.ts';

const NAME_CHARACTERS_MAX = 255;
const DESCRIPTION_CHARACTERS_MAX = 2_000;
/** A long prompt with examples. */
const PROMPT_CHARACTERS_MAX = 100_000;
const FIRST_MESSAGE_CHARACTERS_MAX = 10_000;
const QUERY_CHARACTERS_MAX = 255;
/** A day. */
const DURATION_SECONDS_MAX = 86_400;
const SILENCE_SECONDS_MAX = 3_600;
/** Postgres integer. */
const VERSION_MAX = 2_147_483_647;

const time = voiceApiDialect.timeSchema;

/** What a pattern can say of `isLanguageTag`: language, script, region, variants, extensions. */
const LANGUAGE_PATTERN =
  '^([A-Za-z]{2,3}|[A-Za-z]{5,8})(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?(-([0-9A-Za-z]{5,8}|[0-9][0-9A-Za-z]{3}))*(-[0-9A-WY-Za-wy-z](-[0-9A-Za-z]{2,8})+)*(-[Xx](-[0-9A-Za-z]{1,8})+)?$';

/** Well-formed as BCP 47; stored as given. */
const language = z
  .string()
  .max(35)
  .refine(isLanguageTag, 'must be a BCP 47 language tag, for example en or pt-BR')
  .meta({ pattern: LANGUAGE_PATTERN });

function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false; // RangeError: not well-formed
  }
}

const providerName = z.string().min(1).max(255);
const voice = {
  provider: providerName.nullable(),
  voice_id: providerName.nullable(),
  speed: z.number().min(0.25).max(4),
};
const model = {
  provider: providerName.nullable(),
  name: providerName.nullable(),
  temperature: z.number().min(0).max(2).nullable(),
};
const transcriber = { provider: providerName.nullable(), model: providerName.nullable() };

export const BOT_DEFAULTS = {
  voice: { provider: null, voice_id: null, speed: 1 },
  model: { provider: null, name: null, temperature: null },
  transcriber: { provider: null, model: null },
} as const;

const settable = {
  name: z.string().max(NAME_CHARACTERS_MAX).regex(/\S/, 'must not be blank'),
  description: z.string().max(DESCRIPTION_CHARACTERS_MAX).nullable(),
  status: z.enum(['active', 'paused']),
  flow_id: z.string().min(1).max(128).nullable().describe('The flow of the flow builder that the bot runs'),
  flow_version: z.int().min(1).max(VERSION_MAX).nullable().describe('Null for the published version'),
  language: language.describe('BCP 47. Variants and extensions must not be repeated'),
  voice: z.strictObject(voice).partial(),
  model: z.strictObject(model).partial(),
  transcriber: z.strictObject(transcriber).partial(),
  system_prompt: z.string().max(PROMPT_CHARACTERS_MAX).nullable(),
  first_message: z.string().max(FIRST_MESSAGE_CHARACTERS_MAX).nullable(),
  max_duration_seconds: z
    .int()
    .min(1)
    .max(DURATION_SECONDS_MAX)
    .describe('Five minutes after this time, a conversation without an end event ends as timed_out'),
  silence_timeout_seconds: z
    .int()
    .min(1)
    .max(SILENCE_SECONDS_MAX)
    .nullable()
    .describe('Null for the default of the media runtime'),
  interruptible: z.boolean(),
  recording: z
    .enum(RECORDINGS)
    .describe('Stored data of the flow turns: everything, only the path through the flow, or nothing'),
  tags,
  metadata,
};

const changes = z.strictObject(settable).partial();

export const newBot = changes.extend({ name: settable.name }).meta({ id: 'NewBot' });

export const botUpdate = changes.meta({
  id: 'BotUpdate',
  description:
    'Absent members stay unchanged. voice, model and transcriber are merged; tags and metadata are replaced.',
});

export const bot = z
  .strictObject({
    id: z.string(),
    ...settable,
    status: z.enum(['active', 'paused', 'archived']),
    voice: z.strictObject(voice),
    model: z.strictObject(model),
    transcriber: z.strictObject(transcriber),
    version: z.int().describe('Grows by one with each change; also the ETag'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Bot' });

export const botParams = z.strictObject({ bot_id: z.string().max(255) });
/** No longer than a turn of the flow builder takes. */
export const ownBotParams = z.strictObject({ bot_id: pathId(128) });

export const botListQuery = z.strictObject({
  ...pageQuery(),
  status: z
    .enum(['active', 'paused', 'archived'])
    .optional()
    .describe('Default: all bots that are not archived'),
  tag: z.string().max(TAG_CHARACTERS_MAX).optional(),
  q: z.string().max(QUERY_CHARACTERS_MAX).optional().describe('Part of the id, name or description'),
});

export const versionListQuery = z.strictObject(pageQuery());

export const botDeleteQuery = z.strictObject({
  purge: z
    .enum(['true', 'false'])
    .default('false')
    .describe('true removes the bot and everything under it permanently; needs the scope admin'),
});

export const deletedBot = z.strictObject({ id: z.string(), deleted: z.literal(true) });

export type NewBot = z.output<typeof newBot>;
export type BotUpdate = z.output<typeof botUpdate>;
