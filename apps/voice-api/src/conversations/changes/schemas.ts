// Wire shapes of changes and deletions of conversations (docs/voice-api.md#changing-conversations).
import { z } from 'zod';
import { afterCall, anyMetadata } from '../../conversation-model/after-call-schemas.ts';
import { conversationFilter } from '../lists/filters.ts';
import { reason } from '../../retention/schemas.ts';

/** A cursor holds an id of 255 characters of up to three bytes each, in base64. */
const CURSOR_CHARACTERS_MAX = 1_200;

const { tags, ...nullableFields } = afterCall;
const nullable = Object.fromEntries(
  Object.entries(nullableFields).map(([name, schema]) => [name, schema.nullable()]),
) as { [Name in keyof typeof nullableFields]: z.ZodNullable<(typeof nullableFields)[Name]> };

const hasMembers = (given: object) => Object.keys(given).length > 0;

export const conversationUpdate = z
  .strictObject({ metadata: anyMetadata.optional(), tags, ...nullable })
  .refine(hasMembers, 'must change something')
  .meta({
    id: 'ConversationUpdate',
    description:
      'Absent members stay unchanged, null removes a member. Later events do not change members that you set here.',
  });
export type ConversationUpdate = z.output<typeof conversationUpdate>;

/** An empty filter would match every conversation, so at least one member is required. */
const filter = conversationFilter.refine(hasMembers, 'must have at least one member');
const bulkControls = {
  dry_run: z.boolean().default(false).describe('Only count the matching conversations'),
  cursor: z.string().max(CURSOR_CHARACTERS_MAX).optional().describe('`next_cursor` of the previous answer'),
};

export const holdRequest = z.strictObject({ reason }).meta({ id: 'Hold' });

export const bulkUpdate = z
  .strictObject({ filter, changes: conversationUpdate, ...bulkControls })
  .meta({ id: 'ConversationBulkUpdate' });
export const bulkDelete = z.strictObject({ filter, ...bulkControls }).meta({ id: 'ConversationBulkDelete' });

export const erased = z
  .strictObject({
    conversations: z.int(),
    turns: z.int(),
    recorded_turns: z.int(),
    events: z.int(),
    webhook_events: z.int(),
    deliveries: z.int(),
    callers: z.int().describe('Anonymised callers'),
    recording_copies: z
      .int()
      .describe('Copies of recordings; workers remove them from the bucket until it has none'),
  })
  .meta({ id: 'Erased' });
export type Erased = z.output<typeof erased>;

export const deletedConversation = z.strictObject({ id: z.string(), deleted: z.literal(true), erased });

const held = z.int().optional().describe('Matching conversations under a legal hold. They are not deleted');

const bulkResult = {
  dry_run: z.boolean(),
  matched: z
    .int()
    .describe('In a dry run all matches, up to 100,000; otherwise the conversations of this answer'),
  matched_is_at_least: z.literal(true).optional(),
  next_cursor: z
    .string()
    .nullable()
    .describe('Set if there may be more: repeat the request with this `cursor`'),
};
export const bulkUpdated = z.strictObject(bulkResult).meta({ id: 'ConversationBulkUpdated' });
export const bulkDeleted = z
  .strictObject({ ...bulkResult, held, erased: erased.optional().describe('Absent in a dry run') })
  .meta({ id: 'ConversationBulkDeleted' });
