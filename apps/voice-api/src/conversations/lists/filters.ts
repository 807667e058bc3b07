// Which conversations are meant: the filters of the list, of what is done with many at once, and of exports
// (docs/voice-api.md#filters). The same members in a query and in a body; metadata is `metadata.<key>=` there and an object here.
import { z } from 'zod';
import { members, voiceApiDialect } from '@parley/envelopes';
import { TAG_CHARACTERS_MAX } from '../../bots/schemas.ts';
import { CHANNELS, DIRECTIONS } from '../event-schemas.ts';
import { END_REASONS, STATUSES } from '../states.rules.ts';

const TEXT_CHARACTERS_MAX = 255;
const QUERY_CHARACTERS_MAX = 255;
/** Postgres integer. */
const INTEGER_MAX = 2_147_483_647;
const SECONDS_MAX = 604_800;
/** Values of one filter. */
const SEVERAL_MAX = 20;
/** Conditions on metadata in one question. */
export const METADATA_FILTERS_MAX = 10;
export const METADATA_KEY_CHARACTERS_MAX = 128;
export const METADATA_VALUE_CHARACTERS_MAX = 500;

const moment = voiceApiDialect.timeInput;
const text = z.string().max(TEXT_CHARACTERS_MAX);
const seconds = z.coerce.number().min(0).max(SECONDS_MAX);

/** `a,b` or repeated in a query, a list in a body. */
const several = <One extends z.ZodType>(one: One) =>
  z.preprocess(
    (given) => (typeof given === 'string' ? given.split(',') : given),
    z.array(one).min(1).max(SEVERAL_MAX),
  );

const yesOrNo = z.preprocess(
  (given) => (given === 'true' ? true : given === 'false' ? false : given),
  z.boolean(),
);

export const filterShape = {
  bot_id: text.optional(),
  status: several(z.enum(STATUSES)).optional().describe('One of these'),
  channel: z.enum(CHANNELS).optional(),
  direction: z.enum(DIRECTIONS).optional(),
  from: text.optional().describe('The whole address'),
  to: text.optional().describe('The whole address'),
  language: text.optional(),
  end_reason: several(z.enum(END_REASONS)).optional().describe('One of these'),
  tags: several(z.string().max(TAG_CHARACTERS_MAX)).optional().describe('All of these'),
  flow_id: z.string().max(128).optional(),
  flow_version: z.coerce.number().int().min(1).max(INTEGER_MAX).optional(),
  has_error: yesOrNo.optional().describe('It has an `error`'),
  duration_min: seconds.optional().describe('Seconds, at least'),
  duration_max: seconds.optional().describe('Seconds, at most'),
  started_after: moment.optional().describe('Started then or later'),
  started_before: moment.optional().describe('Started earlier'),
  ended_after: moment.optional(),
  ended_before: moment.optional(),
  updated_after: moment.optional(),
  updated_before: moment.optional(),
};

/** The words of a search (docs/voice-api.md#search). */
export const searched = z
  .string()
  .max(QUERY_CHARACTERS_MAX)
  .describe(
    'Part of the id, of from or to, or of a value of the metadata; or words of one utterance, as a search engine takes them: "in this order", or, -without',
  );

/** As a member of a body. */
export const conversationFilter = z
  .strictObject({
    ...filterShape,
    metadata: members(
      METADATA_FILTERS_MAX,
      z.string().min(1).max(METADATA_KEY_CHARACTERS_MAX),
      z.string().max(METADATA_VALUE_CHARACTERS_MAX),
    ).optional(),
  })
  .meta({ id: 'ConversationFilter', description: 'All that is given must be met' });
export type ConversationFilter = z.output<typeof conversationFilter>;
