// Filters of conversations for lists, bulk changes and exports (docs/voice-api.md#filters). Queries
// and bodies have the same members, except metadata: `metadata.<key>=` in a query, an object in a
// body.
import { z } from 'zod';
import { members, voiceApiDialect } from '@parley/envelopes';
import { TAG_CHARACTERS_MAX } from '../../conversation-model/metadata.ts';
import { CHANNELS, DIRECTIONS } from '../../conversation-model/event-schemas.ts';
import { END_REASONS, STATUSES } from '../../conversation-model/states.rules.ts';

const TEXT_CHARACTERS_MAX = 255;
const QUERY_CHARACTERS_MAX = 255;
/** Postgres integer. */
const INTEGER_MAX = 2_147_483_647;
const SECONDS_MAX = 604_800;
/** Values of one filter. */
const SEVERAL_MAX = 20;
/** Metadata conditions of one request. */
export const METADATA_FILTERS_MAX = 10;
export const METADATA_KEY_CHARACTERS_MAX = 128;
export const METADATA_VALUE_CHARACTERS_MAX = 500;

/** A kind, and an address of 255 characters. */
export const CALLER_CHARACTERS_MAX = 300;

const moment = voiceApiDialect.timeInput;
const text = z.string().max(TEXT_CHARACTERS_MAX);
const seconds = z.coerce.number().min(0).max(SECONDS_MAX);

/** `a,b` or a repeated parameter in a query, a list in a body. */
const listOf = <One extends z.ZodType>(one: One) =>
  z.preprocess(
    (given) => (typeof given === 'string' ? given.split(',') : given),
    z.array(one).min(1).max(SEVERAL_MAX),
  );

const booleanText = z.preprocess(
  (given) => (given === 'true' ? true : given === 'false' ? false : given),
  z.boolean(),
);

export const filterShape = {
  bot_id: text.optional(),
  status: listOf(z.enum(STATUSES)).optional().describe('Any of these'),
  channel: z.enum(CHANNELS).optional(),
  direction: z.enum(DIRECTIONS).optional(),
  from: text.optional().describe('The complete address'),
  to: text.optional().describe('The complete address'),
  caller: z.string().max(CALLER_CHARACTERS_MAX).optional().describe('The id of a caller'),
  language: text.optional(),
  end_reason: listOf(z.enum(END_REASONS)).optional().describe('Any of these'),
  tags: listOf(z.string().max(TAG_CHARACTERS_MAX)).optional().describe('All of these'),
  flow_id: z.string().max(128).optional(),
  flow_version: z.coerce.number().int().min(1).max(INTEGER_MAX).optional(),
  has_error: booleanText.optional().describe('Whether it has an `error`'),
  error_code: z.string().max(128).optional().describe('`code` of its `error`'),
  duration_min: seconds.optional().describe('Minimum duration in seconds'),
  duration_max: seconds.optional().describe('Maximum duration in seconds'),
  started_after: moment.optional().describe('Started at or after this time'),
  started_before: moment.optional().describe('Started before this time'),
  ended_after: moment.optional(),
  ended_before: moment.optional(),
  updated_after: moment.optional(),
  updated_before: moment.optional(),
};

/** The text of a search (docs/voice-api.md#search). */
export const searchText = z
  .string()
  .max(QUERY_CHARACTERS_MAX)
  .describe(
    'Part of the id, of `from`, `to` or a metadata value; or parts of words of one utterance in search syntax: "whole words", or, -excluded',
  );

export const conversationFilter = z
  .strictObject({
    ...filterShape,
    metadata: members(
      METADATA_FILTERS_MAX,
      z.string().min(1).max(METADATA_KEY_CHARACTERS_MAX),
      z.string().max(METADATA_VALUE_CHARACTERS_MAX),
    ).optional(),
  })
  .meta({ id: 'ConversationFilter', description: 'All given conditions must match' });
export type ConversationFilter = z.output<typeof conversationFilter>;
