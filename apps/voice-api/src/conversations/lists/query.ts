// Query parameters and answer of GET /v1/conversations (docs/voice-api.md#filters).
import { z } from 'zod';
import { pageQuery, voiceApiDialect } from '@parley/envelopes';
import { EXCERPT_MAX } from '../../search-text/marks.rules.ts';
import { conversation } from '../schemas.ts';
import {
  filterShape,
  METADATA_FILTERS_MAX,
  METADATA_KEY_CHARACTERS_MAX,
  METADATA_VALUE_CHARACTERS_MAX,
  searchText,
} from './filters.ts';

/** A cursor holds an id of 255 characters of up to three bytes each, in base64. */
const CURSOR_CHARACTERS_MAX = 1_200;

export const SORTS = ['started_at', 'created_at', 'ended_at', 'duration_seconds', 'turn_count'] as const;

/** Parameters that begin with `metadata.` are free; all others are known by name. */
export const conversationListQuery = z
  .object({
    ...pageQuery(),
    cursor: z.string().max(CURSOR_CHARACTERS_MAX).optional().describe('`next_cursor` of the previous page'),
    sort: z
      .enum(SORTS)
      .default('started_at')
      .describe(
        'A conversation whose start was not reported yet has the place of its first report; without an end or a duration it is not listed by these. By `turn_count`, final conversations are listed',
      ),
    order: z.enum(['desc', 'asc']).default('desc'),
    total: z
      .enum(['true', 'false'])
      .transform((given) => given === 'true')
      .optional()
      .describe('Also count the matches of all pages, up to 100,000'),
    ...filterShape,
    q: searchText.optional(),
  })
  .catchall(z.string().max(METADATA_VALUE_CHARACTERS_MAX))
  .superRefine((given, context) => {
    const others = Object.keys(given).filter((name) => !(name in conversationListQuery.shape));
    const wrong = others.filter(
      (name) => !/^metadata\../s.test(name) || name.length > METADATA_KEY_CHARACTERS_MAX + 9,
    );
    if (wrong.length > 0) context.addIssue({ code: 'unrecognized_keys', keys: wrong, input: given });
    else if (others.length > METADATA_FILTERS_MAX)
      context.addIssue({
        code: 'custom',
        message: `must have at most ${METADATA_FILTERS_MAX} metadata conditions`,
      });
  });

const place = z.int().min(0).max(EXCERPT_MAX);

const found = z.strictObject({
  index: z.int(),
  role: z.enum(['user', 'bot', 'tool', 'system']),
  text: z.string().describe('An excerpt of the utterance, without markup'),
  marks: z
    .array(z.tuple([place, place]).meta({ items: { type: 'integer', minimum: 0, maximum: EXCERPT_MAX } }))
    .describe('Matches in `text`: start and end, in UTF-16 code units'),
});

const listed = voiceApiDialect.pageSchema(
  conversation.extend({
    found: z.array(found).optional().describe('With `q`: up to three matching utterances'),
  }),
) as z.ZodObject;

export const conversationPage = listed.extend({
  partial: z
    .literal(true)
    .optional()
    .describe('With `q`: the search stopped before the page was full. `next_cursor` goes on'),
  total: z.int().optional().describe('With `total=true`'),
  total_is_at_least: z.literal(true).optional().describe('There are more than `total`'),
});
